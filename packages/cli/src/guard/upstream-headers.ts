import { usageError } from '../cli-error.ts'

export type HeaderFlags = {
  /** `Name: value` */
  header: readonly string[]
  /** `Name=VARIABLE` */
  headerEnv: readonly string[]
  /** `Name=FILE` */
  headerFile: readonly string[]
}

export type HeaderSources = {
  variable(name: string): string | undefined
  read(file: string): Promise<string>
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible text of Latin-1, with spaces and tabs inside. */
const VALUE = /^[\x21-\x7e\xa0-\xff](?:[\t\x20-\x7e\xa0-\xff]*[\x21-\x7e\xa0-\xff])?$/

/** Set by the transport itself. */
const RESERVED =
  /^(?:host|content-length|content-type|accept|connection|transfer-encoding|mcp-session-id|mcp-protocol-version|last-event-id)$/i

/** Reads the headers for a server. Values are secrets, so no message contains one. */
export async function readHeaders(
  { header, headerEnv, headerFile }: HeaderFlags,
  { variable, read }: HeaderSources,
): Promise<Record<string, string>> {
  const headers = new Map<string, string>()
  const add = (flag: string, name: string, value: string): void => {
    if (!NAME.test(name)) throw usageError(`${flag}: the name of the header is not valid.`)
    if (RESERVED.test(name)) throw usageError(`${flag}: ${name} is set by the guard itself.`)
    if (!VALUE.test(value)) throw usageError(`${flag}: the value of ${name} is empty or not valid.`)
    if (headers.has(name.toLowerCase())) throw usageError(`${flag}: ${name} is given twice.`)
    headers.set(name.toLowerCase(), value)
  }
  for (const text of header) {
    const { name, rest } = split(text, ':', '--header must have the form "Name: value".')
    add('--header', name, rest)
  }
  for (const text of headerEnv) {
    const { name, rest } = split(text, '=', '--header-env must have the form Name=VARIABLE.')
    const value = variable(rest)
    if (value === undefined) throw usageError(`--header-env: the variable ${rest} is not set.`)
    add('--header-env', name, value.trim())
  }
  for (const text of headerFile) {
    const { name, rest } = split(text, '=', '--header-file must have the form Name=FILE.')
    add('--header-file', name, (await read(rest)).trim())
  }
  return Object.fromEntries(headers)
}

function split(text: string, separator: string, form: string): { name: string; rest: string } {
  const at = text.indexOf(separator)
  if (at === -1) throw usageError(form)
  return { name: text.slice(0, at).trim(), rest: text.slice(at + 1).trim() }
}

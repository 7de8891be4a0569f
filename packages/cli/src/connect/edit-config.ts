import jsonc from 'jsonc-parser'
import type { ClientConfig } from './clients.ts'

/** Why a configuration cannot be edited. */
export class UneditableConfig extends Error {}

const PARSE_OPTIONS = { allowTrailingComma: true, disallowComments: false }

/**
 * The configuration with our hooks, once each; all other bytes stay as they are. Text of another hook
 * of ours, such as one of an older version, is replaced.
 */
export function withHooks(
  text: string | undefined,
  config: ClientConfig,
  client: string,
): string {
  if (config.kind === 'file') return config.text
  const given = text === undefined || text.trim() === '' ? '{}\n' : text
  const root = parse(given)
  if (isComplete(root, config, client)) return given
  let edited = removeHooks(given, client)
  if (config.version !== undefined && parse(edited)['version'] === undefined) {
    edited = set(edited, ['version'], config.version)
  }
  for (const { event, entry } of config.entries) {
    const list = hooksOf(parse(edited))[event]
    edited =
      list === undefined
        ? set(edited, ['hooks', event], [entry])
        : insert(edited, ['hooks', event], entry)
  }
  return edited
}

/** The configuration without our hooks, and without lists and members that are empty then. */
export function withoutHooks(text: string, client: string): string {
  return removeHooks(text, client)
}

/** How many hooks of others the configuration has. */
export function foreignHooks(text: string | undefined, client: string): number {
  if (text === undefined || text.trim() === '') return 0
  const lists = Object.values(hooksOf(parse(text)))
  return lists.flatMap(itemsOf).filter((entry) => !isOurs(entry, client)).length
}

type Members = Readonly<Record<string, unknown>>

function parse(text: string): Members {
  const errors: jsonc.ParseError[] = []
  const root: unknown = jsonc.parse(text, errors, PARSE_OPTIONS)
  const [error] = errors
  if (error !== undefined) {
    const line = text.slice(0, error.offset).split('\n').length
    throw new UneditableConfig(
      `line ${line}: ${jsonc.printParseErrorCode(error.error)}, so the file is no valid JSON`,
    )
  }
  if (!isObject(root)) throw new UneditableConfig('the file must contain a JSON object')
  hooksOf(root)
  return root
}

function hooksOf(root: Members): Members {
  const { hooks = {} } = root
  if (!isObject(hooks)) throw new UneditableConfig('"hooks" must be an object')
  for (const [event, list] of Object.entries(hooks)) {
    // Other members, such as switches, are the client's business.
    if (isObject(list)) throw new UneditableConfig(`"hooks.${event}" must be a list`)
  }
  return hooks
}

function isComplete(
  root: Members,
  { version, entries }: ClientConfig & { kind: 'json' },
  client: string,
): boolean {
  if (version !== undefined && root['version'] === undefined) return false
  const hooks = hooksOf(root)
  const wanted = new Map(entries.map(({ event, entry }) => [event, JSON.stringify(entry)]))
  const ours = Object.entries(hooks).flatMap(([event, list]) =>
    itemsOf(list)
      .filter((entry) => isOurs(entry, client))
      .map((entry) => [event, JSON.stringify(entry)] as const),
  )
  return ours.length === wanted.size && ours.every(([event, text]) => wanted.get(event) === text)
}

function removeHooks(text: string, client: string): string {
  let edited = text
  for (const event of Object.keys(hooksOf(parse(text)))) {
    const list = itemsOf(hooksOf(parse(edited))[event])
    const own = list.flatMap((entry, index) => (isOurs(entry, client) ? [index] : []))
    if (own.length === 0) continue
    if (own.length === list.length) edited = remove(edited, ['hooks', event])
    else for (const index of own.reverse()) edited = remove(edited, ['hooks', event, index])
  }
  const isEmptied = edited !== text && Object.keys(hooksOf(parse(edited))).length === 0
  return isEmptied ? remove(edited, ['hooks']) : edited
}

/** An entry that starts this program's hook for the client, however it is written. */
function isOurs(entry: unknown, client: string): boolean {
  const words = textsIn(entry).join(' ').replaceAll(/["']/g, '').split(/\s+/)
  return words.some(
    (word, at) =>
      /touchstone(\.mjs|\.js|\.cmd)?$/.test(word) &&
      words[at + 1] === 'hook' &&
      words[at + 2] === client,
  )
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

function set(text: string, path: jsonc.JSONPath, value: unknown): string {
  return apply(text, path, value, false)
}

function insert(text: string, path: jsonc.JSONPath, value: unknown): string {
  return apply(text, [...path, -1], value, true)
}

function remove(text: string, path: jsonc.JSONPath): string {
  return apply(text, path, undefined, false)
}

function apply(
  text: string,
  path: jsonc.JSONPath,
  value: unknown,
  isArrayInsertion: boolean,
): string {
  const edits = jsonc.modify(text, path, value, {
    isArrayInsertion,
    formattingOptions: formattingOf(text),
  })
  return jsonc.applyEdits(text, edits)
}

/** As the file is written: its first indented line tells. */
function formattingOf(text: string): jsonc.FormattingOptions {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? []
  const insertSpaces = !indent.startsWith('\t')
  return {
    insertSpaces,
    tabSize: insertSpaces ? indent.length : 1,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { once } from 'node:events'
import { type PolicyDocument, validatePolicy } from '@touchstone/protocol/policy'
import { createClient } from '@touchstone/sdk'
import { CliError, usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { connectionsFile } from '../connections.ts'
import { readText, readYaml } from '../documents.ts'
import type { ServerTarget } from '../guard/guard-session.ts'
import { createKeepAliveFetch } from '../guard/keep-alive-fetch.ts'
import { isServerName, serverNameOf, serverNameOfUrl } from '../guard/tool-name.ts'
import { readHeaders } from '../guard/upstream-headers.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../number-flag.ts'
import { getAccess } from '../service.ts'
import { printable } from '../table.ts'

export const guard = command({
  path: ['guard'],
  summary: 'guard an MCP server: authorise every tool call, and pin its tools',
  details: `Put it in front of the server's command in the settings of an MCP client, or give the address of
a server with --url. All messages are forwarded, but each tool call needs a decision first, under the
name mcp__NAME__TOOL. A refused call is answered with a tool error. Calls are recorded afterwards. While
the service cannot be reached, every call is refused, unless --fail-open is given. The server does not
get TOUCHSTONE_API_KEY. The tools that the server lists are pinned when they are first seen; a tool whose
definition changes afterwards needs an approval until somebody accepts the change.

If the API key has the scope write, the guard creates one that can only be used for the agent, keeps it in
~/.config/touchstone/connections.json, and uses the first only to register the agent and for --policy.

Values of headers are secrets: prefer --header-env and --header-file, because other users of this
machine can see the arguments of a command. Without a COMMAND the address of the service is that of
TOUCHSTONE_URL or of the login.`,
  flags: {
    url: {
      type: 'string',
      value: 'URL',
      summary: 'address of the MCP server, without COMMAND; with it, address of the service',
    },
    header: {
      type: 'string',
      value: "'NAME: VALUE'",
      multiple: true,
      summary: 'header for the server at --url',
    },
    'header-env': {
      type: 'string',
      value: 'NAME=VARIABLE',
      multiple: true,
      summary: 'the same, with the value of an environment variable',
    },
    'header-file': {
      type: 'string',
      value: 'NAME=FILE',
      multiple: true,
      summary: 'the same, with the contents of a file',
    },
    http: {
      type: 'string',
      value: 'PORT',
      summary: 'serve MCP over HTTP on 127.0.0.1 at /mcp, instead of standard input and output',
    },
    agent: {
      type: 'string',
      value: 'ID',
      summary: 'the calling agent; default: TOUCHSTONE_AGENT, or mcp-NAME',
    },
    name: {
      type: 'string',
      value: 'NAME',
      summary: 'name of the server in policies; default: derived from its command or address',
    },
    policy: {
      type: 'string',
      value: 'FILE',
      summary: "replaces the agent's policy before its first call, if it differs",
    },
    session: {
      type: 'string',
      value: 'ID',
      summary: 'session of the calls; default: a new one for each session of a client',
    },
    transaction: { type: 'string', value: 'ID', summary: 'transaction the calls belong to' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      summary: 'how long to wait for a decision; default: 5',
    },
    'fail-open': {
      type: 'boolean',
      summary: 'allow calls while the service cannot be reached',
    },
    'no-record': { type: 'boolean', summary: 'do not send traces and checkpoints' },
  },
  args: {},
  rest: 'COMMAND…',
  restOptional: true,
  async run({ flags, rest, io }) {
    const target = await targetOf(rest, flags, io)
    const name = flags.name ?? nameOf(target)
    if (!isServerName(name))
      throw usageError('--name: only letters, digits, "." and "-" are allowed.')
    const timeout = numberFlag('timeout', flags.timeout, { min: 0.01, max: 600 }) ?? 5
    const port = numberFlag('http', flags.http, { min: 0, max: 65_535 })
    const policy = flags.policy === undefined ? undefined : await readPolicy(flags.policy, io)
    const { url, apiKey } = await getAccess(rest.length > 0 ? io : { ...io, url: undefined })
    if (apiKey === undefined) throw new CliError('not_logged_in', `There is no API key for ${url}.`)
    const [{ runGuard, runHttpGuard }, { onceSuccessful, prepareAgent }, { findGuardKey }] =
      await Promise.all([
        import('../guard/run-guard.ts'),
        import('../guard/prepare-agent.ts'),
        import('../guard/guard-key.ts'),
      ])
    const agent = flags.agent ?? io.env.agent ?? `mcp-${name}`
    const note = (line: string) => io.note(`touchstone guard: ${printable(line)}`)
    const setupClient = createClient({ baseUrl: url, token: apiKey })
    const now = () => new Date()
    const file = connectionsFile(io.env.all)
    let ownKey = apiKey
    const prepare = async () => {
      await prepareAgent(setupClient, { agent, server: name, policy, now, note })
      ownKey = await findGuardKey({ url, agent, apiKey, connectionsFile: file, note })
    }
    const options = {
      name,
      target,
      agent,
      session: flags.session,
      transaction: flags.transaction,
      prepare: onceSuccessful(prepare),
      failOpen: flags['fail-open'] ?? false,
      isRecording: !flags['no-record'],
      timeoutMs: timeout * 1000,
      decisionClient: createClient({
        baseUrl: url,
        getToken: () => ownKey,
        retries: 0,
        fetch: createKeepAliveFetch(),
      }),
      stop: io.stopSignal(),
      note,
    }
    if (port !== undefined) return runHttpGuard(options, port)
    const { stdin, stdout } = io
    const clientClosed = Promise.race([once(stdin, 'end'), once(stdin, 'close')])
    return runGuard(options, { stdin, stdout, clientClosed })
  },
})

type TargetFlags = {
  header?: readonly string[]
  'header-env'?: readonly string[]
  'header-file'?: readonly string[]
}

async function targetOf(
  command: readonly string[],
  { header = [], 'header-env': headerEnv = [], 'header-file': headerFile = [] }: TargetFlags,
  io: Io,
): Promise<ServerTarget> {
  const hasHeaders = header.length + headerEnv.length + headerFile.length > 0
  if (command.length > 0) {
    if (hasHeaders) throw usageError('Headers are only for a server at --url, without COMMAND.')
    return { kind: 'command', command, env: environmentFor(io) }
  }
  if (io.url === undefined) throw usageError('Give COMMAND after "--", or the server\'s --url.')
  const headers = await readHeaders(
    { header, headerEnv, headerFile },
    { variable: (name) => io.env.all[name], read: (file) => readText(file, io) },
  )
  return { kind: 'url', url: readUrl(io.url), headers }
}

/** The message does not repeat the address, which may contain a secret. */
function readUrl(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw usageError('--url must be an address that begins with https:// or http://.')
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError('--url must not contain credentials; give them with --header.')
  }
  return url
}

function nameOf(target: ServerTarget): string {
  return target.kind === 'url' ? serverNameOfUrl(target.url) : serverNameOf(target.command)
}

async function readPolicy(file: string, io: Io): Promise<PolicyDocument> {
  const outcome = validatePolicy(await readYaml(file, io), { scope: 'agent' })
  if (outcome.valid) return outcome.policy
  const [first] = outcome.errors
  throw new CliError('unreadable', `${file}#${first?.path ?? ''}: ${first?.message ?? ''}`)
}

/** The server is third-party code, so it gets the environment without the TOUCHSTONE_ variables. */
function environmentFor({ env }: Io): Record<string, string> {
  const entries = Object.entries(env.all).flatMap(([name, value]) =>
    value === undefined || name.startsWith('TOUCHSTONE_') ? [] : [[name, value] as const],
  )
  return Object.fromEntries(entries)
}

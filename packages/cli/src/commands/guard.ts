import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type PolicyDocument, validatePolicy } from '@touchstone/protocol/policy'
import { createClient } from '@touchstone/sdk'
import { CliError, usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { readYaml } from '../documents.ts'
import { createKeepAliveFetch } from '../guard/keep-alive-fetch.ts'
import { isServerName, serverNameOf } from '../guard/tool-name.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../number-flag.ts'
import { getAccess } from '../service.ts'
import { printable } from '../table.ts'

export const guard = command({
  path: ['guard'],
  summary: 'run an MCP server and authorise every tool call',
  details: `Put it in front of the server's command in the settings of an MCP client. All messages are
forwarded, but each tool call needs a decision first, under the name mcp__NAME__TOOL. A refused call
is answered with a tool error. Calls are recorded afterwards. While the service cannot be reached,
every call is refused, unless --fail-open is given. The server does not get TOUCHSTONE_API_KEY.`,
  flags: {
    agent: {
      type: 'string',
      value: 'ID',
      summary: 'the calling agent; default: TOUCHSTONE_AGENT, or mcp-NAME',
    },
    name: {
      type: 'string',
      value: 'NAME',
      summary: 'name of the server in policies; default: derived from its command',
    },
    policy: {
      type: 'string',
      value: 'FILE',
      summary: "replaces the agent's policy before its first call, if it differs",
    },
    session: {
      type: 'string',
      value: 'ID',
      summary: 'session of the calls; default: a new one for each start',
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
  async run({ flags, rest, io }) {
    const name = flags.name ?? serverNameOf(rest)
    if (!isServerName(name))
      throw usageError('--name: only letters, digits, "." and "-" are allowed.')
    const timeout = numberFlag('timeout', flags.timeout, { min: 0.01, max: 600 }) ?? 5
    const policy = flags.policy === undefined ? undefined : await readPolicy(flags.policy, io)
    const { url, apiKey } = await getAccess(io)
    if (apiKey === undefined) throw new CliError('not_logged_in', `There is no API key for ${url}.`)
    const { runGuard } = await import('../guard/run-guard.ts')
    return runGuard({
      server: { name, command: rest, env: environmentFor(io) },
      agent: flags.agent ?? io.env.agent ?? `mcp-${name}`,
      session: flags.session ?? `guard-${randomUUID()}`,
      transaction: flags.transaction,
      policy,
      failOpen: flags['fail-open'] ?? false,
      isRecording: !flags['no-record'],
      timeoutMs: timeout * 1000,
      decisionClient: createClient({
        baseUrl: url,
        token: apiKey,
        retries: 0,
        fetch: createKeepAliveFetch(),
      }),
      setupClient: createClient({ baseUrl: url, token: apiKey }),
      streams: { stdin: io.stdin, stdout: io.stdout },
      stop: io.stopSignal(),
      clientClosed: Promise.race([once(io.stdin, 'end'), once(io.stdin, 'close')]),
      note: (line) => io.note(`touchstone guard: ${printable(line)}`),
    })
  },
})

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

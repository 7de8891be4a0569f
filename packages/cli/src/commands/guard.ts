import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type PolicyDocument, validatePolicy } from '@touchstone/protocol/policy'
import { createClient } from '@touchstone/sdk'
import { CliError, usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { readYaml } from '../documents.ts'
import { createKeptFetch } from '../guard/kept-fetch.ts'
import { isServerName, serverNameOf } from '../guard/tool-name.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../number-flag.ts'
import { getAccess } from '../service.ts'
import { printable } from '../table.ts'

export const guard = command({
  path: ['guard'],
  summary: 'run an MCP server and ask before every tool call',
  details: `Put it before the server's own command in the settings of an MCP client. Everything is passed
through; each tool call is asked about first, as mcp__NAME__TOOL, and refused as a tool error where
the answer is no. What was called is recorded afterwards. While the service cannot be asked, every
call is refused, unless --fail-open is given. The server does not get TOUCHSTONE_API_KEY.`,
  flags: {
    agent: {
      type: 'string',
      value: 'ID',
      summary: 'who calls; TOUCHSTONE_AGENT or mcp-NAME without',
    },
    name: {
      type: 'string',
      value: 'NAME',
      summary: 'what policies call the server; from its command without',
    },
    policy: {
      type: 'string',
      value: 'FILE',
      summary: "made the agent's policy before its first call, where it is another",
    },
    session: { type: 'string', value: 'ID', summary: 'a new one for each start without' },
    transaction: { type: 'string', value: 'ID', summary: 'that the calls belong to' },
    timeout: { type: 'string', value: 'SECONDS', summary: 'to wait for an answer; 5 without' },
    'fail-open': {
      type: 'boolean',
      summary: 'let calls through while the service cannot be asked',
    },
    'no-record': { type: 'boolean', summary: 'send no traces and checkpoints' },
  },
  args: {},
  rest: 'COMMAND…',
  async run({ flags, rest, io }) {
    const name = flags.name ?? serverNameOf(rest)
    if (!isServerName(name)) throw usageError('--name must be letters, digits, "." and "-".')
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
      records: !flags['no-record'],
      timeoutMs: timeout * 1000,
      asking: createClient({ baseUrl: url, token: apiKey, retries: 0, fetch: createKeptFetch() }),
      preparing: createClient({ baseUrl: url, token: apiKey }),
      streams: { stdin: io.stdin, stdout: io.stdout },
      stop: io.stopSignal(),
      clientEnd: Promise.race([once(io.stdin, 'end'), once(io.stdin, 'close')]),
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

/** The server is somebody else's program: it gets what it would get without us, and no key of ours. */
function environmentFor({ env }: Io): Record<string, string> {
  const entries = Object.entries(env.all).flatMap(([name, value]) =>
    value === undefined || name.startsWith('TOUCHSTONE_') ? [] : [[name, value] as const],
  )
  return Object.fromEntries(entries)
}

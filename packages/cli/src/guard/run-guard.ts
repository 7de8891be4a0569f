import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { PolicyDocument } from '@touchstone/protocol/policy'
import type { Client } from '@touchstone/sdk'
import { createGuard, type Guard } from '@touchstone/sdk/guard'
import { CliError } from '../cli-error.ts'
import type { ExitCode } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { createActionNames } from './action-names.ts'
import { createClientLine } from './client-line.ts'
import { createGatekeeper } from './gatekeeper.ts'
import { prepareAgent } from './prepare.ts'
import { createRelay, type Relay } from './relay.ts'
import { toolNameOf } from './tool-name.ts'

export type RunGuardOptions = {
  server: { name: string; command: readonly string[]; env: Record<string, string> }
  agent: string
  session: string
  transaction: string | undefined
  policy: PolicyDocument | undefined
  failOpen: boolean
  records: boolean
  timeoutMs: number
  /** Without retries: a call waits for one answer only, and records are sent again in any case. */
  asking: Client
  preparing: Client
  streams: { stdin: Readable; stdout: Writable }
  /** Asked to stop. */
  stop: AbortSignal
  /** The client has said its last. */
  clientEnd: Promise<unknown>
  note(line: string): void
}

/** Images and files come as one message; ten megabytes, the usual limit, are few. */
const MESSAGE_BYTES_MAX = 256 * 1024 * 1024
/** For calls under way when the client leaves, and for records that wait at the end. */
const LAST_CALLS_MS = 10_000
const LAST_RECORDS_MS = 5000
const LOOK_AGAIN_MS = 20

/** Runs until the client leaves, the server ends, or somebody asks to stop. */
export async function runGuard(options: RunGuardOptions): Promise<ExitCode> {
  const { server, agent, note } = options
  const { transport, ended } = startServer(options)
  const guard = guardOf(options)
  const ask = createGatekeeper({ guard, transaction: options.transaction, note })
  const relay = createRelay({
    client: createClientLine({ ...options.streams, bytesMax: MESSAGE_BYTES_MAX }),
    server: transport,
    ask: (call) => ask({ ...call, tool: toolNameOf(server.name, call.tool) }),
    note,
  })
  await relay.start().catch((cause: unknown) => {
    const [program] = server.command
    throw new CliError('server', `${program} cannot be started: ${String(cause)}`, { cause })
  })
  note(`agent ${agent}, tools are asked about as ${toolNameOf(server.name, '*')}`)
  const first = await Promise.race([
    ended.then(() => 'server' as const),
    options.clientEnd.then(() => 'client' as const),
    stopped(options.stop).then(() => 'stop' as const),
  ])
  if (first === 'client') await lastCalls(relay, options.stop)
  await transport.close()
  await lastRecords(guard, note)
  if (first === 'server') note('the server has ended')
  return first === 'server' ? 1 : 0
}

function startServer({ server }: RunGuardOptions) {
  const [program = '', ...args] = server.command
  const transport = new StdioClientTransport({
    ...{ command: program, args, env: server.env, stderr: 'inherit' },
    maxBufferSize: MESSAGE_BYTES_MAX,
  })
  const ended = new Promise<void>((resolve) => {
    transport.onclose = resolve
  })
  return { transport, ended }
}

function guardOf(options: RunGuardOptions): Guard {
  const { asking: client, agent, note } = options
  const now = () => new Date()
  const { server, policy } = options
  const guard: Guard = createGuard({
    client,
    agentId: agent,
    sessionId: options.session,
    whenUnavailable: options.failOpen ? 'allow' : 'block',
    timeoutMs: options.timeoutMs,
    record: options.records,
    prepare: () =>
      prepareAgent(options.preparing, { agent, server: server.name, policy, now, note }),
    actionsOf: createActionNames(client, agent, now),
    onEvidenceLost: ({ evidence, reason }) =>
      note(`the record of ${evidence.trace.decision.selected} was not kept: ${reason}`),
    onEvidenceDelayed: (err) =>
      note(`${guard.pending()} records wait, as they could not be sent: ${reasonOf(err)}`),
  })
  return guard
}

/** Sends what waits, or gives up after a while. */
async function lastRecords(guard: Guard, note: (line: string) => void): Promise<void> {
  let deadline: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    deadline = setTimeout(resolve, LAST_RECORDS_MS)
  })
  // Why it failed has been told.
  await Promise.race([guard.flush().catch(() => undefined), late])
  clearTimeout(deadline)
  const lost = guard.pending()
  if (lost > 0) note(`${lost} records were not sent`)
}

async function stopped(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort')
}

/** What was asked for before the client closed its end is still answered. */
async function lastCalls(relay: Relay, stop: AbortSignal): Promise<void> {
  const deadline = performance.now() + LAST_CALLS_MS
  while (relay.waiting() > 0 && performance.now() < deadline && !stop.aborted) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

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
import { createClientTransport } from './client-transport.ts'
import { createGatekeeper } from './gatekeeper.ts'
import { prepareAgent } from './prepare-agent.ts'
import { createRelay, type Relay } from './relay.ts'
import { toolNameOf } from './tool-name.ts'

export type RunGuardOptions = {
  server: { name: string; command: readonly string[]; env: Record<string, string> }
  agent: string
  session: string
  transaction: string | undefined
  policy: PolicyDocument | undefined
  failOpen: boolean
  isRecording: boolean
  timeoutMs: number
  /** Makes no retries, because a tool call waits for it; the evidence queue retries by itself. */
  decisionClient: Client
  setupClient: Client
  streams: { stdin: Readable; stdout: Writable }
  /** Aborted when the process should stop. */
  stop: AbortSignal
  /** Resolves when the client closes its end. */
  clientClosed: Promise<unknown>
  note(line: string): void
}

/** Images and files arrive as one message, for which the usual limit of 10 MB is too small. */
const MESSAGE_BYTES_MAX = 256 * 1024 * 1024
/** How long to wait on exit for pending calls, and then for unsent records. */
const DRAIN_MS_MAX = 10_000
const FLUSH_MS_MAX = 5000
const POLL_MS = 20

/** Runs until the client disconnects, the server exits, or a stop is requested. */
export async function runGuard(options: RunGuardOptions): Promise<ExitCode> {
  const { server, agent, note } = options
  const { transport, exited } = startServer(options)
  const guard = createGuardFor(options)
  const decide = createGatekeeper({ guard, transaction: options.transaction, note })
  const client = createClientTransport({ ...options.streams, bytesMax: MESSAGE_BYTES_MAX })
  const relay = createRelay({
    client,
    server: transport,
    decide: (call) => decide({ ...call, tool: toolNameOf(server.name, call.tool) }),
    note,
  })
  await relay.start().catch((cause: unknown) => {
    const [program] = server.command
    throw new CliError('server', `${program} cannot be started: ${String(cause)}`, { cause })
  })
  note(`agent ${agent}, policies see the tools as ${toolNameOf(server.name, '*')}`)
  const first = await Promise.race([
    exited.then(() => 'server' as const),
    options.clientClosed.then(() => 'client' as const),
    stopped(options.stop).then(() => 'stop' as const),
  ])
  if (first === 'client') await drainCalls(relay, options.stop)
  // A client that has closed its end may kill this process soon, while the server still has to end.
  guard.flush().catch(() => undefined)
  await transport.close()
  // Otherwise a client that keeps its end open would keep this process alive.
  await client.close()
  await flushRecords(guard, note)
  if (first === 'server') note('the server has exited')
  return first === 'server' ? 1 : 0
}

function startServer({ server }: RunGuardOptions) {
  const [program = '', ...args] = server.command
  const transport = new StdioClientTransport({
    command: program,
    args,
    env: server.env,
    stderr: 'inherit',
    maxBufferSize: MESSAGE_BYTES_MAX,
  })
  const exited = new Promise<void>((resolve) => {
    transport.onclose = resolve
  })
  return { transport, exited }
}

function createGuardFor(options: RunGuardOptions): Guard {
  const { decisionClient: client, agent, note } = options
  const now = () => new Date()
  const { server, policy } = options
  const guard: Guard = createGuard({
    client,
    agentId: agent,
    sessionId: options.session,
    whenUnavailable: options.failOpen ? 'allow' : 'block',
    timeoutMs: options.timeoutMs,
    record: options.isRecording,
    prepare: () =>
      prepareAgent(options.setupClient, { agent, server: server.name, policy, now, note }),
    actionsOf: createActionNames(client, agent, now),
    onEvidenceLost: ({ evidence, reason }) =>
      note(`the record of calls of ${evidence.tools.join(', ')} was lost: ${reason}`),
    onOutcomeLost: ({ decisionId, reason }) =>
      note(`the outcome of decision ${decisionId} was lost: ${reason}`),
    onEvidenceDelayed: (err) =>
      note(`${guard.pending()} records could not be sent and will be retried: ${reasonOf(err)}`),
  })
  return guard
}

/** Sends the remaining records, with a timeout. */
async function flushRecords(guard: Guard, note: (line: string) => void): Promise<void> {
  let deadline: NodeJS.Timeout | undefined
  const timedOut = new Promise<void>((resolve) => {
    deadline = setTimeout(resolve, FLUSH_MS_MAX)
  })
  // onEvidenceDelayed has already reported the error.
  await Promise.race([guard.flush().catch(() => undefined), timedOut])
  clearTimeout(deadline)
  const unsent = guard.pending()
  if (unsent > 0) note(`${unsent} records were not sent and are lost`)
}

async function stopped(stop: AbortSignal): Promise<void> {
  if (!stop.aborted) await once(stop, 'abort')
}

/** Waits for calls that the client made before it closed its end. */
async function drainCalls(relay: Relay, stop: AbortSignal): Promise<void> {
  const deadline = performance.now() + DRAIN_MS_MAX
  while (relay.pendingCount() > 0 && performance.now() < deadline && !stop.aborted) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

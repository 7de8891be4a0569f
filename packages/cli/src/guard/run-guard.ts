import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { PolicyDocument } from '@touchstone/protocol'
import type { Client } from '@touchstone/sdk'
import { CliError } from '../cli-error.ts'
import type { ExitCode } from '../command.ts'
import type { CallRecord } from './evidence.ts'
import { createGatekeeper, type Ticket } from './gatekeeper.ts'
import { prepareAgent } from './prepare.ts'
import { createRecorder } from './recorder.ts'
import { createRelay, type Relay } from './relay.ts'
import { createEvidenceSender } from './send-evidence.ts'
import { toolNameOf } from './tool-name.ts'

export type GuardOptions = {
  server: { name: string; command: readonly string[]; env: Record<string, string> }
  agent: string
  session: string
  transaction: string | undefined
  policy: PolicyDocument | undefined
  failOpen: boolean
  records: boolean
  timeoutMs: number
  deciding: Client
  recording: Client
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
export async function runGuard(options: GuardOptions): Promise<ExitCode> {
  const { server, agent, note } = options
  const { transport, ended } = startServer(options)
  const evidence = options.records ? createEvidence(options) : undefined
  const ask = createGatekeeper({
    ...options,
    client: options.deciding,
    now: () => new Date(),
    prepare: () =>
      prepareAgent(options.recording, {
        ...{ agent, server: server.name, policy: options.policy },
        now: () => new Date(),
      }),
  })
  const { stdin, stdout } = options.streams
  const relay = createRelay<Ticket>({
    client: new StdioServerTransport(stdin, stdout, { maxBufferSize: MESSAGE_BYTES_MAX }),
    server: transport,
    ask: (call) => ask({ ...call, tool: toolNameOf(server.name, call.tool) }),
    ended: (ticket, ending) => evidence?.add({ ...recordOf(options), ticket, ending }),
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
  await evidence?.end(LAST_RECORDS_MS)
  if (first === 'server') note('the server has ended')
  return first === 'server' ? 1 : 0
}

function startServer({ server }: GuardOptions) {
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

function createEvidence({ recording, agent, note }: GuardOptions) {
  const send = createEvidenceSender({ client: recording, agent, now: () => new Date(), note })
  return createRecorder<CallRecord>({ send, note })
}

function recordOf({ agent, session }: GuardOptions) {
  return { agent, session, id: randomUUID() }
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

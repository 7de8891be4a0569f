import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { mcpToolName } from '@touchstone/protocol/policy'
import type { Client } from '@touchstone/sdk'
import { createGuard, type Guard } from '@touchstone/sdk/guard'
import { reasonOf } from '../reason.ts'
import { createActionNames } from './action-names.ts'
import { createGatekeeper } from './gatekeeper.ts'
import { createHttpUpstream } from './http-upstream.ts'
import { createRelay } from './relay.ts'
import { createToolReporter } from './tool-reporter.ts'

/** The guarded server: a program that is started for each session, or an address. */
export type ServerTarget =
  | { kind: 'command'; command: readonly string[]; env: Record<string, string> }
  | { kind: 'url'; url: URL; headers: Readonly<Record<string, string>> }

export type GuardOptions = {
  /** Named in policies. */
  name: string
  target: ServerTarget
  agent: string
  transaction: string | undefined
  /** Registers the agent and stores its policy, once for all sessions. */
  prepare(): Promise<void>
  failOpen: boolean
  isRecording: boolean
  timeoutMs: number
  /** Makes no retries, because a tool call waits for it; the evidence queue retries by itself. */
  decisionClient: Client
  note(line: string): void
}

/** Images and files arrive as one message, for which the usual limit of 10 MB is too small. */
export const MESSAGE_BYTES_MAX = 256 * 1024 * 1024
/** How long to wait on exit for pending calls, and then for unsent records. */
const DRAIN_MS_MAX = 10_000
const FLUSH_MS_MAX = 5000
const POLL_MS = 20

export type GuardSession = {
  /** Resolves when the server has exited; that of an address never does. */
  serverClosed: Promise<void>
  /** Waits for calls that were forwarded and not answered. */
  drain(stop: AbortSignal): Promise<void>
  /** Ends the server, and sends the remaining records. */
  close(): Promise<void>
}

/** Connects one client to the guarded server. Rejects if the server cannot be started. */
export async function startGuardSession(
  options: GuardOptions,
  { client, session }: { client: Transport; session: string },
): Promise<GuardSession> {
  const { name, agent, note, transaction, prepare } = options
  const server = transportTo(options.target)
  const guard = createGuardFor(options, session)
  const decide = createGatekeeper({ guard, transaction, note })
  const reporter = createToolReporter({
    client: options.decisionClient,
    agent,
    server: name,
    timeoutMs: options.timeoutMs,
    failOpen: options.failOpen,
    prepare,
    note,
  })
  const relay = createRelay({
    client,
    server,
    async decide(call) {
      const refusal = await reporter.refusalOf(call.tool)
      if (refusal !== undefined) return refusedCall(refusal)
      return decide({ ...call, tool: mcpToolName(name, call.tool) })
    },
    onTools: reporter.observe,
    note,
  })
  const serverClosed = new Promise<void>((resolve) => {
    server.onclose = () => {
      relay.failPending('The MCP server has ended.')
      resolve()
    }
  })
  await relay.start()
  return {
    serverClosed,
    async drain(stop) {
      const deadline = performance.now() + DRAIN_MS_MAX
      while (relay.pendingCount() > 0 && performance.now() < deadline && !stop.aborted) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      }
    },
    async close() {
      // A client that has closed its end may kill this process soon, while the server still has to end.
      guard.flush().catch(() => undefined)
      await server.close()
      // Otherwise a client that keeps its end open would keep this process alive.
      await client.close()
      await flushRecords(guard, note)
    },
  }
}

function refusedCall(text: string) {
  return {
    allowed: false as const,
    result: { content: [{ type: 'text' as const, text }], isError: true },
  }
}

function transportTo(target: ServerTarget): Transport {
  if (target.kind === 'url') {
    const { url, headers } = target
    return createHttpUpstream({ url, headers, bytesMax: MESSAGE_BYTES_MAX })
  }
  const [command = '', ...args] = target.command
  return new StdioClientTransport({
    command,
    args,
    env: target.env,
    stderr: 'inherit',
    maxBufferSize: MESSAGE_BYTES_MAX,
  })
}

function createGuardFor(options: GuardOptions, session: string): Guard {
  const { decisionClient: client, agent, note, prepare } = options
  const guard: Guard = createGuard({
    client,
    agentId: agent,
    sessionId: session,
    whenUnavailable: options.failOpen ? 'allow' : 'block',
    timeoutMs: options.timeoutMs,
    record: options.isRecording,
    prepare,
    actionsOf: createActionNames(client, agent, () => new Date()),
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

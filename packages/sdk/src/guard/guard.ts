import type { Client } from '../client.ts'
import { askService, Unavailable } from './ask-service.ts'
import { awaitApproval, type Waiting } from './await-approval.ts'
import { evidenceOf, type Happened } from './evidence.ts'
import { createEvidenceQueue, type EvidenceQueue, type LostEvidence } from './evidence-queue.ts'
import { GuardRefusal, type RefusalCode } from './guard-refusal.ts'
import { isLetThrough, type ToolCall, type Verdict } from './tool-call.ts'

/** A policy at hand: what it lets through need not be asked for. See `createLocalPolicy`. */
export type LocalPolicy = {
  /** Undefined where it cannot tell. */
  decide(call: ToolCall): Promise<Pick<Verdict, 'decision' | 'reasons'> | undefined>
}

export type GuardOptions = {
  client: Client
  agentId: string
  /** One conversation or task; made up unless given, and a call may name its own. */
  sessionId?: string
  /** What holds when the service cannot be asked: `block`, unless you say `allow`. */
  whenUnavailable?: 'block' | 'allow'
  /** How long the service may take to answer before it counts as unavailable; 5 seconds. */
  timeoutMs?: number
  /** Decide by a policy kept here what it lets through, and ask the service about the rest. */
  local?: LocalPolicy
  /** Wait for a person who was asked. Without it the call is refused, and can be tried again. */
  waitForApproval?: Waiting
  /** Values that the card declares and the agent goes by, for its traces. */
  values?: readonly string[]
  /** Keep arguments with the traces, in full; not unless you say so. */
  recordArguments?: boolean
  /** How much evidence may wait to be sent; 1000. With `block`, calls are refused when it is full. */
  evidenceMax?: number
  /** Told of evidence the service refused, or that made room; a warning is printed without it. */
  onEvidenceLost?: (lost: LostEvidence) => void
  /** Told of every decision, before the tool is called. */
  onDecision?: (verdict: Verdict, call: ToolCall) => void
}

export type Guard = {
  /** Calls the tool if it may be called, and throws a GuardRefusal if not. */
  run<T>(call: ToolCall, work: () => T | Promise<T>): Promise<T>
  /** Whether the call would be let through; nothing is recorded of it here. */
  check(call: ToolCall): Promise<Verdict>
  /** How much evidence waits to be sent. */
  pending(): number
  /** Sends the evidence that waits; throws when some still waits. Call it before your program ends. */
  flush(): Promise<void>
}

const EVIDENCE_MAX = 1000
const TIMEOUT_MS = 5_000

type Settled = GuardOptions & { sessionId: string; whenUnavailable: 'block' | 'allow' }

/** Asks before every tool call, and tells what happened after it. */
export function createGuard(options: GuardOptions): Guard {
  const sessionId = options.sessionId ?? `sess-${crypto.randomUUID()}`
  const whenUnavailable = options.whenUnavailable ?? 'block'
  const settled: Settled = { ...options, sessionId, whenUnavailable }
  const queue = createEvidenceQueue({
    client: options.client,
    max: options.evidenceMax ?? EVIDENCE_MAX,
    onLost: options.onEvidenceLost ?? warn,
  })
  const named = (call: ToolCall) => ({ ...call, sessionId: call.sessionId ?? sessionId })
  return {
    check: async (call) => (await judge(settled, named(call))).verdict,
    run: (call, work) => run({ options: settled, queue, call: named(call) }, work),
    pending: queue.size,
    flush: queue.flush,
  }
}

function warn({ evidence, reason }: LostEvidence): void {
  console.warn(`The record of ${evidence.trace.decision.selected} was not kept: ${reason}`)
}

type Named = ToolCall & { sessionId: string }
type Run = { options: Settled; queue: EvidenceQueue; call: Named }

async function run<T>({ options, queue, call }: Run, work: () => T | Promise<T>): Promise<T> {
  if (options.whenUnavailable === 'block' && queue.isFull()) {
    // One last attempt, so that calls go on as soon as the service is back.
    await queue.flush().catch(() => undefined)
    if (queue.isFull()) throw new GuardRefusal('evidence_full', call.tool, NOBODY)
  }
  const { verdict, approval, cause } = await judge(options, call)
  const tell = (outcome: Happened['outcome']) =>
    queue.add(
      evidenceOf({
        ...{ agentId: options.agentId, call, verdict, approval, outcome },
        values: options.values ?? [],
        recordArguments: options.recordArguments ?? false,
        at: new Date(),
        newId: () => crypto.randomUUID(),
      }),
    )
  options.onDecision?.(verdict, call)
  if (!isLetThrough(verdict)) {
    tell('refused')
    throw new GuardRefusal(codeOf(verdict, approval), call.tool, verdict, cause)
  }
  try {
    const result = await work()
    tell('succeeded')
    return result
  } catch (error) {
    tell('failed')
    throw error
  }
}

const NOBODY: Verdict = {
  decision: 'block',
  source: 'none',
  reasons: [],
  decisionId: null,
  escalationId: null,
  notices: [],
}

function codeOf(verdict: Verdict, approval: Happened['approval']): RefusalCode {
  if (verdict.source === 'none' && verdict.reasons.length === 0) return 'unavailable'
  if (approval === 'denied') return 'rejected'
  return verdict.decision === 'escalate' ? 'escalated' : 'blocked'
}

type Judged = { verdict: Verdict; approval?: Happened['approval']; cause?: unknown }

async function judge(options: Settled, call: Named): Promise<Judged> {
  const local = await options.local?.decide(call)
  if (local?.decision === 'allow' || local?.decision === 'warn') {
    return { verdict: { ...NOBODY, ...local, source: 'local' } }
  }
  try {
    return await askForApproval(options, call, await ask(options, call))
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    // The policy at hand says no: that stands, whatever holds for what nobody knows.
    if (local !== undefined) return { verdict: { ...NOBODY, ...local }, cause: error }
    const decision = options.whenUnavailable
    return { verdict: { ...NOBODY, decision }, cause: error }
  }
}

function ask({ client, agentId, timeoutMs = TIMEOUT_MS }: Settled, call: Named): Promise<Verdict> {
  return askService({ client, agentId, timeoutMs }, call)
}

async function askForApproval(options: Settled, call: Named, verdict: Verdict): Promise<Judged> {
  const { escalationId } = verdict
  // The service let a call through that names an approval: somebody gave it.
  if (escalationId !== null && isLetThrough(verdict)) return { verdict, approval: 'approved' }
  const { waitForApproval } = options
  if (verdict.decision !== 'escalate' || escalationId === null || !waitForApproval) {
    return { verdict }
  }
  const waiting = { ...waitForApproval, signal: call.signal }
  const approval = await awaitApproval(options.client, escalationId, waiting)
  if (approval === 'pending') return { verdict }
  if (approval === 'rejected') return { verdict, approval: 'denied' }
  const approved = await ask(options, { ...call, escalationId })
  return { verdict: approved, approval: 'approved' }
}

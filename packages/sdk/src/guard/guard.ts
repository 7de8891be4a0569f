import type { Client } from '../client.ts'
import { askService, Unavailable, unlessAnswered } from './ask-service.ts'
import { awaitApproval, type Waiting } from './await-approval.ts'
import { type Evidence, evidenceOf, type Happened, type Outcome, withActions } from './evidence.ts'
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
  /** Whether evidence of the calls is sent; it is, unless you say `false`. */
  record?: boolean
  /** Keep arguments with the traces, in full; not unless you say so. */
  recordArguments?: boolean
  /** What the card calls the use of a tool, for calls that name no action; asked as they are sent. */
  actionsOf?: (tool: string) => Promise<readonly string[]>
  /** What must be so before the first question. Fails as the question does, and is tried again. */
  prepare?: () => Promise<void>
  /** How much evidence may wait to be sent; 1000. With `block`, calls are refused when it is full. */
  evidenceMax?: number
  /** Told of evidence the service refused, or that made room; a warning is printed without it. */
  onEvidenceLost?: (lost: LostEvidence) => void
  /** Told why evidence could not be sent, each time; it waits and is sent again. */
  onEvidenceDelayed?: (error: unknown) => void
  /** Told of every decision, before the tool is called. */
  onDecision?: (verdict: Verdict, call: ToolCall) => void
}

/** What was said about a call that somebody else makes. */
export type Admission = {
  verdict: Verdict
  /** The tool must not be called, which is recorded already; undefined where it may be. */
  refusal: GuardRefusal | undefined
  /** Why nobody could be asked, where that is so. */
  cause: unknown
  /** Tells how a call that may be made ended; `refused` for one that was not made after all. */
  end(outcome: Outcome): void
}

export type Guard = {
  /** Calls the tool if it may be called, and throws a GuardRefusal if not. */
  run<T>(call: ToolCall, work: () => T | Promise<T>): Promise<T>
  /** The same in two parts, for those through whose hands calls only pass. */
  admit(call: ToolCall): Promise<Admission>
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
  const prepare = options.prepare && untilDone(options.prepare)
  const settled: Settled = { ...options, sessionId, whenUnavailable, ...(prepare && { prepare }) }
  const queue = createEvidenceQueue({
    client: options.client,
    max: options.evidenceMax ?? EVIDENCE_MAX,
    complete: (evidence) => named(options, evidence),
    onLost: options.onEvidenceLost ?? warn,
    onDelayed: options.onEvidenceDelayed ?? (() => undefined),
  })
  const inSession = (call: ToolCall) => ({ ...call, sessionId: call.sessionId ?? sessionId })
  const admitted = (call: ToolCall) => admit({ options: settled, queue, call: inSession(call) })
  return {
    check: async (call) => (await judge(settled, inSession(call))).verdict,
    admit: admitted,
    run: async (call, work) => run(await admitted(call), work),
    pending: queue.size,
    flush: queue.flush,
  }
}

/** Those who come meanwhile wait for the same attempt. */
function untilDone(prepare: () => Promise<void>): () => Promise<void> {
  let attempt: Promise<void> | undefined
  return () => {
    attempt ??= prepare().catch((error: unknown) => {
      attempt = undefined
      throw error
    })
    return attempt
  }
}

async function named({ actionsOf }: GuardOptions, evidence: Evidence): Promise<Evidence> {
  const { action, decision } = evidence.trace
  if (actionsOf === undefined || action.name !== decision.selected) return evidence
  const actions = await actionsOf(decision.selected)
  return actions.length === 0 ? evidence : withActions(evidence, actions)
}

function warn({ evidence, reason }: LostEvidence): void {
  console.warn(`The record of ${evidence.trace.decision.selected} was not kept: ${reason}`)
}

type Named = ToolCall & { sessionId: string }
type Asked = { options: Settled; queue: EvidenceQueue; call: Named }

async function run<T>({ refusal, end }: Admission, work: () => T | Promise<T>): Promise<T> {
  if (refusal !== undefined) throw refusal
  try {
    const result = await work()
    end('succeeded')
    return result
  } catch (error) {
    end('failed')
    throw error
  }
}

async function admit({ options, queue, call }: Asked): Promise<Admission> {
  if (options.whenUnavailable === 'block' && queue.isFull()) {
    // One last attempt, so that calls go on as soon as the service is back.
    await queue.flush().catch(() => undefined)
    if (queue.isFull()) return full(call)
  }
  const { verdict, approval, cause } = await judge(options, call)
  const end = (outcome: Outcome) => {
    if (options.record === false) return
    queue.add(
      evidenceOf({
        ...{ agentId: options.agentId, call, verdict, approval, outcome },
        values: options.values ?? [],
        recordArguments: options.recordArguments ?? false,
        at: new Date(),
        newId: () => crypto.randomUUID(),
      }),
    )
  }
  options.onDecision?.(verdict, call)
  if (isLetThrough(verdict)) return { verdict, refusal: undefined, cause, end }
  end('refused')
  const refusal = new GuardRefusal(codeOf(verdict, approval), call.tool, verdict, cause)
  return { verdict, refusal, cause, end: () => undefined }
}

function full({ tool }: Named): Admission {
  const refusal = new GuardRefusal('evidence_full', tool, NOBODY)
  return { verdict: NOBODY, refusal, cause: undefined, end: () => undefined }
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
    await prepared(options)
    return await askForApproval(options, call, await ask(options, call))
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    // The policy at hand says no: that stands, whatever holds for what nobody knows.
    if (local !== undefined) return { verdict: { ...NOBODY, ...local }, cause: error }
    const decision = options.whenUnavailable
    return { verdict: { ...NOBODY, decision }, cause: error }
  }
}

async function prepared({ prepare }: Settled): Promise<void> {
  try {
    await prepare?.()
  } catch (error) {
    throw unlessAnswered(error)
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

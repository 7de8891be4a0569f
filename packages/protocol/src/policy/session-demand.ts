import type { CompiledFlow, CompiledLimit, CompiledSessionRules } from './compile-session-rules.ts'
import type { PolicyViolation, PolicyWarning } from './evaluation.ts'
import type { PolicyLimit } from './session-rules.ts'

/**
 * Which counters a call takes if it is let through, and which flows may stop it. Pure: the counters
 * themselves are kept by the caller.
 */

export type SessionCall = {
  tool: string
  argumentsHash: string | null
  /** Null: the agent's last 60 minutes stand for the session. */
  sessionId: string | null
  nowMs: number
}

export type SessionFinding = { violation: PolicyViolation } | { warning: PolicyWarning }

/** One count that a call takes from a counter. */
export type Reservation = {
  /** Unique among the counters of an agent. */
  key: string
  /** The call may not take the count if this many are taken already; null for a mark. */
  max: number | null
  /** Only the counts of the last 60 minutes matter; else all of the counter do. */
  sliding: boolean
  /** The counter has no effect after this time, unless it is taken again. */
  expiresAtMs: number
  /** The finding about a call that may not take the count. */
  finding: SessionFinding | undefined
}

/** A flow that stops the call if it is marked and was not lifted. */
export type FlowCheck = {
  markKey: string
  /** Marked by an approval for the whole session. */
  lift: Reservation
  finding: SessionFinding
}

export type SessionDemand = {
  reservations: readonly Reservation[]
  flows: readonly FlowCheck[]
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const PERIODS_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS }

/** Calls without a session are taken together for this long. */
export const SESSIONLESS_MS = HOUR_MS

/** A session that had no counted call for this long counts as ended. */
const SESSION_IDLE_MS = 30 * DAY_MS

/** Nodes whose clocks differ a little may still write to the window before. */
const CLOCK_MARGIN_MS = HOUR_MS

export function sessionDemand(rules: CompiledSessionRules, call: SessionCall): SessionDemand {
  const { limits, limitIndex, flows, fromIndex, toIndex } = rules
  const pick = <Rule>(of: readonly Rule[], ids: readonly number[]): Rule[] =>
    [...new Set(ids)].map((id) => of[id]).filter((rule) => rule !== undefined)
  return {
    reservations: [
      ...pick(limits, limitIndex.matching(call.tool)).map((limit) => limitReservation(limit, call)),
      ...loopReservations(rules, call),
      ...pick(flows, fromIndex.matching(call.tool)).map((flow) => mark('mark', flow, call)),
    ],
    flows: pick(flows, toIndex.matching(call.tool)).map((flow) => flowCheck(flow, call)),
  }
}

function limitReservation(limit: CompiledLimit, call: SessionCall): Reservation {
  const { rule, per, max } = limit
  const finding = limitFinding(limit, call.tool)
  if (per === 'session') {
    return { ...ofSession(['limit', rule], call), max, finding }
  }
  const start = Math.floor(call.nowMs / PERIODS_MS[per])
  return {
    key: keyOf(['limit', rule, per, String(start)]),
    max,
    sliding: false,
    expiresAtMs: (start + 1) * PERIODS_MS[per] + CLOCK_MARGIN_MS,
    finding,
  }
}

/** The key starts with whether there is a session, so that no session id looks like none. */
function ofSession(parts: readonly string[], { sessionId, nowMs }: SessionCall) {
  const isSliding = sessionId === null
  return {
    key: keyOf([...parts, ...(isSliding ? ['agent'] : ['session', sessionId])]),
    sliding: isSliding,
    // Whole days, so that a counter does not get a new time with every call.
    expiresAtMs: isSliding
      ? nowMs + SESSIONLESS_MS
      : Math.ceil(nowMs / DAY_MS) * DAY_MS + SESSION_IDLE_MS,
  }
}

function keyOf(parts: readonly string[]): string {
  return JSON.stringify(parts)
}

function limitFinding(limit: CompiledLimit, tool: string): SessionFinding {
  const { action, rule, approval } = limit
  const reason = `${limit.reason} (limit ${rule}: at most ${limit.max} ${periodName(limit.per)})`
  if (action === 'warn') return { warning: { type: 'limit', tool, reason } }
  return { violation: { type: 'limit', tool, reason, rule, ...effectOf(action, approval) } }
}

function periodName(per: PolicyLimit['per']): string {
  return `per ${per}`
}

function effectOf(action: 'escalate' | 'block', approval: CompiledLimit['approval']) {
  return action === 'block'
    ? ({ severity: 'high', blocking: true } as const)
    : ({ severity: 'medium', blocking: false, action: 'escalate', approval } as const)
}

function loopReservations(rules: CompiledSessionRules, call: SessionCall): Reservation[] {
  const { maxIdenticalCalls: max, loopApproval } = rules
  if (max === null) return []
  const { tool, argumentsHash } = call
  const parts = ['loop', tool, argumentsHash ?? '']
  const reason = `The same call was let through ${max} times in this session`
  const rule = 'max_identical_calls'
  const violation = {
    type: 'loop',
    tool,
    reason,
    rule,
    ...effectOf('escalate', loopApproval),
  } as const
  return [{ ...ofSession(parts, call), max, finding: { violation } }]
}

function mark(kind: 'mark' | 'lift', { rule }: CompiledFlow, call: SessionCall): Reservation {
  return { ...ofSession([kind, rule], call), max: null, finding: undefined }
}

function flowCheck(flow: CompiledFlow, call: SessionCall): FlowCheck {
  const { rule, action, approval } = flow
  const reason = `${flow.reason} (flow ${rule})`
  const effect = effectOf(action, approval)
  return {
    markKey: mark('mark', flow, call).key,
    lift: mark('lift', flow, call),
    finding: { violation: { type: 'flow', tool: call.tool, reason, rule, ...effect } },
  }
}

import type { Evaluation } from './evaluation.ts'
import {
  type FlowCheck,
  type Reservation,
  SESSIONLESS_MS,
  type SessionFinding,
} from './session-demand.ts'

/** The state of a counter. */
export type CounterState = {
  /** All counts; unused if the counter is sliding. */
  used: number
  /** The counts of a sliding counter, by minute since 1970. */
  minutes: Readonly<Record<string, number>>
  expiresAtMs: number
}

export const NEW_COUNTER: CounterState = { used: 0, minutes: {}, expiresAtMs: 0 }

export type Taken = {
  /** For each call, the reservations that could not be taken; the call then takes none. */
  exceeded: readonly (readonly Reservation[])[]
  /** The counters that changed. */
  states: ReadonlyMap<string, CounterState>
}

const MINUTE_MS = 60_000

/**
 * Takes the counts of calls in their order. A call takes all of its counts or none of them, so a call
 * that is stopped by one limit does not use up another.
 */
export function takeCounts(
  calls: readonly (readonly Reservation[])[],
  current: ReadonlyMap<string, CounterState>,
  nowMs: number,
): Taken {
  const states = new Map<string, CounterState>()
  const stateOf = (key: string) => states.get(key) ?? current.get(key) ?? NEW_COUNTER
  const exceeded = calls.map((reservations) => {
    const over = reservations.filter(
      (of) => of.max !== null && countOf(of, stateOf(of.key), nowMs) >= of.max,
    )
    if (over.length > 0) return over
    for (const of of reservations) states.set(of.key, take(of, stateOf(of.key), nowMs))
    return []
  })
  return { exceeded, states }
}

/**
 * The counts of the last 60 minutes, in whole minutes: the minute in which they start counts as a
 * whole, so no 60 minutes ever have more than the limit.
 */
function countOf({ sliding }: Reservation, { used, minutes }: CounterState, nowMs: number): number {
  if (!sliding) return used
  const first = firstMinute(nowMs)
  return Object.entries(minutes).reduce(
    (sum, [minute, count]) => (Number(minute) >= first ? sum + count : sum),
    0,
  )
}

function firstMinute(nowMs: number): number {
  return Math.floor((nowMs - SESSIONLESS_MS) / MINUTE_MS)
}

function take(of: Reservation, state: CounterState, nowMs: number): CounterState {
  const expiresAtMs = Math.max(state.expiresAtMs, of.expiresAtMs)
  if (!of.sliding || of.max === null) {
    return { ...state, used: state.used + 1, expiresAtMs }
  }
  const first = firstMinute(nowMs)
  const kept = Object.entries(state.minutes).filter(([minute]) => Number(minute) >= first)
  const minutes: Record<string, number> = Object.fromEntries(kept)
  const now = String(Math.floor(nowMs / MINUTE_MS))
  minutes[now] = (minutes[now] ?? 0) + 1
  return { used: state.used, minutes, expiresAtMs }
}

/** Whether a mark is set. That of an agent without a session ends by itself. */
export function isMarked(state: CounterState | undefined, nowMs: number): boolean {
  return state !== undefined && state.used > 0 && nowMs < state.expiresAtMs
}

/** The flows that stop a call. */
export function openFlows(
  flows: readonly FlowCheck[],
  current: ReadonlyMap<string, CounterState>,
  nowMs: number,
): FlowCheck[] {
  return flows.filter(
    ({ markKey, lift }) =>
      isMarked(current.get(markKey), nowMs) && !isMarked(current.get(lift.key), nowMs),
  )
}

/** The evaluation of a call with what its session adds. */
export function withSessionFindings(
  evaluation: Evaluation,
  findings: readonly SessionFinding[],
): Evaluation {
  if (findings.length === 0) return evaluation
  const added = findings.flatMap((one) => ('violation' in one ? [one.violation] : []))
  const warned = findings.flatMap((one) => ('warning' in one ? [one.warning] : []))
  const violations = [...evaluation.violations, ...added]
  return {
    ...evaluation,
    verdict: violations.some(({ blocking }) => blocking) ? 'fail' : 'warn',
    violations,
    warnings: [...evaluation.warnings, ...warned],
  }
}

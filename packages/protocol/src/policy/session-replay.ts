import type { CompiledPolicy } from './compile-policy.ts'
import type { CompiledSessionRules } from './compile-session-rules.ts'
import type { Evaluation } from './evaluation.ts'
import {
  type CounterState,
  openFlows,
  takeCounts,
  withSessionFindings,
} from './session-counters.ts'
import { type SessionCall, type SessionFinding, sessionDemand } from './session-demand.ts'

/**
 * The rules over a session for calls whose order is known: tests of policies and evaluations of the
 * past. Calls must be given in the order of their time.
 */
export type SessionReplay = {
  /**
   * The evaluation of a call with the findings of its session. `isLetThrough` decides by an evaluation;
   * only a call that is let through counts.
   */
  judge(
    call: SessionCall,
    evaluation: Evaluation,
    isLetThrough: (evaluation: Evaluation) => boolean,
  ): Evaluation
}

/** Counters beyond this number are dropped, oldest first, which bounds the memory of a replay. */
const COUNTERS_MAX = 100_000

export function createSessionReplay(rules: CompiledSessionRules | undefined): SessionReplay {
  if (rules === undefined) return { judge: (_call, evaluation) => evaluation }
  const states = new Map<string, CounterState>()
  const remember = (changed: ReadonlyMap<string, CounterState>): void => {
    for (const [key, state] of changed) {
      states.delete(key)
      states.set(key, state)
    }
    for (const key of states.keys()) {
      if (states.size <= COUNTERS_MAX) return
      states.delete(key)
    }
  }
  return {
    judge(call, evaluation, isLetThrough) {
      const demand = sessionDemand(rules, call)
      const stopped = openFlows(demand.flows, states, call.nowMs)
      const findings: SessionFinding[] = stopped.map(({ finding }) => finding)
      let wanted = demand.reservations
      for (;;) {
        const judged = withSessionFindings(evaluation, findings)
        if (wanted.length === 0 || !isLetThrough(judged)) return judged
        const { exceeded, states: changed } = takeCounts([wanted], states, call.nowMs)
        const over = exceeded[0] ?? []
        remember(changed)
        if (over.length === 0) return judged
        findings.push(...over.flatMap(({ finding }) => (finding === undefined ? [] : [finding])))
        wanted = wanted.filter((of) => !over.includes(of))
      }
    },
  }
}

/** Tools that an agent called one after the other, as a trace records them. */
export type TracedCalls = { sessionId: string; tools: readonly string[]; nowMs: number }

/**
 * Replays the limits and flows over traces, which must be given oldest first. Traces contain no
 * arguments, so identical calls are not counted.
 */
export function createTraceReplay({ sessionRules }: Pick<CompiledPolicy, 'sessionRules'>) {
  const rules = sessionRules && { ...sessionRules, maxIdenticalCalls: null }
  const replay = createSessionReplay(rules)
  return (trace: TracedCalls, evaluation: Evaluation): Evaluation => {
    if (rules === undefined) return evaluation
    const { sessionId, nowMs } = trace
    return trace.tools.reduce((judged, tool) => {
      const call = { tool, sessionId, nowMs, argumentsHash: null }
      return replay.judge(call, judged, ({ violations }) => {
        const about = violations.filter((one) => one.tool === tool || one.tool === '*')
        return !about.some(({ blocking, action }) => blocking || action === 'escalate')
      })
    }, evaluation)
  }
}

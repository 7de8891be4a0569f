import type { Evaluation, PolicyVerdict, PolicyViolation } from '@touchstone/protocol/policy'

const HOUR_MS = 3_600_000

/** spec: governance §2.3. */
const RANGE_MS_MAX = 30 * 24 * HOUR_MS
export const TRACES_MAX = 10_000
const VIOLATIONS_MAX = 1000

export type TimeRange = { start: Date; end: Date }

export type RangeFault = 'empty' | 'too_long' | undefined

/** A half-open range: the end is excluded. */
export function rangeFault({ start, end }: TimeRange): RangeFault {
  const ms = end.getTime() - start.getTime()
  if (ms <= 0) return 'empty'
  return ms > RANGE_MS_MAX ? 'too_long' : undefined
}

export type HistoricViolation = PolicyViolation & { traceId: string; occurredAt: Date }

export type History = {
  tracesEvaluated: number
  verdict: PolicyVerdict
  violationCount: number
  /** The first `VIOLATIONS_MAX`. */
  violations: readonly HistoricViolation[]
  summary: Readonly<Record<PolicyVerdict, number>>
}

/** Sums up evaluations, added oldest first. An empty history passes. */
export function createHistoryTally() {
  const summary = { pass: 0, warn: 0, fail: 0 }
  const violations: HistoricViolation[] = []
  let violationCount = 0
  return {
    add(trace: { traceId: string; occurredAt: Date }, evaluation: Evaluation): void {
      summary[evaluation.verdict] += 1
      violationCount += evaluation.violations.length
      const room = VIOLATIONS_MAX - violations.length
      for (const violation of evaluation.violations.slice(0, room)) {
        violations.push({ ...violation, traceId: trace.traceId, occurredAt: trace.occurredAt })
      }
    },

    result(): History {
      const worst = (['fail', 'warn'] as const).find((verdict) => summary[verdict] > 0)
      return {
        tracesEvaluated: summary.pass + summary.warn + summary.fail,
        verdict: worst ?? 'pass',
        violationCount,
        violations,
        summary,
      }
    },
  }
}

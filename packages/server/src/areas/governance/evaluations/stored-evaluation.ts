import type { Evaluation } from '@touchstone/protocol'
import type { JudgedCall } from './judged-call.ts'

/** A call of hundreds of tools under hundreds of rules has findings without end. */
const FINDINGS_KEPT_MAX = 100

/** 02 §2.3. */
export const KEPT_DAYS = 90

export type StoredEvaluation = JudgedCall & {
  evaluationId: string
  /** The trace that was judged; null for a call that was asked about. */
  traceId: string | null
  /** Of all, also of those that are not kept. */
  violationCount: number
  warningCount: number
}

/** What is kept of a judged call: all of it, unless it has more findings than anybody reads. */
export function storedEvaluation(
  judged: JudgedCall,
  { evaluationId, traceId }: { evaluationId: string; traceId: string | null },
): StoredEvaluation {
  const { verdict, violations, warnings, card_gaps, coverage } = judged.evaluation
  const evaluation: Evaluation = {
    verdict,
    violations: violations.slice(0, FINDINGS_KEPT_MAX),
    warnings: warnings.slice(0, FINDINGS_KEPT_MAX),
    card_gaps: card_gaps.slice(0, FINDINGS_KEPT_MAX),
    coverage,
  }
  return {
    ...judged,
    evaluation,
    evaluationId,
    traceId,
    violationCount: violations.length,
    warningCount: warnings.length,
  }
}

import type { Evaluation } from '@touchstone/protocol/policy'
import type { JudgedCall } from './judged-call.ts'

/** A call of hundreds of tools under hundreds of rules has findings without end. */
export const FINDINGS_KEPT_MAX = 100

/** spec: governance §2.3. */
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
    violations: firstOf(violations),
    warnings: firstOf(warnings),
    card_gaps: firstOf(card_gaps),
    coverage,
  }
  return {
    orgId: judged.orgId,
    agentId: judged.agentId,
    context: judged.context,
    mode: judged.mode,
    policyId: judged.policyId,
    policyVersion: judged.policyVersion,
    transactionId: judged.transactionId,
    evaluatedAt: judged.evaluatedAt,
    durationMs: judged.durationMs,
    evaluation,
    evaluationId,
    traceId,
    violationCount: violations.length,
    warningCount: warnings.length,
  }
}

function firstOf<T>(findings: T[]): T[] {
  return findings.length <= FINDINGS_KEPT_MAX ? findings : findings.slice(0, FINDINGS_KEPT_MAX)
}

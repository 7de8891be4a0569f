import type { Evaluation } from '@touchstone/protocol/policy'
import type { JudgedCall } from './judged-call.ts'

/** Bounds the row: hundreds of tools under hundreds of rules have very many findings. */
export const STORED_FINDINGS_MAX = 100

/** spec: governance §2.3. */
export const RETENTION_DAYS = 90

export type StoredEvaluation = JudgedCall & {
  evaluationId: string
  /** The evaluated trace; null for a live call. */
  traceId: string | null
  /** Counts all violations, including those beyond `STORED_FINDINGS_MAX`. */
  violationCount: number
  warningCount: number
}

/** The judged call as it is stored, with at most `STORED_FINDINGS_MAX` findings of each kind. */
export function toStoredEvaluation(
  judged: JudgedCall,
  { evaluationId, traceId }: { evaluationId: string; traceId: string | null },
): StoredEvaluation {
  const { verdict, violations, warnings, card_gaps, coverage } = judged.evaluation
  const evaluation: Evaluation = {
    verdict,
    // Only a decision needs to know who may approve.
    violations: firstOf(violations).map(({ approval: _, ...violation }) => violation),
    warnings: firstOf(warnings),
    card_gaps: firstOf(card_gaps),
    coverage,
  }
  return {
    orgId: judged.orgId,
    agentId: judged.agentId,
    context: judged.context,
    policyMode: judged.policyMode,
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
  return findings.length <= STORED_FINDINGS_MAX ? findings : findings.slice(0, STORED_FINDINGS_MAX)
}

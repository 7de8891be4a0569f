import type { ComponentScores } from '../score/component-scores.ts'
import type { RiskInput } from './individual-risk.ts'

/** The five component scores in published order. */
export function scores(
  ...five: readonly [number, number, number, number, number]
): ComponentScores {
  const [integrity, compliance, drift, traces, coherence] = five
  return {
    integrity_ratio: integrity,
    compliance,
    drift_stability: drift,
    trace_completeness: traces,
    coherence_compatibility: coherence,
  }
}

export function risk(given: Partial<RiskInput>): RiskInput {
  return {
    actionType: 'multi_agent_coordination',
    riskTolerance: 'moderate',
    analysedCheckpoints: 0,
    reputation: null,
    components: scores(500, 500, 500, 500, 500),
    violations: [],
    contained: false,
    amountMinor: null,
    maxAutonomousMinor: null,
    counterparty: null,
    ...given,
  }
}

/** The first two rows of the table of vectors. */
export const ROW_1 = risk({
  actionType: 'financial_transaction',
  analysedCheckpoints: 347,
  reputation: 756,
  components: scores(920, 720, 700, 650, 390),
  violations: [
    { severity: 'high', days: 10 },
    { severity: 'medium', days: 40 },
  ],
  amountMinor: 5_000_000,
})
export const ROW_2 = risk({
  actionType: 'task_delegation',
  analysedCheckpoints: 1200,
  reputation: 950,
  components: scores(980, 1000, 960, 900, 750),
})

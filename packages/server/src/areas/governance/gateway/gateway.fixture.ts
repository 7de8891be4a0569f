import type { Evaluation, PolicyViolation } from '@touchstone/protocol/policy'
import type { LiveOutcome } from './decision.ts'
import type { NewEscalation } from './escalation.ts'

export const ESCALATE: PolicyViolation = {
  type: 'escalation',
  tool: 'refund',
  reason: 'Refunds are for people',
  severity: 'medium',
  blocking: false,
  rule: "tool == 'refund'",
  action: 'escalate',
}

export const FORBIDDEN: PolicyViolation = {
  type: 'forbidden',
  tool: 'shell',
  reason: 'No shell',
  severity: 'critical',
  blocking: true,
  rule: 'shell',
}

export type Evaluated = Extract<LiveOutcome, { outcome: 'evaluated' }>

/** An evaluation in mode enforce that found these. */
export function evaluated(
  violations: readonly PolicyViolation[],
  given: Partial<Evaluated> = {},
): Evaluated {
  const failed = violations.some(({ blocking }) => blocking)
  const found = violations.length > 0 ? 'warn' : 'pass'
  const evaluation: Evaluation = {
    verdict: failed ? 'fail' : found,
    violations: [...violations],
    warnings: [],
    card_gaps: [],
    coverage: {
      total_card_actions: 0,
      mapped_card_actions: [],
      unmapped_card_actions: [],
      coverage_pct: 0,
    },
  }
  return {
    outcome: 'evaluated',
    evaluation,
    mode: 'enforce',
    policyId: 'pol-1',
    policyVersion: 3,
    evaluationId: 'pe-1',
    recorded: () => Promise.resolve(),
    ...given,
  }
}

export function asked(escalationId: string, given: Partial<NewEscalation> = {}): NewEscalation {
  return {
    escalationId,
    orgId: 'org-1',
    agentId: 'agent-1',
    tool: 'refund',
    sessionId: null,
    transactionId: null,
    reason: 'Refunds are for people',
    ...given,
  }
}

import type { AlignmentCard } from '@touchstone/protocol/cards'
import type { AgentFacts } from './agent-facts.ts'

export const NOW = new Date('2026-03-01T12:00:00.000Z')

export function cardOf(values: Partial<AlignmentCard['values']> = {}): AlignmentCard {
  return {
    aap_version: '0.5.0',
    agent_id: 'agent-b',
    issued_at: '2026-01-01T00:00:00.000Z',
    principal: { type: 'unspecified', relationship: 'advisory' },
    values: { declared: ['honesty'], hierarchy: 'lexicographic', ...values },
    autonomy_envelope: { bounded_actions: ['pay'] },
    audit_commitment: { trace_format: 'ap-trace-v1', retention_days: 90, queryable: true },
  }
}

/** Test vector 1 of spec: risk §1.2. */
export function factsOf(changes: Partial<AgentFacts> = {}): AgentFacts {
  return {
    agentId: 'agent-b',
    orgId: 'org-1',
    visibility: 'public',
    archived: false,
    contained: false,
    card: cardOf(),
    analysedCheckpoints: 347,
    merkleRoot: '0'.repeat(64),
    reputation: {
      score: 756,
      components: {
        integrity_ratio: 920,
        compliance: 720,
        drift_stability: 700,
        trace_completeness: 650,
        coherence_compatibility: 390,
      },
    },
    violations: [
      { severity: 'medium', timestampMs: NOW.getTime() - 40 * 86_400_000 },
      { severity: 'high', timestampMs: NOW.getTime() - 10 * 86_400_000 },
    ],
    violationDates: ['2026-01-20', '2026-02-19'],
    ...changes,
  }
}

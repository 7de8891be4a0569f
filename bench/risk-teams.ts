import type { AlignmentCard } from '@touchstone/protocol/cards'
import {
  individualRisk,
  type RiskInput,
  type TeamMember,
  teamRisk,
} from '@touchstone/protocol/risk'

const COMPONENTS = ['integrity_ratio', 'compliance', 'drift_stability'] as const

function memberOf(index: number): TeamMember {
  const score = (step: number) => 300 + ((index * step) % 700)
  const [integrity, compliance, drift] = COMPONENTS.map((_, at) => score(37 + 11 * at))
  return {
    agentId: `agent-${String(index).padStart(2, '0')}`,
    analysedCheckpoints: 60 + 37 * index,
    reputation: 400 + ((index * 53) % 600),
    components: {
      integrity_ratio: integrity ?? 0,
      compliance: compliance ?? 0,
      drift_stability: drift ?? 0,
      trace_completeness: score(71),
      coherence_compatibility: score(83),
    },
    violations: Array.from({ length: index % 4 }, (_, n) => ({ severity: 'medium', days: 9 * n })),
    contained: false,
    card: cardOf(index),
    violationDates: Array.from({ length: index % 4 }, (_, n) => `2026-01-0${n + 1}`),
  }
}

const WORDS = 'abcdefghijklmnop'.split('').map((letter) => `value_${letter}`)

/** Values and actions that differ so much between agents that many orderings must be sampled. */
export function valuesAndActions(index: number) {
  let state = 7919 * (index + 1)
  const some = (share: number, without: readonly string[] = []) =>
    WORDS.filter((word) => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31
      return state / 2 ** 31 < share && !without.includes(word)
    })
  const declared = ['transparency', ...some(0.3)]
  const bounded = ['search', ...some(0.4)]
  return { declared, bounded, opposed: some(0.1, declared), forbidden: some(0.2, bounded) }
}

function cardOf(index: number): AlignmentCard {
  const { declared, opposed, bounded, forbidden } = valuesAndActions(index)
  return {
    aap_version: '0.5.0',
    agent_id: 'bench',
    issued_at: '2026-01-01T00:00:00.000Z',
    principal: { type: 'unspecified', relationship: 'advisory' },
    values: { declared, conflicts_with: opposed, hierarchy: 'lexicographic' },
    autonomy_envelope: { bounded_actions: bounded, forbidden_actions: forbidden },
    audit_commitment: { trace_format: 'ap-trace-v1', retention_days: 90, queryable: true },
  }
}

/** Milliseconds of a whole team assessment, not only of its Shapley values. */
export function teamMs(size: number): number {
  const members = Array.from({ length: size }, (_, index) => memberOf(index))
  const startedAt = performance.now()
  teamRisk({
    actionType: 'multi_agent_coordination',
    riskTolerance: 'moderate',
    mode: null,
    members,
    teamCard: null,
  })
  return performance.now() - startedAt
}

/** Microseconds of one assessment, averaged over many. */
export function individualMicros(times: number): number {
  const inputs = Array.from(
    { length: 64 },
    (_, index): RiskInput => ({
      ...memberOf(index),
      actionType: 'financial_transaction',
      riskTolerance: 'moderate',
      amountMinor: 5_000_000 + index,
      maxAutonomousMinor: 10_000,
      counterparty: { kind: 'rated', score: 640, conflict: true, contained: false },
    }),
  )
  let sum = 0
  const startedAt = performance.now()
  for (let at = 0; at < times; at += 1) {
    const input = inputs[at % inputs.length]
    if (input !== undefined) sum += individualRisk(input).scoreE4
  }
  const tookMs = performance.now() - startedAt
  if (sum === 0) throw new Error('nothing was assessed')
  return (1000 * tookMs) / times
}

import { METHODOLOGY } from '../score/score.ts'
import { AGENT, bundleOf, COMPUTED_AT, type Decision, exampleHeader } from './bundle.fixture.ts'
import type { BundleEntry, BundleHeader2 } from './bundle.ts'

const DAY_MS = 86_400_000
const AT_MS = Date.parse(COMPUTED_AT)

/** Received this many days before the computation. */
const received = (days: number) => new Date(AT_MS - days * DAY_MS).toISOString()

/**
 * 60 clear checkpoints that count, on nine days: ten of records without an origin, twenty of each of
 * the provenances relayed and observed, and ten reported ones. Besides, ten that say little, one
 * older than the window, and a synthetic one.
 */
export function assuredDecisions(): Decision[] {
  const some = (count: number, of: Decision): Decision[] => Array.from({ length: count }, () => of)
  return [
    { session: 's0', receivedAt: received(90), provenance: 'observed' },
    ...some(10, { session: 's1', receivedAt: received(8) }),
    ...Array.from({ length: 20 }, (_, i): Decision => {
      return { session: 's2', receivedAt: received(7 - (i % 5)), provenance: 'relayed' }
    }),
    { session: 's2', receivedAt: received(2), provenance: 'observed', synthetic: true },
    ...some(20, { session: 's3', receivedAt: received(2), provenance: 'observed' }),
    ...some(7, {
      session: 's4',
      receivedAt: received(1),
      provenance: 'reported',
      flags: ['low_novelty'],
    }),
    ...some(3, {
      session: 's4',
      receivedAt: received(1),
      provenance: 'observed',
      flags: ['word_salad'],
    }),
    ...some(10, { session: 's5', receivedAt: received(0), provenance: 'imported' }),
  ]
}

const SCORED = 71

/** The header of these decisions, with an optional change. */
export function assuredBundle(
  change: (header: Omit<BundleHeader2, 'tree_head'>) => void = () => undefined,
): BundleEntry[] {
  return bundleOf({
    decisions: assuredDecisions(),
    header(made) {
      const { published } = exampleHeader()(made)
      const { computed_at, chain_length, tree_size, root } = published
      const header: Omit<BundleHeader2, 'tree_head'> = {
        format: 'touchstone-bundle-v1',
        methodology: METHODOLOGY,
        agent_id: AGENT,
        published: {
          score: 975,
          grade: 'AAA',
          tier: 'Exemplary',
          confidence: 'low',
          checkpoint_count: SCORED,
          components: {
            integrity_ratio: 1000,
            compliance: 1000,
            drift_stability: 1000,
            trace_completeness: 1000,
            coherence_compatibility: 750,
          },
          computed_at,
          chain_length,
          tree_size,
          root,
          assurance: {
            level: 2,
            observed_share: 0.3333,
            relayed_share: 0.3333,
            days: 8,
            span_days: 8,
            effective_checkpoints: 60,
            limits: ['SHORT_HISTORY', 'LOW_NOVELTY', 'UNTRACED', 'UNWITNESSED'],
          },
          assured_score: 849,
        },
        basis: {
          checkpoints: { scored: SCORED, clear: SCORED, excluded: 0 },
          sessions: { total: 5, unstable: 0 },
          traces_verified: 80,
          peers: { count: 0, pair_score_e4_sum: 0 },
          adjustment_e4: 0,
          assurance: { claimed: true, decisions_allowed: 40, outcomes_known: 31, witnessed: false },
        },
      }
      change(header)
      return { ...header, tree_head: made.tree_head }
    },
  })
}

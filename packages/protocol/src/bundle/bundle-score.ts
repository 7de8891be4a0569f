import {
  type AssuranceCounts,
  type AssuranceInput,
  assess,
  assuredScore,
} from '../score/assurance.ts'
import { COMPONENTS, type ComponentScores, componentScores } from '../score/component-scores.ts'
import { rate } from '../score/score.ts'
import type { ScoreInput } from '../score/score-input.ts'
import { conservativeScore } from '../score/uncertainty.ts'
import {
  type BundleAssurance,
  type BundleHeader,
  type BundleHeader2,
  toBundleAssurance,
} from './bundle.ts'

export type BundleScore = {
  score: number | null
  grade: string
  tier: string
  confidence: string
  checkpointCount: number
  components: ComponentScores | null
  /** Null in methodology 1. */
  assurance: BundleAssurance | null
  assuredScore: number | null
}

/** The figures that the lines of a bundle give. */
export type Counted = {
  input: Omit<ScoreInput, 'tracesVerified'>
  /** Undefined in methodology 1. */
  assurance: AssuranceCounts | undefined
}

/** As the bundle states it. */
export function publishedScore(header: BundleHeader): BundleScore {
  const { score, grade, tier, confidence, components } = header.published
  return {
    score,
    grade,
    tier,
    confidence,
    checkpointCount: header.published.checkpoint_count,
    components,
    assurance: isOf2(header) ? header.published.assurance : null,
    assuredScore: isOf2(header) ? header.published.assured_score : null,
  }
}

/**
 * As it follows from the lines and from what the service asserts in the header. Throws a RangeError
 * for impossible counts.
 */
export function recomputedScore(header: BundleHeader, counted: Counted): BundleScore {
  const input = inputOf(header, counted)
  const { isEligible, score, grade, tier, confidence, checkpointCount } = rate(input)
  const components = isEligible ? componentScores(input) : null
  const assurance = reassess(header, counted.assurance)
  return {
    score,
    grade,
    tier,
    confidence,
    checkpointCount,
    components,
    assurance,
    assuredScore:
      components === null || assurance === null
        ? null
        : assuredScore(conservativeScore(input, components), assurance.level),
  }
}

function inputOf({ basis }: BundleHeader, { input }: Counted): ScoreInput {
  const tracesVerified = 'traces_stored' in basis ? basis.traces_stored : basis.traces_verified
  return { ...input, tracesVerified }
}

export function isOf2(header: BundleHeader): header is BundleHeader2 {
  return 'methodology' in header
}

/** The counts follow from the lines; the rest is asserted by the service. */
function reassess(
  header: BundleHeader,
  counts: AssuranceCounts | undefined,
): BundleAssurance | null {
  if (counts === undefined || !isOf2(header)) return null
  const { claimed, decisions_allowed, outcomes_known, witnessed } = header.basis.assurance
  const input: AssuranceInput = {
    ...counts,
    claimed,
    decisionsAllowed: decisions_allowed,
    outcomesKnown: outcomes_known,
    witnessed,
  }
  return toBundleAssurance(assess(input))
}

/** The figures that can be counted from the bundle's lines. */
export function basisFaults({ basis }: BundleHeader, { input }: Counted): string[] {
  const { checkpoints, sessions, peers } = input
  const across = basis.peers.across_orgs
  const figures: [string, number, number][] = [
    ['checkpoints/scored', basis.checkpoints.scored, checkpoints.scored],
    ['checkpoints/clear', basis.checkpoints.clear, checkpoints.clear],
    ['checkpoints/excluded', basis.checkpoints.excluded, checkpoints.excluded],
    ['sessions/total', basis.sessions.total, sessions.total],
    ['sessions/unstable', basis.sessions.unstable, sessions.unstable],
    ['peers/count', basis.peers.count, peers.count],
    ['peers/pair_score_e4_sum', basis.peers.pair_score_e4_sum, peers.pairScoreE4Sum],
    ['peers/across_orgs/count', across?.count ?? 0, peers.acrossOrgs?.count ?? 0],
    [
      'peers/across_orgs/pair_score_e4_sum',
      across?.pair_score_e4_sum ?? 0,
      peers.acrossOrgs?.pairScoreE4Sum ?? 0,
    ],
    ['adjustment_e4', basis.adjustment_e4, input.adjustmentE4],
  ]
  return figures.flatMap(([name, stated, counted]) =>
    stated === counted ? [] : [`basis/${name} is ${stated}, but the lines give ${counted}`],
  )
}

/** The names of the figures that differ. */
const ASSURANCE_FIELDS = [
  'level',
  'observed_share',
  'relayed_share',
  'days',
  'span_days',
  'effective_checkpoints',
  'limits',
] as const

export function differences(published: BundleScore, recomputed: BundleScore | null): string[] {
  if (recomputed === null) return []
  const same: [string, boolean][] = [
    ['score', published.score === recomputed.score],
    ['grade', published.grade === recomputed.grade],
    ['tier', published.tier === recomputed.tier],
    ['confidence', published.confidence === recomputed.confidence],
    ['checkpoint_count', published.checkpointCount === recomputed.checkpointCount],
    ['assured_score', published.assuredScore === recomputed.assuredScore],
  ]
  return [
    ...same.flatMap(([name, holds]) => (holds ? [] : name)),
    ...COMPONENTS.map(({ key }) => key)
      .filter((key) => published.components?.[key] !== recomputed.components?.[key])
      .map((key) => `components/${key}`),
    ...ASSURANCE_FIELDS.filter(
      (field) => String(published.assurance?.[field]) !== String(recomputed.assurance?.[field]),
    ).map((field) => `assurance/${field}`),
  ]
}

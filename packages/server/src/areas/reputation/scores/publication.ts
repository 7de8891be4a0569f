import {
  type Assurance,
  type AssuranceInput,
  type AssuranceLevel,
  assess,
  assuredScore,
  COMPONENTS,
  type ComponentKey,
  type Confidence,
  componentScores,
  conservativeScore,
  type Grade,
  type NOT_RATED,
  type RatedComponent,
  rate,
  type ScoreInput,
  type Tier,
  trend30d,
  type UnratedComponent,
  weekStart,
} from '@touchstone/protocol/score'

/** The inputs of a score, except for the violations, which can be read from the checkpoints. */
export type ScoreBasis = Omit<ScoreInput, 'nowMs' | 'violations'> & {
  /** Absent in scores of methodology 1. */
  assurance?: AssuranceInput
}

/** The end of the evidence that a score was computed from. */
export type EvidenceEnd = {
  chainLength: number
  treeSize: number
  root: string
  /** Sessions whose traces had drifted by then. */
  driftedSessionIds: readonly string[]
}

export type PublishedScore = EvidenceEnd & {
  agentId: string
  score: number | null
  grade: Grade | typeof NOT_RATED.grade
  tier: Tier | typeof NOT_RATED.tier
  confidence: Confidence
  checkpointCount: number
  trend30d: number
  components: readonly (RatedComponent | UnratedComponent)[]
  /** Null for scores of methodology 1, which had no assurance. */
  assurance: Assurance | null
  /** Null while the agent is unrated. */
  assuredScore: number | null
  basis: ScoreBasis
  computedAt: Date
}

/** The part of a computed score that is published on the chain. */
export type Computation = Pick<
  PublishedScore,
  'agentId' | 'confidence' | 'checkpointCount' | 'components' | 'root' | 'computedAt'
> & {
  score: number
  grade: Grade
  assurance: AssuranceLevel | null
  assuredScore: number | null
}

/** The previous score. */
export type Before = {
  score: number | null
  grade: string
  /** The score of 30 days ago, if there was one. */
  monthAgo: { atMs: number; score: number } | undefined
}

export function publish(
  given: { agentId: string; input: ScoreInput; assured: AssuranceInput; end: EvidenceEnd },
  before: Before,
): PublishedScore {
  const { agentId, input, assured, end } = given
  const { nowMs, violations: _, ...basis } = input
  const rated = rate(input)
  const assurance = assess(assured)
  const conservative = rated.isEligible ? conservativeScore(input, componentScores(input)) : null
  const log = before.monthAgo === undefined ? [] : [before.monthAgo]
  return {
    agentId,
    score: rated.score,
    grade: rated.grade,
    tier: rated.tier,
    confidence: rated.confidence,
    checkpointCount: rated.checkpointCount,
    components: rated.components,
    trend30d: rated.score === null ? 0 : trend30d(rated.score, { log, nowMs }),
    assurance,
    assuredScore: assuredScore(conservative, assurance.level),
    basis: { ...basis, assurance: assured },
    ...end,
    computedAt: new Date(nowMs),
  }
}

/** Changes up to this size emit no event (spec: interface, Limits). */
const CHANGE_MIN = 10

/** A change of grade, and so a first publication, always counts as a change of score too. */
export function changeOf(before: Pick<Before, 'score' | 'grade'>, after: PublishedScore) {
  const gradeChanged = before.grade !== after.grade
  const moved =
    before.score !== null &&
    after.score !== null &&
    Math.abs(after.score - before.score) > CHANGE_MIN
  return { gradeChanged, scoreChanged: gradeChanged || moved }
}

export function componentNumbers(
  components: PublishedScore['components'],
): Record<ComponentKey, number | null> {
  const numbers = COMPONENTS.map(({ key }) => {
    return [key, components.find((one) => one.key === key)?.score ?? null] as const
  })
  // The cast is safe, because there is an entry for every component.
  return Object.fromEntries(numbers) as Record<ComponentKey, number | null>
}

export type Snapshot = {
  weekStart: string
  score: number
  grade: string
  checkpointCount: number
  components: Record<ComponentKey, number | null>
  /** Null in weeks before there was assurance. */
  assurance: AssuranceLevel | null
  assuredScore: number | null
}

/** The history entry of the current week; undefined for an agent that is not eligible. */
export function snapshotOf(published: PublishedScore): Snapshot | undefined {
  const { score, grade, checkpointCount, components, assurance, computedAt } = published
  if (score === null) return undefined
  return {
    weekStart: weekStart(computedAt.getTime()),
    score,
    grade,
    checkpointCount,
    components: componentNumbers(components),
    assurance: assurance?.level ?? null,
    assuredScore: published.assuredScore,
  }
}

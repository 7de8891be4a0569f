import {
  COMPONENTS,
  type ComponentKey,
  type Confidence,
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
export type ScoreBasis = Omit<ScoreInput, 'nowMs' | 'violations'>

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
  basis: ScoreBasis
  computedAt: Date
}

/** The part of a computed score that is published on the chain. */
export type Computation = Pick<
  PublishedScore,
  'agentId' | 'confidence' | 'checkpointCount' | 'components' | 'root' | 'computedAt'
> & { score: number; grade: Grade }

/** The previous score. */
export type Before = {
  score: number | null
  grade: string
  /** The score of 30 days ago, if there was one. */
  monthAgo: { atMs: number; score: number } | undefined
}

export function publish(
  given: { agentId: string; input: ScoreInput; end: EvidenceEnd },
  before: Before,
): PublishedScore {
  const { agentId, input, end } = given
  const { nowMs, violations: _, ...basis } = input
  const rated = rate(input)
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
    basis,
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
  return Object.fromEntries(numbers) as Record<ComponentKey, number | null>
}

export type Snapshot = {
  weekStart: string
  score: number
  grade: string
  checkpointCount: number
  components: Record<ComponentKey, number | null>
}

/** The history entry of the current week; undefined for an agent that is not eligible. */
export function snapshotOf(published: PublishedScore): Snapshot | undefined {
  const { score, grade, checkpointCount, components, computedAt } = published
  if (score === null) return undefined
  return {
    weekStart: weekStart(computedAt.getTime()),
    score,
    grade,
    checkpointCount,
    components: componentNumbers(components),
  }
}

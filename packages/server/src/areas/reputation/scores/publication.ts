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

/** What a score was computed from, but for the violations, which the checkpoints themselves tell. */
export type ScoreBasis = Omit<ScoreInput, 'nowMs' | 'violations'>

/** Where the evidence ended that a score speaks of. */
export type EvidenceEnd = {
  chainLength: number
  treeSize: number
  root: string
  /** The sessions whose traces had drifted by then. */
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

/** A computation that gave a score, as far as it is published on the chain. */
export type Computation = Pick<
  PublishedScore,
  'agentId' | 'confidence' | 'checkpointCount' | 'components' | 'root' | 'computedAt'
> & { score: number; grade: Grade }

/** What stood before, as far as it matters now. */
export type Before = {
  score: number | null
  grade: string
  /** The score that stood 30 days ago, if there was one. */
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

/** A smaller change is noise (interface, Limits). */
const CHANGE_MIN = 10

/** Every change of grade is told as a change of score, too; so is a first publication. */
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

/** The entry of the running week; nothing for an agent that is not eligible. */
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

import { type Grade, trend30d } from '@touchstone/protocol/score'
import {
  type AssessmentGroup,
  type MemberStanding,
  memberScoreHash,
  ROSTER_CHANGE_DAYS_END,
  rateTeam,
  type TeamComponentKey,
  type TeamReputation,
  teamProofHash,
} from '@touchstone/protocol/teams'

const DAY_MS = 24 * 60 * 60 * 1000

/** A member as it stood; of an erased one only its score and hash are left. */
export type StoredStanding = { score: number | null; hash: string } & (
  | { agentId: string; merkleRoot: string | null }
  | { agentId: null; merkleRoot: null }
)

export type RosterChange = { changeId: string; createdAt: Date }

/** Everything a team's score is computed from. */
export type TeamInputs = {
  teamId: string
  assessments: readonly AssessmentGroup[]
  /** Hex, of the latest counted assessment; null without any. */
  chainHead: string | null
  members: readonly StoredStanding[]
  /** Oldest first; only those of the last 90 days count. */
  rosterChanges: readonly RosterChange[]
  computedAt: Date
}

export type ComputedTeam = {
  reputation: TeamReputation
  /** Null while the team is not eligible. */
  proofHash: string | null
}

/** The same inputs always give the same answer, so a proof is checked by computing anew. */
export function computeTeam(inputs: TeamInputs): ComputedTeam {
  const { computedAt, chainHead, members } = inputs
  const recent = inputs.rosterChanges.filter(
    ({ createdAt }) => daysBetween(createdAt, computedAt) < ROSTER_CHANGE_DAYS_END,
  )
  const reputation = rateTeam({
    assessments: inputs.assessments,
    memberScores: members.map(({ score }) => score),
    rosterChangeDays: recent.map(({ createdAt }) => daysBetween(createdAt, computedAt)),
  })
  if (!reputation.isEligible || chainHead === null) return { reputation, proofHash: null }
  const proofHash = teamProofHash({
    teamId: inputs.teamId,
    score: reputation.score,
    grade: reputation.grade,
    components: componentNumbers(reputation.components),
    chainHead,
    memberScoreHashes: members.map(({ hash }) => hash),
    rosterChangeIds: recent.map(({ changeId }) => changeId),
    computedAt: computedAt.toISOString(),
  })
  return { reputation, proofHash }
}

/** Whole days; nothing is older than when it is looked at from before. */
function daysBetween(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / DAY_MS))
}

export function standingOf(member: MemberStanding): StoredStanding {
  return { ...member, hash: memberScoreHash(member) }
}

/** Of what is known of the members, whether each hash is that of its member. */
export function hashesHold(members: readonly StoredStanding[]): boolean {
  return members.every(
    (member) => member.agentId === null || member.hash === memberScoreHash(member),
  )
}

export function componentNumbers(
  components: TeamReputation['components'],
): Record<TeamComponentKey, number> {
  const entries = components.map(({ key, score }) => [key, score] as const)
  return Object.fromEntries(entries) as Record<TeamComponentKey, number>
}

/** What stood before, as far as it matters now. */
export type Before = {
  score: number | null
  grade: Grade | 'NR'
  /** The score that stood 30 days ago, if there was one. */
  monthAgo: { atMs: number; score: number } | undefined
}

export function trendOf(score: number | null, { monthAgo }: Before, now: Date): number {
  if (score === null) return 0
  const log = monthAgo === undefined ? [] : [monthAgo]
  return trend30d(score, { log, nowMs: now.getTime() })
}

/** A smaller change is noise (interface, Limits). */
const CHANGE_MIN = 10

/** Every change of grade is told as a change of score, too; so is a first publication. */
export function changeOf(
  before: Pick<Before, 'score' | 'grade'>,
  after: Pick<Before, 'score' | 'grade'>,
) {
  const gradeChanged = before.grade !== after.grade
  const moved =
    before.score !== null &&
    after.score !== null &&
    Math.abs(after.score - before.score) > CHANGE_MIN
  return { gradeChanged, scoreChanged: gradeChanged || moved }
}

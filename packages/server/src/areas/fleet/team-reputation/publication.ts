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

/** A member's score at the time of a computation; for an erased member only score and hash are kept. */
export type StoredStanding = { score: number | null; hash: string } & (
  | { agentId: string; merkleRoot: string | null }
  | { agentId: null; merkleRoot: null }
)

export type RosterChange = { changeId: string; createdAt: Date }

/** All inputs of a team score. */
export type TeamInputs = {
  teamId: string
  assessments: readonly AssessmentGroup[]
  /** Hex chain hash of the latest counted assessment; null without any. */
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

/** Deterministic, so that a proof can be verified by recomputing it. */
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

/** Whole days; 0 if `from` is after `to`. */
function daysBetween(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / DAY_MS))
}

export function standingOf(member: MemberStanding): StoredStanding {
  return { ...member, hash: memberScoreHash(member) }
}

/** True if the hash of every member that is not erased matches its score. */
export function hashesMatch(members: readonly StoredStanding[]): boolean {
  return members.every(
    (member) => member.agentId === null || member.hash === memberScoreHash(member),
  )
}

export function componentNumbers(
  components: TeamReputation['components'],
): Record<TeamComponentKey, number> {
  const entries = components.map(({ key, score }) => [key, score] as const)
  // The cast is safe, because an eligible team has every component.
  return Object.fromEntries(entries) as Record<TeamComponentKey, number>
}

/** The previous score. */
export type Before = {
  score: number | null
  grade: Grade | 'NR'
  /** The score of 30 days ago, if there was one. */
  monthAgo: { atMs: number; score: number } | undefined
}

export function trendOf(score: number | null, { monthAgo }: Before, now: Date): number {
  if (score === null) return 0
  const log = monthAgo === undefined ? [] : [monthAgo]
  return trend30d(score, { log, nowMs: now.getTime() })
}

/** Changes up to this size emit no event (spec: interface, Limits). */
const CHANGE_MIN = 10

/** A change of grade, and so a first publication, always counts as a change of score too. */
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

import { round } from '../base/rounding.ts'
import { decay, divide, MICRO } from '../risk/fixed-point.ts'
import type { RiskLevel } from '../risk/individual-risk.ts'
import { aggregateRisk } from '../risk/team-game.ts'
import { type Grade, NOT_RATED, standingOf, type Tier } from '../score/grade.ts'
import type { Confidence } from '../score/score.ts'

/** The weights are percentages and add up to a hundred. */
export const TEAM_COMPONENTS = [
  { key: 'coherence_history', label: 'Coherence History', percent: 35 },
  { key: 'member_quality', label: 'Member Quality', percent: 25 },
  { key: 'operational_record', label: 'Operational Record', percent: 20 },
  { key: 'structural_stability', label: 'Structural Stability', percent: 10 },
  { key: 'assessment_density', label: 'Assessment Density', percent: 10 },
] as const

export type TeamComponentKey = (typeof TEAM_COMPONENTS)[number]['key']

/** Integers from 0 to 1000. */
export type TeamComponentScores = Record<TeamComponentKey, number>

/** A team with fewer assessments is not rated. */
export const TEAM_ASSESSMENTS_MIN = 10

/** Roster changes at least this many whole days old do not count. */
export const ROSTER_CHANGE_DAYS_END = 90

/** Beyond this many whole days, an assessment fades no further. */
export const FADING_DAYS_END = 600

/** Counted assessments of the same age, at most one group per day. */
export type AssessmentGroup = {
  days: number
  count: number
  /** How many of them had low or medium risk. */
  good: number
  /** Sums over the stored assessments; in micro units. */
  coherence: number
  structuralRisk: number
}

/** Levels that count in a team's favour. */
export const GOOD_LEVELS: readonly RiskLevel[] = ['low', 'medium']

export type TeamReputationInput = {
  assessments: readonly AssessmentGroup[]
  /** The scores of the current members; null for an unrated one. */
  memberScores: readonly (number | null)[]
  /** The ages, in whole days, of the roster changes since the team's creation. */
  rosterChangeDays: readonly number[]
}

export type TeamComponent = {
  key: TeamComponentKey
  label: string
  weight: number
  score: number
  weightedScore: number
  factors: readonly string[]
}

export type TeamReputation = {
  totalAssessments: number
  confidence: Confidence
  components: readonly TeamComponent[]
} & (
  | { isEligible: true; score: number; grade: Grade; tier: Tier }
  | ({ isEligible: false; score: null } & typeof NOT_RATED)
)

/** Computes the reputation of a team; the same stored inputs always give the same result. */
export function rateTeam(input: TeamReputationInput): TeamReputation {
  const totalAssessments = countOf(input.assessments)
  const confidence = teamConfidence(totalAssessments)
  if (!isTeamEligible(totalAssessments)) {
    const unrated = { isEligible: false, score: null, ...NOT_RATED } as const
    return { ...unrated, totalAssessments, confidence, components: [] }
  }
  const scores = teamComponentScores(input)
  const score = teamScore(scores)
  const components = componentsOf(input, scores)
  return {
    isEligible: true,
    score,
    ...standingOf(score),
    totalAssessments,
    confidence,
    components,
  }
}

export function isTeamEligible(assessments: number): boolean {
  return assessments >= TEAM_ASSESSMENTS_MIN
}

export function teamConfidence(assessments: number): Confidence {
  if (!isTeamEligible(assessments)) return 'insufficient'
  if (assessments < 30) return 'low'
  return assessments < 100 ? 'medium' : 'high'
}

export function teamScore(scores: TeamComponentScores): number {
  const sum = TEAM_COMPONENTS.reduce((sum, { key, percent }) => sum + percent * scores[key], 0)
  return Math.floor((sum + 50) / 100)
}

/** Requires at least one assessment and one member. */
export function teamComponentScores(input: TeamReputationInput): TeamComponentScores {
  const { assessments } = input
  return {
    coherence_history: coherenceHistory(assessments),
    member_quality: memberQuality(knownScores(input)),
    operational_record: divide(1000 * goodOf(assessments), countOf(assessments)),
    structural_stability: structuralStability(input),
    assessment_density: assessmentDensity(assessments),
  }
}

function countOf(groups: readonly AssessmentGroup[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0)
}

function goodOf(groups: readonly AssessmentGroup[]): number {
  return groups.reduce((sum, { good }) => sum + good, 0)
}

function latestOf(groups: readonly AssessmentGroup[]): number {
  return Math.min(...groups.map(({ days }) => days))
}

/** Old assessments fade but never vanish completely. */
function fadedWeight(days: number): number {
  return Math.max(1, decay(days))
}

type Weighted = { sum: bigint; weight: bigint }

/** Weights by age, in bigint because the products of a busy team may exceed 2^53. */
function weighByAge(
  groups: readonly AssessmentGroup[],
  sumOf: (group: AssessmentGroup) => number,
): Weighted {
  const all = { sum: 0n, weight: 0n }
  for (const group of groups) {
    const weight = BigInt(fadedWeight(group.days))
    all.sum += BigInt(sumOf(group)) * weight
    all.weight += BigInt(group.count) * weight
  }
  return all
}

function coherenceHistory(assessments: readonly AssessmentGroup[]): number {
  const { sum, weight } = weighByAge(assessments, ({ coherence }) => coherence)
  return clamp(Number((sum + 500n * weight) / (1000n * weight)))
}

function memberQuality(scores: readonly number[]): number {
  const risk = aggregateRisk(scores.map((score) => (1000 - score) * 10))
  return clamp(Math.floor((MICRO - risk + 500) / 1000))
}

/** Rounded once, over the common denominator of the weights and of the 90 days. */
function structuralStability({ assessments, rosterChangeDays }: TeamReputationInput): number {
  const { sum, weight } = weighByAge(assessments, ({ structuralRisk }) => structuralRisk)
  const unsettled = recentChanges(rosterChangeDays).reduce(
    (sum, days) => sum + ROSTER_CHANGE_DAYS_END - days,
    0,
  )
  const unit = 9000n * weight
  // A change made today costs 50 points, that is 5/9 of a point for each remaining day.
  const points = 1000n * unit - 9n * sum - 5000n * weight * BigInt(unsettled)
  return points <= 0n ? 0 : clamp(Number((2n * points + unit) / (2n * unit)))
}

function recentChanges(rosterChangeDays: readonly number[]): number[] {
  return rosterChangeDays.filter((days) => days < ROSTER_CHANGE_DAYS_END)
}

/** A hundred fresh assessments give the full score. */
function assessmentDensity(groups: readonly AssessmentGroup[]): number {
  const weights = groups.reduce((sum, { days, count }) => sum + count * fadedWeight(days), 0)
  const share = Math.min(1, Math.log(1 + weights / MICRO) / Math.log(101))
  return clamp(round(1000 * share * recencyFactor(latestOf(groups))))
}

function recencyFactor(latestDays: number): number {
  if (latestDays <= 7) return 1
  if (latestDays <= 30) return 0.8
  return latestDays <= 90 ? 0.5 : 0.2
}

function clamp(score: number): number {
  return Math.min(1000, Math.max(0, score))
}

/** An unrated member counts as average. */
const UNRATED_MEMBER = 500

function knownScores({ memberScores }: TeamReputationInput): number[] {
  return memberScores.map((score) => score ?? UNRATED_MEMBER)
}

function componentsOf(input: TeamReputationInput, scores: TeamComponentScores): TeamComponent[] {
  const factors = factorsOf(input)
  return TEAM_COMPONENTS.map(({ key, label, percent }) => ({
    key,
    label,
    weight: percent / 100,
    score: scores[key],
    weightedScore: (percent * scores[key]) / 100,
    factors: [factors[key]],
  }))
}

function factorsOf(input: TeamReputationInput): Record<TeamComponentKey, string> {
  const { assessments } = input
  const count = countOf(assessments)
  const members = knownScores(input)
  const changes = recentChanges(input.rosterChangeDays).length
  const latest = latestOf(assessments)
  const good = goodOf(assessments)
  return {
    coherence_history: `Weighted coherence over ${count} assessments`,
    member_quality: `Tail-weighted over ${members.length} members, lowest ${Math.min(...members)}`,
    operational_record: `${good} of ${count} assessments were low or medium risk`,
    structural_stability: `${changes} roster changes in 90 days`,
    assessment_density: `${count} assessments, latest ${latest} days ago`,
  }
}

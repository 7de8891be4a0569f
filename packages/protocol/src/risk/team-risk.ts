import type { AlignmentCard } from '../cards/card.ts'
import { compareCodePoints } from '../score/directory-order.ts'
import { type Divergences, valueDivergences } from './divergence.ts'
import { E4, fourDecimals, MICRO, toE4 } from './fixed-point.ts'
import {
  type ActionType,
  DENIED_E4_MIN,
  individualRisk,
  REPUTATION_FLOOR,
  type RiskLevel,
  type RiskSubject,
  type RiskThresholds,
  type RiskTolerance,
  riskLevel,
} from './individual-risk.ts'
import { missionE4, type PairSubject, pairE4, pairParts } from './member-pair.ts'
import { breakerSentence } from './risk-explanation.ts'
import {
  publishedAttribution,
  publishedValues,
  type ShapleyMethod,
  shapleyValues,
} from './shapley.ts'
import {
  type AssessedMember,
  concentrationE4,
  type MemberPair,
  meanRiskE4,
  type TeamCluster,
  type TeamOutlier,
  teamClusters,
  teamOutliers,
} from './team-findings.ts'
import {
  type CoordinationMode,
  createTeamGame,
  type Pillars,
  reachOf,
  type TeamGame,
} from './team-game.ts'

export const TEAM_RISK_FORMULA = 'team-risk-v1'

export const TEAM_RISK_THRESHOLDS: Readonly<Record<RiskTolerance, RiskThresholds>> = {
  conservative: { low: 1500, medium: 3000, high: 5000 },
  moderate: { low: 2000, medium: 4000, high: 6000 },
  aggressive: { low: 3000, medium: 5000, high: 7000 },
}

/** In reporting order; each of them denies. */
export const TEAM_BREAKERS = [
  'member_contained',
  'member_reputation_floor',
  'boundary_incompatible',
] as const
export type TeamBreaker = (typeof TEAM_BREAKERS)[number]

export type TeamRecommendation = 'approve_team' | 'review' | 'approve_individuals_only' | 'deny'
export type SynergyType = 'synergistic' | 'neutral' | 'anti-synergistic'

export type TeamMember = RiskSubject & PairSubject & { agentId: string }

export type TeamRiskInput = {
  actionType: ActionType
  riskTolerance: RiskTolerance
  mode: CoordinationMode | null
  /**
   * Two or more, each once, in the order of the request, which determines who precedes and who
   * leads.
   */
  members: readonly TeamMember[]
  /** The active card of the team that the assessment is linked to. */
  teamCard: AlignmentCard | null
}

/** By agent id. */
export type ByAgent = Readonly<Record<string, number>>

/** Divergences among the members with cards. */
export type TeamRisk = Divergences & {
  /** In micro units; the basis of a team's reputation. */
  pillars: Pillars
  /** Before breakers. */
  coherenceE4: number
  /** After breakers. */
  riskE4: number
  portfolioRiskE4: number
  coherenceRiskE4: number
  structuralRiskE4: number
  weakestLinkRiskE4: number
  concentrationRiskE4: number
  level: RiskLevel
  recommendation: TeamRecommendation
  breakers: readonly TeamBreaker[]
  synergy: SynergyType
  shapleyE4: ByAgent
  attributionE4: ByAgent
  shapleyMethod: ShapleyMethod
  outliers: readonly TeamOutlier[]
  clusters: readonly TeamCluster[]
  explanation: string
  /** In order of ids, like the pairs and the mission. */
  members: readonly AssessedMember[]
  pairs: readonly MemberPair[]
  mission: readonly number[] | null
}

/** The risk of letting agents act together. */
export function teamRisk(input: TeamRiskInput): TeamRisk {
  const ordered = input.members.toSorted((a, b) => compareCodePoints(a.agentId, b.agentId))
  const members = ordered.map((member) => assessMember(member, input))
  const pairs = pairsOf(ordered)
  const mission = missionOf(ordered, input.teamCard)
  const game = gameOf(input, { ordered, members, pairs, mission })
  const pillars = game.pillars()
  const coherenceE4 = toE4(pillars.teamCoherence)
  const agentIds = members.map(({ agentId }) => agentId)
  const values = shapleyValues(game, { agentIds, actionType: input.actionType })
  const shapleyE4 = publishedValues(values, coherenceE4)
  const attributionE4 = publishedAttribution(values, coherenceE4)
  const facts = { actionType: input.actionType, members, pairs, game, shapleyE4 }
  const breakers = breakersOf(ordered, pairs)
  const verdict = judge(input, { coherenceE4, breakers, members })
  const risks = {
    portfolioRiskE4: toE4(pillars.aggregateRisk),
    coherenceRiskE4: toE4(MICRO - pillars.coherence),
    structuralRiskE4: toE4(pillars.structuralRisk),
  }
  const { method, permutations, stdErrorMicro } = values
  return {
    pillars,
    coherenceE4,
    ...verdict,
    ...risks,
    weakestLinkRiskE4: Math.max(...members.map(({ risk }) => risk.scoreE4)),
    concentrationRiskE4: concentrationE4(attributionE4),
    breakers,
    synergy: synergyOf(members, coherenceE4),
    shapleyE4: byAgent(agentIds, shapleyE4),
    attributionE4: byAgent(agentIds, attributionE4),
    shapleyMethod: { method, permutations, stdErrorMicro },
    outliers: teamOutliers(facts),
    clusters: teamClusters(facts),
    ...divergencesOf(ordered),
    explanation: explain(input, { ...verdict, ...risks, members, breakers }),
    members,
    pairs,
    mission,
  }
}

function assessMember(
  member: TeamMember,
  { actionType, riskTolerance }: TeamRiskInput,
): AssessedMember {
  const alone = { amountMinor: null, maxAutonomousMinor: null, counterparty: null }
  const risk = individualRisk({ ...member, ...alone, actionType, riskTolerance })
  return { agentId: member.agentId, risk }
}

function pairsOf(ordered: readonly TeamMember[]): MemberPair[] {
  return ordered.flatMap((a, i) =>
    ordered.slice(i + 1).map((b, offset) => ({ i, j: i + 1 + offset, parts: pairParts(a, b) })),
  )
}

function missionOf(
  ordered: readonly TeamMember[],
  teamCard: AlignmentCard | null,
): number[] | null {
  return teamCard === null ? null : ordered.map(({ card }) => missionE4(card, teamCard))
}

/** An unrated member counts as average. */
const REPUTATION_DEFAULT = 500

type GameParts = Pick<TeamRisk, 'members' | 'pairs' | 'mission'> & {
  ordered: readonly TeamMember[]
}

function gameOf(input: TeamRiskInput, { ordered, members, pairs, mission }: GameParts): TeamGame {
  const size = ordered.length
  const known = new Map(pairs.map(({ i, j, parts }) => [i * size + j, pairE4(parts)]))
  const places = new Map(input.members.map(({ agentId }, place) => [agentId, place]))
  const placeOf = (index: number) => places.get(ordered[index]?.agentId ?? '') ?? 0
  return createTeamGame({
    risks: members.map(({ risk }) => risk.scoreE4),
    reputations: ordered.map(({ reputation }) => reputation ?? REPUTATION_DEFAULT),
    pairE4: (i, j) => known.get(Math.min(i, j) * size + Math.max(i, j)) ?? 0,
    reachPercent: (from, to) => reachOf(input.mode, { from: placeOf(from), to: placeOf(to) }),
    mission,
  })
}

/** Below this boundary overlap, in thousandths, two members may not work together. */
const BOUNDARY_OVERLAP_MIN = 100

function breakersOf(members: readonly TeamMember[], pairs: readonly MemberPair[]): TeamBreaker[] {
  const breaks: Readonly<Record<TeamBreaker, boolean>> = {
    member_contained: members.some(({ contained }) => contained),
    member_reputation_floor: members.some(
      ({ reputation }) => reputation !== null && reputation < REPUTATION_FLOOR,
    ),
    boundary_incompatible: pairs.some(({ parts }) => parts.boundaryOverlap < BOUNDARY_OVERLAP_MIN),
  }
  return TEAM_BREAKERS.filter((breaker) => breaks[breaker])
}

function judge(
  { riskTolerance }: TeamRiskInput,
  { coherenceE4, breakers, members }: Pick<TeamRisk, 'coherenceE4' | 'breakers' | 'members'>,
): Pick<TeamRisk, 'riskE4' | 'level' | 'recommendation'> {
  const ownE4 = E4 - coherenceE4
  if (breakers.length > 0) {
    return { riskE4: Math.max(ownE4, DENIED_E4_MIN), level: 'critical', recommendation: 'deny' }
  }
  const level = riskLevel(ownE4, TEAM_RISK_THRESHOLDS[riskTolerance])
  const anyDenied = members.some(({ risk }) => risk.recommendation === 'deny')
  return { riskE4: ownE4, level, recommendation: recommend(level, anyDenied) }
}

function recommend(level: RiskLevel, anyDenied: boolean): TeamRecommendation {
  if (level === 'critical') return 'deny'
  if (level === 'high') return 'approve_individuals_only'
  return anyDenied ? 'review' : 'approve_team'
}

/** Whether the team's risk is lower than its members' mean risk, by more than 0.05. */
function synergyOf(members: readonly AssessedMember[], coherenceE4: number): SynergyType {
  const gained = meanRiskE4(members) - (E4 - coherenceE4)
  if (gained > 500) return 'synergistic'
  return gained < -500 ? 'anti-synergistic' : 'neutral'
}

function divergencesOf(ordered: readonly TeamMember[]): Divergences {
  return valueDivergences(
    ordered.flatMap(({ agentId, card }) =>
      card === null
        ? []
        : {
            agentId,
            declared: card.values.declared,
            conflictsWith: card.values.conflicts_with ?? [],
          },
    ),
  )
}

/** Without a prototype, because an agent may be called `__proto__`. */
function byAgent(agentIds: readonly string[], numbers: readonly number[]): ByAgent {
  const named: Record<string, number> = Object.create(null)
  for (const [at, agentId] of agentIds.entries()) named[agentId] = numbers[at] ?? 0
  return named
}

type Explained = Pick<TeamRisk, 'riskE4' | 'level' | 'recommendation' | 'members' | 'breakers'> &
  Pick<TeamRisk, 'portfolioRiskE4' | 'coherenceRiskE4' | 'structuralRiskE4'>

function explain({ actionType, mode }: TeamRiskInput, result: Explained): string {
  const { members, level, recommendation } = result
  const highest = members.reduce((a, b) => (b.risk.scoreE4 > a.risk.scoreE4 ? b : a))
  const pillars = [
    `Portfolio ${fourDecimals(result.portfolioRiskE4)}`,
    `coherence ${fourDecimals(result.coherenceRiskE4)}`,
    `structural ${fourDecimals(result.structuralRiskE4)}`,
  ].join(', ')
  return [
    `Team of ${members.length} for ${actionType} (${mode ?? 'no mode'})`,
    ` scored ${fourDecimals(result.riskE4)} (${level}); recommendation: ${recommendation}.`,
    ` ${pillars}.`,
    ` Highest individual risk: ${highest.agentId} at ${fourDecimals(highest.risk.scoreE4)}.`,
    breakerSentence(result.breakers),
  ].join('')
}

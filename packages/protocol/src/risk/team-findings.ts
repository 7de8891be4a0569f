import { COMPONENTS, type ComponentKey } from '../score/component-scores.ts'
import { connectedComponents } from './connected-components.ts'
import { divide, E4, isqrt } from './fixed-point.ts'
import type { ActionType, RiskResult } from './individual-risk.ts'
import type { PairParts } from './member-pair.ts'
import { type RiskFactor, riskFactors } from './risk-explanation.ts'
import type { TeamGame } from './team-game.ts'

export type AssessedMember = { agentId: string; risk: RiskResult }

/** Two members by their index in the order of ids. */
export type MemberPair = { i: number; j: number; parts: PairParts }

/** Pairs with at most this behavioural correlation score tend to fail on the same days. */
const CORRELATED_MAX = 500
/** Members whose components differ by at most this in sum are similar. */
const ALIKE_DISTANCE_MAX = 400

export type TeamOutlier = {
  agentId: string
  riskE4: number
  shapleyE4: number
  systemicE4: number
  primaryRiskFactors: readonly string[]
}

export type TeamCluster = {
  clusterId: string
  agentIds: readonly string[]
  internalRiskE4: number
  sharedRiskFactors: readonly (ComponentKey | 'correlated_violations')[]
}

export type TeamFacts = {
  actionType: ActionType
  /** In order of ids, like everything else here. */
  members: readonly AssessedMember[]
  pairs: readonly MemberPair[]
  game: TeamGame
  shapleyE4: readonly number[]
}

/**
 * Members whose own risk exceeds the mean by more than one standard deviation, if that is at least
 * 0.01.
 */
export function teamOutliers(facts: TeamFacts): TeamOutlier[] {
  const { members, game, shapleyE4, actionType } = facts
  const n = members.length
  const sum = sumOf(members.map(({ risk }) => risk.scoreE4))
  const squares = sumOf(members.map(({ risk }) => risk.scoreE4 ** 2))
  const spread = isqrt(n * squares - sum * sum)
  if (n < 3 || spread < 100 * n) return []
  const outgoing = members.map((_, from) => sumOf(members.map((_, to) => game.damage(from, to))))
  const all = sumOf(outgoing)
  return members.flatMap(({ agentId, risk }, at) => {
    if (n * risk.scoreE4 - sum <= spread) return []
    return {
      agentId,
      riskE4: risk.scoreE4,
      shapleyE4: shapleyE4[at] ?? 0,
      systemicE4: all === 0 ? 0 : divide(E4 * (outgoing[at] ?? 0), all),
      primaryRiskFactors: topTwo(actionType, risk).map(({ label }) => label),
    }
  })
}

/**
 * Members that fail together or are similar, so that a problem of one is likely to affect the
 * others.
 */
export function teamClusters({ actionType, members, pairs }: TeamFacts): TeamCluster[] {
  const correlated = pairs.filter(({ parts }) => parts.behaviouralCorrelation <= CORRELATED_MAX)
  const alike = pairs.filter(({ i, j }) => distance(members[i], members[j]) <= ALIKE_DISTANCE_MAX)
  const edges = [...correlated, ...alike].map(({ i, j }) => [i, j] as const)
  return connectedComponents(members.length, edges)
    .filter((component) => component.length >= 2)
    .map((component, index) => {
      const inside = members.filter((_, at) => component.includes(at))
      const tops = inside.map(({ risk }) => topTwo(actionType, risk))
      const shared = COMPONENTS.map(({ key }) => key).filter((key) =>
        tops.every((top) => top.some(({ component }) => component === key)),
      )
      const failing = correlated.some(({ i }) => component.includes(i))
      return {
        clusterId: `cl-${index + 1}`,
        agentIds: inside.map(({ agentId }) => agentId),
        internalRiskE4: meanRiskE4(inside),
        sharedRiskFactors: [...shared, ...(failing ? (['correlated_violations'] as const) : [])],
      }
    })
}

export function meanRiskE4(members: readonly AssessedMember[]): number {
  return divide(sumOf(members.map(({ risk }) => risk.scoreE4)), members.length)
}

/**
 * How unevenly the risk is distributed, in e4: 0 if all members carry the same, 1.0 if one carries
 * all. Uses bigint, because the products may exceed 2^53.
 */
export function concentrationE4(attributionE4: readonly number[]): number {
  const carried = attributionE4.map((own) => BigInt(Math.max(0, own)))
  const square = carried.reduce((sum, own) => sum + own, 0n) ** 2n
  if (square === 0n) return 0
  const n = BigInt(carried.length)
  const squares = carried.reduce((sum, own) => sum + own * own, 0n)
  const uneven = 20_000n * (n * squares - square) + (n - 1n) * square
  return Number(uneven / (2n * (n - 1n) * square))
}

function topTwo(actionType: ActionType, { components }: RiskResult): RiskFactor[] {
  return riskFactors(actionType, components).slice(0, 2)
}

function distance(a: AssessedMember | undefined, b: AssessedMember | undefined): number {
  if (a === undefined || b === undefined) return Number.POSITIVE_INFINITY
  return sumOf(
    COMPONENTS.map(({ key }) => Math.abs(a.risk.components[key] - b.risk.components[key])),
  )
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, own) => sum + own, 0)
}

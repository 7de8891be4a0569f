import {
  type COORDINATION_MODES,
  committedTeamInputs,
  explainRisk,
  fleetCoherence,
  inputsCommitment,
  type TeamMember,
  type TeamRisk,
  type TeamRiskInput,
} from '@touchstone/protocol'
import { holderOf } from './agent-facts.ts'
import type { ActionType, RiskTolerance } from './assessment.ts'

/** More members than these are drawn, not counted, and even counting them takes its time. */
export const TEAM_MEMBERS_INLINE_MAX = 8

export const TEAM_MEMBERS_MIN = 2
export const TEAM_MEMBERS_MAX = 50

/** 03 §3.1: so many of a team's assessments count on one UTC day. */
export const COUNTED_PER_DAY_MAX = 100

export type CoordinationMode = (typeof COORDINATION_MODES)[number]

/** What the agents are to do together, as the caller said it. */
export type TeamContext = {
  actionType: ActionType
  riskTolerance: RiskTolerance
  coordinationMode: CoordinationMode | null
  teamTask: string | null
}

/** What is kept of the result: pairs and mission stand with the inputs. */
export type TeamResult = Omit<TeamRisk, 'pairs' | 'mission'> & {
  /** Of the members' own assessments, in their order. */
  memberExplanations: readonly string[]
}

export type TeamAssessment = {
  assessmentId: string
  orgId: string
  /** The team it is linked to. */
  teamId: string | null
  /** In the order of the request. */
  agentIds: readonly string[]
  createdAt: Date
  context: TeamContext
  result: TeamResult
  inputs: object
  inputsCommitment: string
}

export type TeamAssessing = {
  orgId: string
  teamId: string | null
  context: TeamContext
  input: TeamRiskInput
  risk: TeamRisk
  /** By agent, `sha256:` and hex; those without checkpoints are left out. */
  merkleRoots: ReadonlyMap<string, string>
  assessmentId: string
  now: Date
  salt: string
}

export function teamAssessment(given: TeamAssessing): TeamAssessment {
  const { input, assessmentId, now, salt, orgId, teamId, context } = given
  const { pairs, mission, ...kept } = given.risk
  const { merkleRoots } = given
  const parts = { assessmentId, asOf: now.toISOString(), merkleRoots, salt }
  const inputs = committedTeamInputs(input, { pairs, mission }, parts)
  return {
    ...{ assessmentId, orgId, teamId, context, createdAt: now, inputs },
    agentIds: input.members.map(({ agentId }) => agentId),
    result: { ...kept, memberExplanations: explanationsOf(input, kept.members) },
    inputsCommitment: inputsCommitment(inputs),
  }
}

/** Each as if it had been assessed alone, without amount or counterparty. */
function explanationsOf(input: TeamRiskInput, members: TeamRisk['members']): string[] {
  const { actionType, riskTolerance } = input
  const alone = { amountMinor: null, maxAutonomousMinor: null, counterparty: null }
  const subjects = new Map(input.members.map((member) => [member.agentId, member]))
  return members.map(({ agentId, risk }) => {
    const subject = subjects.get(agentId)
    if (subject === undefined) throw new Error(`${agentId} is no member`)
    return explainRisk({ ...subject, ...alone, actionType, riskTolerance }, risk)
  })
}

/** How well two agents go together; the smaller id first. */
export type PairScore = { agentA: string; agentB: string; scoreE4: number }

/** Of the members with cards. */
export function pairScoresOf(members: readonly TeamMember[]): PairScore[] {
  const holders = members.flatMap(({ agentId, card }) =>
    card === null ? [] : holderOf(agentId, card),
  )
  if (holders.length < 2) return []
  return fleetCoherence(holders).pairs.map(({ agentA, agentB, scoreE4 }) => {
    return { agentA, agentB, scoreE4 }
  })
}

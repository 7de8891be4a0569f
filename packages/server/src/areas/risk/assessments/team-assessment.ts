import type { COORDINATION_MODES, TeamReport } from '@touchstone/protocol/risk'
import type { ActionType, RiskTolerance } from './assessment.ts'

/** More members than these are drawn, not counted, and even counting them takes its time. */
export const TEAM_MEMBERS_INLINE_MAX = 8

export const TEAM_MEMBERS_MIN = 2
export const TEAM_MEMBERS_MAX = 50

export type CoordinationMode = (typeof COORDINATION_MODES)[number]

/** What the agents are to do together, as the caller said it. */
export type TeamContext = {
  actionType: ActionType
  riskTolerance: RiskTolerance
  coordinationMode: CoordinationMode | null
  teamTask: string | null
}

/** What is kept of the result. */
export type TeamResult = TeamReport['risk'] & Pick<TeamReport, 'memberExplanations'>

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
  /** What is committed to, as JSON. */
  inputsJson: string
  inputsCommitment: string
}

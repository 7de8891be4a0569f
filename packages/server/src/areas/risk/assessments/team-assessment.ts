import type { COORDINATION_MODES, TeamReport } from '@touchstone/protocol/risk'
import type { ActionType, RiskTolerance } from './assessment.ts'

/** Larger teams are computed on a worker thread: they take long, and their shares are sampled. */
export const TEAM_MEMBERS_INLINE_MAX = 8

export const TEAM_MEMBERS_MIN = 2
export const TEAM_MEMBERS_MAX = 50

export type CoordinationMode = (typeof COORDINATION_MODES)[number]

/** The intended joint action, as stated by the caller. */
export type TeamContext = {
  actionType: ActionType
  riskTolerance: RiskTolerance
  coordinationMode: CoordinationMode | null
  teamTask: string | null
}

/** The stored part of the report. */
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
  /** The committed document as JSON. */
  inputsJson: string
  inputsCommitment: string
}

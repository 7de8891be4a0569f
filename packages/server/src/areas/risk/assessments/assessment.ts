import {
  type ACTION_TYPES,
  type Counterparty,
  committedRiskInputs,
  explainRisk,
  individualRisk,
  inputsCommitment,
  type RISK_TOLERANCES,
  type RiskInput,
  type RiskResult,
} from '@touchstone/protocol/risk'
import { type AgentFacts, cardInForce, subjectOf } from './agent-facts.ts'
import { limitMinor } from './amount.ts'

export type ActionType = (typeof ACTION_TYPES)[number]
export type RiskTolerance = (typeof RISK_TOLERANCES)[number]

/** The intended action, as stated by the caller. */
export type RiskContext = {
  actionType: ActionType
  riskTolerance: RiskTolerance
  amount: number | null
  counterpartyId: string | null
  useCase: string | null
}

export type Assessment = {
  assessmentId: string
  orgId: string
  agentId: string
  /** Set only if the assessment used facts about that agent. */
  counterpartyId: string | null
  createdAt: Date
  context: RiskContext
  result: RiskResult
  explanation: string
  /** The committed document; shown only if the organisation owns every agent in it. */
  inputs: object
  inputsCommitment: string
}

export type AssessmentInput = {
  orgId: string
  agent: AgentFacts
  context: RiskContext
  amountMinor: number | null
  counterparty: Counterparty | null
  /** The agent whose facts `counterparty` contains. */
  counterpartyId: string | null
  assessmentId: string
  /** When the facts were read. */
  now: Date
  salt: string
}

export function assess(given: AssessmentInput): Assessment {
  const { agent, context, assessmentId, now, orgId } = given
  const input: RiskInput = {
    ...subjectOf(agent, now),
    actionType: context.actionType,
    riskTolerance: context.riskTolerance,
    amountMinor: given.amountMinor,
    maxAutonomousMinor: limitOf(agent, now),
    counterparty: given.counterparty,
  }
  const result = individualRisk(input)
  const { agentId, merkleRoot } = agent
  const inputs = committedRiskInputs(input, {
    assessmentId,
    agentId,
    asOf: now.toISOString(),
    salt: given.salt,
    merkleRoot: merkleRoot === null ? null : `sha256:${merkleRoot}`,
  })
  return {
    assessmentId,
    orgId,
    agentId,
    counterpartyId: given.counterpartyId,
    createdAt: now,
    context,
    result,
    explanation: explainRisk(input, result),
    inputs,
    inputsCommitment: inputsCommitment(inputs),
  }
}

function limitOf(agent: AgentFacts, now: Date): number | null {
  const limit = cardInForce(agent.card, now)?.autonomy_envelope.max_autonomous_value
  return limit === undefined ? null : limitMinor(limit.amount)
}

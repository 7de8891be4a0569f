import { compareCodePoints } from '../score/directory-order.ts'
import { countPair, judgePair, valueSets } from './coherence.ts'
import {
  committedTeamInputs,
  inputsCommitment,
  type TeamCommitmentParts,
} from './risk-commitment.ts'
import { explainRisk } from './risk-explanation.ts'
import { type TeamRisk, type TeamRiskInput, teamRisk } from './team-risk.ts'

/** The coherence of two members, by what they declare and oppose; the smaller id first. */
export type PairScore = { agentA: string; agentB: string; scoreE4: number }

export type TeamReport = {
  /** Without pairs and mission, which are in the inputs. */
  risk: Omit<TeamRisk, 'pairs' | 'mission'>
  /** The explanation of each member alone, in the order of the members. */
  memberExplanations: readonly string[]
  /** The committed document, as JSON. */
  inputsJson: string
  inputsCommitment: string
  /** For members with cards. */
  pairScores: readonly PairScore[]
}

/**
 * Computes everything that follows from the inputs of a team assessment in one step that can run on
 * a worker thread: for a large team this is expensive, and only text and numbers are returned.
 */
export function reportTeam(given: {
  input: TeamRiskInput
  parts: TeamCommitmentParts
}): TeamReport {
  const { pairs, mission, ...risk } = teamRisk(given.input)
  const inputs = committedTeamInputs(given.input, { pairs, mission }, given.parts)
  return {
    risk,
    memberExplanations: explanationsOf(given.input, risk.members),
    inputsJson: JSON.stringify(inputs),
    inputsCommitment: inputsCommitment(inputs),
    pairScores: pairScoresOf(given.input.members),
  }
}

/** Explains each member as if assessed alone, without amount or counterparty. */
function explanationsOf(input: TeamRiskInput, assessed: TeamRisk['members']): string[] {
  const { actionType, riskTolerance } = input
  const alone = { amountMinor: null, maxAutonomousMinor: null, counterparty: null }
  const members = new Map(input.members.map((member) => [member.agentId, member]))
  return assessed.map(({ agentId, risk }) => {
    const member = members.get(agentId)
    if (member === undefined) throw new Error(`${agentId} is not a member`)
    return explainRisk({ ...member, ...alone, actionType, riskTolerance }, risk)
  })
}

function pairScoresOf(members: TeamRiskInput['members']): PairScore[] {
  const holders = members
    .flatMap(({ agentId, card }) => (card === null ? [] : { agentId, sets: setsOf(card.values) }))
    .sort((a, b) => compareCodePoints(a.agentId, b.agentId))
  return holders.flatMap((a, at) =>
    holders.slice(at + 1).map((b) => ({
      agentA: a.agentId,
      agentB: b.agentId,
      scoreE4: judgePair(countPair(a.sets, b.sets)).scoreE4,
    })),
  )
}

function setsOf(values: { declared: readonly string[]; conflicts_with?: readonly string[] }) {
  return valueSets({ declared: values.declared, conflictsWith: values.conflicts_with ?? [] })
}

import { hashCanonical } from '../crypto/hash.ts'
import { COMPONENTS } from '../score/component-scores.ts'
import { compareCodePoints } from '../score/directory-order.ts'
import { RISK_FORMULA, type RiskInput, type RiskSubject } from './individual-risk.ts'
import { TEAM_RISK_FORMULA, type TeamRisk, type TeamRiskInput } from './team-risk.ts'

/** Binds the inputs to one assessment, and hides them until they are opened. */
export type RiskCommitmentParts = {
  assessmentId: string
  agentId: string
  /** The time of the assessment, as published. */
  asOf: string
  /** `sha256:` and hex, the root over the agent's checkpoints. */
  merkleRoot: string | null
  /** 64 random hex digits. */
  salt: string
}

/** The document of all inputs that is committed to, and that authorised readers may open. */
export function committedRiskInputs(input: RiskInput, parts: RiskCommitmentParts) {
  return {
    v: 1,
    kind: 'individual',
    formula: RISK_FORMULA,
    assessment_id: parts.assessmentId,
    agent_id: parts.agentId,
    as_of: parts.asOf,
    action_type: input.actionType,
    risk_tolerance: input.riskTolerance,
    ...committedSubject(input),
    amount_minor: input.amountMinor,
    max_autonomous_minor: input.maxAutonomousMinor,
    counterparty: input.counterparty,
    merkle_root: parts.merkleRoot,
    salt: parts.salt,
  }
}

/** The part that is the same for a single agent and for a member of a team. */
function committedSubject(subject: RiskSubject) {
  return {
    analysed_checkpoints: subject.analysedCheckpoints,
    reputation: subject.reputation,
    components: COMPONENTS.map(({ key }) => subject.components[key]),
    violations: subject.violations
      .toSorted((a, b) => a.days - b.days || compareCodePoints(a.severity, b.severity))
      .map(({ severity, days }) => [severity, days] as const),
    contained: subject.contained,
  }
}

export function inputsCommitment(inputs: object): string {
  return `sha256:${hashCanonical(inputs)}`
}

export type TeamCommitmentParts = {
  assessmentId: string
  asOf: string
  /** By agent id. */
  merkleRoots: ReadonlyMap<string, string>
  salt: string
}

/** The same document for a team; members and pairs are in order of agent ids. */
export function committedTeamInputs(
  input: TeamRiskInput,
  { pairs, mission }: Pick<TeamRisk, 'pairs' | 'mission'>,
  parts: TeamCommitmentParts,
) {
  return {
    v: 1,
    kind: 'team',
    formula: TEAM_RISK_FORMULA,
    assessment_id: parts.assessmentId,
    as_of: parts.asOf,
    action_type: input.actionType,
    risk_tolerance: input.riskTolerance,
    coordination_mode: input.mode,
    order: input.members.map(({ agentId }) => agentId),
    members: input.members
      .toSorted((a, b) => compareCodePoints(a.agentId, b.agentId))
      .map((member) => ({
        agent_id: member.agentId,
        ...committedSubject(member),
        merkle_root: parts.merkleRoots.get(member.agentId) ?? null,
      })),
    pairs: pairs.map(({ i, j, parts: own }) => [
      i,
      j,
      own.valueOverlap,
      own.priorityAlignment,
      own.behaviouralCorrelation,
      own.boundaryOverlap,
    ]),
    mission,
    salt: parts.salt,
  }
}

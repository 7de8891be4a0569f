import {
  COORDINATION_MODES,
  DIVERGENCES_MAX,
  RISK_LEVELS,
  RISK_TOLERANCES,
  TEAM_BREAKERS,
  TEAM_RISK_FORMULA,
  type TeamRisk,
} from '@touchstone/protocol/risk'
import { COMPONENTS } from '@touchstone/protocol/score'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import {
  ActionType,
  fromMicro,
  Id,
  NO_PROOF,
  ProofFields,
  RiskAssessment,
  Share,
  SliceFields,
  Tolerance,
  toAssessment,
} from './schema.ts'
import type { Slice } from './store.ts'
import { TEAM_MEMBERS_MAX, TEAM_MEMBERS_MIN, type TeamContext } from './team-assessment.ts'
import type { TeamQuestion } from './team-service.ts'
import type { ShownTeamAssessment } from './team-store.ts'

const E4 = 10_000

const Mode = NamedEnum('CoordinationMode', [...COORDINATION_MODES])

export const AssessTeamBody = NamedObject('TeamRiskAssessmentRequest', {
  agent_ids: Type.Optional(
    Type.Array(Id, {
      minItems: TEAM_MEMBERS_MIN,
      maxItems: TEAM_MEMBERS_MAX,
      uniqueItems: true,
      description:
        'the order says which agents precede and lead others; default: the members of team_id',
    }),
  ),
  team_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'an active team of your organisation',
    }),
  ),
  context: Type.Object({
    action_type: ActionType,
    risk_tolerance: Type.Optional(Tolerance),
    team_task: Type.Optional(
      Type.String({ maxLength: 500, description: 'for your records; does not affect the score' }),
    ),
    coordination_mode: Type.Optional(Mode),
  }),
  prove: Type.Optional(
    Type.Boolean({ default: true, description: 'request a proof, if a prover is configured' }),
  ),
})

const ByAgent = Type.Record(Type.String(), Type.Number())
const AgentIds = Type.Array(Type.String())

const Outlier = NamedObject('TeamRiskOutlier', {
  agent_id: Type.String(),
  individual_risk_score: Share,
  shapley_value: Type.Number(),
  systemic_contribution: Share,
  primary_risk_factors: Type.Array(Type.String()),
})

const Cluster = NamedObject('TeamRiskCluster', {
  cluster_id: Type.String(),
  agent_ids: AgentIds,
  internal_risk: Share,
  shared_risk_factors: Type.Array(
    Type.Enum([...COMPONENTS.map(({ key }) => key), 'correlated_violations']),
  ),
})

const Divergence = NamedObject('TeamRiskDivergence', {
  value: Type.String(),
  declaring_agents: AgentIds,
  missing_agents: AgentIds,
  conflicting_agents: AgentIds,
  risk_impact: Share,
})

export const TeamRiskAssessment = NamedObject('TeamRiskAssessment', {
  assessment_id: Type.String(),
  team_id: Nullable(Type.String({ description: 'the team that was assessed' })),
  agent_ids: AgentIds,
  team_risk_score: Share,
  team_risk_level: NamedEnum('RiskLevel', [...RISK_LEVELS]),
  team_coherence_score: Share,
  team_recommendation: NamedEnum('TeamRiskRecommendation', [
    'approve_team',
    'review',
    'approve_individuals_only',
    'deny',
  ] as const),
  portfolio_risk: Share,
  coherence_risk: Share,
  structural_risk: Share,
  concentration_risk: Share,
  weakest_link_risk: Share,
  circuit_breakers: Type.Array(NamedEnum('TeamRiskBreaker', [...TEAM_BREAKERS])),
  shapley_values: ByAgent,
  risk_attribution: ByAgent,
  shapley_method: NamedObject('ShapleyMethod', {
    method: Type.Enum(['exact', 'sampled']),
    permutations: Type.Integer(),
    std_error: Type.Number({
      description: 'the largest standard error, in the unit of the values',
    }),
  }),
  outliers: Type.Array(Outlier),
  clusters: Type.Array(Cluster),
  value_divergences: Type.Array(Divergence, {
    description: `at most ${DIVERGENCES_MAX}, the largest impact first`,
  }),
  value_divergence_count: Type.Integer({ description: 'the total' }),
  synergy_type: NamedEnum('Synergy', ['synergistic', 'neutral', 'anti-synergistic']),
  individual_assessments: Type.Array(RiskAssessment),
  context: Type.Object({
    action_type: ActionType,
    risk_tolerance: NamedEnum('RiskTolerance', [...RISK_TOLERANCES]),
    team_task: Type.Optional(Type.String()),
    coordination_mode: Type.Optional(Mode),
  }),
  explanation: Type.String(),
  formula: Type.Literal(TEAM_RISK_FORMULA),
  inputs_commitment: Type.String(),
  ...ProofFields,
  created_at: Type.String(),
})

export const TeamHistoryAnswer = NamedObject('TeamRiskHistory', {
  team_id: Type.String(),
  assessments: Type.Array(TeamRiskAssessment),
  ...SliceFields,
})

export function toTeamHistory(
  teamId: string,
  { assessments, total }: { assessments: readonly ShownTeamAssessment[]; total: number },
  slice: Slice,
): Static<typeof TeamHistoryAnswer> {
  return { team_id: teamId, assessments: assessments.map(toTeamAssessment), total, ...slice }
}

export function toTeamQuestion(orgId: string, body: Static<typeof AssessTeamBody>): TeamQuestion {
  const { context } = body
  return {
    orgId,
    teamId: body.team_id ?? null,
    agentIds: body.agent_ids ?? null,
    context: {
      actionType: context.action_type,
      riskTolerance: context.risk_tolerance ?? 'moderate',
      coordinationMode: context.coordination_mode ?? null,
      teamTask: context.team_task ?? null,
    },
  }
}

export function toTeamAssessment(
  assessment: ShownTeamAssessment,
): Static<typeof TeamRiskAssessment> {
  const { context, result } = assessment
  return {
    assessment_id: assessment.assessmentId,
    team_id: assessment.teamId,
    agent_ids: [...assessment.agentIds],
    team_risk_score: result.riskE4 / E4,
    team_risk_level: result.level,
    team_coherence_score: result.coherenceE4 / E4,
    team_recommendation: result.recommendation,
    portfolio_risk: result.portfolioRiskE4 / E4,
    coherence_risk: result.coherenceRiskE4 / E4,
    structural_risk: result.structuralRiskE4 / E4,
    concentration_risk: result.concentrationRiskE4 / E4,
    weakest_link_risk: result.weakestLinkRiskE4 / E4,
    circuit_breakers: [...result.breakers],
    shapley_values: toShares(result.shapleyE4),
    risk_attribution: toShares(result.attributionE4),
    shapley_method: toMethod(result.shapleyMethod),
    ...toFindings(result),
    synergy_type: result.synergy,
    individual_assessments: toIndividual(assessment),
    context: toContext(context),
    explanation: result.explanation,
    formula: TEAM_RISK_FORMULA,
    inputs_commitment: assessment.inputsCommitment,
    ...NO_PROOF,
    created_at: assessment.createdAt.toISOString(),
  }
}

/** Built from entries, because an agent can be called `__proto__`. */
function toShares(byAgent: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(byAgent).map(([agentId, e4]) => [agentId, e4 / E4]))
}

function toMethod({ method, permutations, stdErrorMicro }: TeamRisk['shapleyMethod']) {
  return { method, permutations, std_error: fromMicro(stdErrorMicro) }
}

function toFindings({
  outliers,
  clusters,
  divergences,
  divergenceCount,
}: Pick<TeamRisk, 'outliers' | 'clusters' | 'divergences' | 'divergenceCount'>) {
  return {
    outliers: outliers.map((one) => ({
      agent_id: one.agentId,
      individual_risk_score: one.riskE4 / E4,
      shapley_value: one.shapleyE4 / E4,
      systemic_contribution: one.systemicE4 / E4,
      primary_risk_factors: [...one.primaryRiskFactors],
    })),
    clusters: clusters.map((one) => ({
      cluster_id: one.clusterId,
      agent_ids: [...one.agentIds],
      internal_risk: one.internalRiskE4 / E4,
      shared_risk_factors: [...one.sharedRiskFactors],
    })),
    value_divergences: divergences.map((one) => ({
      value: one.value,
      declaring_agents: [...one.declaring],
      missing_agents: [...one.missing],
      conflicting_agents: [...one.conflicting],
      risk_impact: one.impactE4 / E4,
    })),
    value_divergence_count: divergenceCount,
  }
}

/** In the order of the ids; none of them is stored as an assessment (spec: risk §2.1). */
function toIndividual({ context, result, createdAt }: ShownTeamAssessment) {
  const { actionType, riskTolerance } = context
  const alone = { actionType, riskTolerance, amount: null, counterpartyId: null, useCase: null }
  return result.members.map(({ agentId, risk }, at) =>
    toAssessment({
      assessmentId: null,
      inputsCommitment: null,
      proof: null,
      agentId,
      createdAt,
      result: risk,
      context: alone,
      explanation: result.memberExplanations[at] ?? '',
    }),
  )
}

function toContext({ actionType, riskTolerance, coordinationMode, teamTask }: TeamContext) {
  return {
    action_type: actionType,
    risk_tolerance: riskTolerance,
    ...(teamTask === null ? {} : { team_task: teamTask }),
    ...(coordinationMode === null ? {} : { coordination_mode: coordinationMode }),
  }
}

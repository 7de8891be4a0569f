import {
  ACTION_TYPES,
  RISK_BREAKERS,
  RISK_CONFIDENCE,
  RISK_FORMULA,
  RISK_LEVELS,
  RISK_THRESHOLDS,
  RISK_TOLERANCES,
  type RiskResult,
  riskFactors,
} from '@touchstone/protocol/risk'
import { COMPONENTS } from '@touchstone/protocol/score'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { AMOUNT_MAX } from './amount.ts'
import type { RiskContext, RiskTolerance } from './assessment.ts'
import type { ProofState } from './ports.ts'
import type { AnsweredAssessment, History, RiskQuestion } from './service.ts'
import type { CommittedInputs, Slice } from './store.ts'

const E4 = 10_000
const MICRO = 1_000_000

export const Id = Type.String({ minLength: 1, maxLength: 128 })
export const AssessmentParams = Type.Object({ assessment_id: Type.String() })

const HISTORY_DEFAULT = 50
const HISTORY_MAX = 200

export const HistoryQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `default ${HISTORY_DEFAULT}; more than ${HISTORY_MAX} is lowered to ${HISTORY_MAX}`,
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description: 'how many newer assessments to skip; default 0',
    }),
  ),
})

export const ActionType = NamedEnum('RiskActionType', [...ACTION_TYPES])
export const Tolerance = NamedEnum('RiskTolerance', [...RISK_TOLERANCES], { default: 'moderate' })

export const AssessBody = NamedObject('RiskAssessmentRequest', {
  agent_id: Id,
  context: Type.Object({
    action_type: ActionType,
    risk_tolerance: Type.Optional(Tolerance),
    amount: Type.Optional(
      Type.Number({ minimum: 0, maximum: AMOUNT_MAX, description: 'at most two decimals' }),
    ),
    counterparty_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 128, description: 'must differ from agent_id' }),
    ),
    use_case: Type.Optional(
      Type.String({ maxLength: 500, description: 'for your records; does not affect the score' }),
    ),
  }),
  prove: Type.Optional(
    Type.Boolean({ default: true, description: 'request a proof, if a prover is configured' }),
  ),
})

/** A number from 0 to 1 with at most four decimals. */
export const Share = Type.Number()

const Factor = NamedObject('RiskFactor', {
  component: NamedEnum(
    'ScoreComponentKey',
    COMPONENTS.map(({ key }) => key),
  ),
  label: Type.String(),
  weight: Share,
  raw_value: Type.Integer({ description: 'the score; a short history moves it towards 500' }),
  risk_contribution: Share,
  explanation: Type.String(),
})

export const ProofFields = {
  proof_id: Nullable(Type.String()),
  proof_status: NamedEnum('AssessmentProofStatus', [
    'none',
    'pending',
    'proving',
    'verified',
    'failed',
  ]),
}

/** No prover supports the formula, so there is no proof (spec: risk §3). */
export const NO_PROOF = { proof_id: null, proof_status: 'none' } as const

const CONTEXT_FIELDS = {
  action_type: ActionType,
  risk_tolerance: NamedEnum('RiskTolerance', [...RISK_TOLERANCES]),
}

export const RiskAssessment = NamedObject('RiskAssessment', {
  assessment_id: Nullable(Type.String({ description: 'null inside a team assessment' })),
  agent_id: Type.String(),
  risk_score: Share,
  risk_level: NamedEnum('RiskLevel', [...RISK_LEVELS]),
  recommendation: NamedEnum('RiskRecommendation', ['approve', 'review', 'deny']),
  confidence: Share,
  contributing_factors: Type.Array(Factor),
  suggested_thresholds: NamedObject('RiskThresholds', {
    low: Share,
    medium: Share,
    high: Share,
    critical: Share,
  }),
  breakdown: NamedObject('RiskBreakdown', {
    context: Share,
    recency: Share,
    confidence_penalty: Share,
    base: Share,
    amount_surcharge: Share,
    counterparty_surcharge: Share,
  }),
  circuit_breakers: Type.Array(NamedEnum('RiskBreaker', [...RISK_BREAKERS])),
  context: Type.Object({
    ...CONTEXT_FIELDS,
    amount: Type.Optional(Type.Number()),
    counterparty_id: Type.Optional(Type.String()),
    use_case: Type.Optional(Type.String()),
  }),
  explanation: Type.String(),
  formula: Type.Literal(RISK_FORMULA),
  inputs_commitment: Nullable(
    Type.String({ description: 'sha256: and hex; null inside a team assessment' }),
  ),
  ...ProofFields,
  created_at: Type.String(),
})

export const SliceFields = {
  total: Type.Integer(),
  limit: Type.Integer(),
  offset: Type.Integer(),
}

export const HistoryAnswer = NamedObject('RiskHistory', {
  agent_id: Type.String(),
  assessments: Type.Array(RiskAssessment),
  ...SliceFields,
})

export const InputsAnswer = NamedObject('RiskInputs', {
  formula: Type.String(),
  inputs: Type.Record(Type.String(), Type.Unknown(), {
    description: 'the inputs; the commitment is the SHA-256 of their canonical JSON',
  }),
  inputs_commitment: Type.String(),
})

/** A plan without zk_proofs gets no proof (spec: risk §1.5). */
export function toQuestion(
  { orgId, entitlements }: { orgId: string; entitlements: { features: ReadonlySet<string> } },
  body: Static<typeof AssessBody>,
  isBound: boolean,
): RiskQuestion {
  const { context, prove = true } = body
  return {
    orgId,
    isBound,
    prove: prove && entitlements.features.has('zk_proofs'),
    agentId: body.agent_id,
    context: {
      actionType: context.action_type,
      riskTolerance: context.risk_tolerance ?? 'moderate',
      amount: context.amount ?? null,
      counterpartyId: context.counterparty_id ?? null,
      useCase: context.use_case ?? null,
    },
  }
}

export function toSlice({ limit, offset }: Static<typeof HistoryQuery>): Slice {
  return { limit: Math.min(limit ?? HISTORY_DEFAULT, HISTORY_MAX), offset: offset ?? 0 }
}

/** A single result, by itself or as part of a team assessment. */
type ResultView = {
  assessmentId: string | null
  agentId: string
  createdAt: Date
  result: RiskResult
  context: RiskContext
  explanation: string
  inputsCommitment: string | null
  proof: ProofState | null
}

export function toAssessment(view: ResultView | AnsweredAssessment): Static<typeof RiskAssessment> {
  const { context, result } = view
  return {
    assessment_id: view.assessmentId,
    agent_id: view.agentId,
    risk_score: result.scoreE4 / E4,
    risk_level: result.level,
    recommendation: result.recommendation,
    confidence: RISK_CONFIDENCE[result.confidence],
    contributing_factors: toFactors(context, result),
    suggested_thresholds: THRESHOLDS[context.riskTolerance],
    breakdown: {
      context: fromMicro(result.context),
      recency: fromMicro(result.recency),
      confidence_penalty: fromMicro(result.confidencePenalty),
      base: fromMicro(result.base),
      amount_surcharge: fromMicro(result.amountSurcharge),
      counterparty_surcharge: fromMicro(result.counterpartySurcharge),
    },
    circuit_breakers: [...result.breakers],
    context: toContext(context),
    explanation: view.explanation,
    formula: RISK_FORMULA,
    inputs_commitment: view.inputsCommitment,
    ...toProofFields(view.proof),
    created_at: view.createdAt.toISOString(),
  }
}

function toProofFields(proof: ProofState | null) {
  return proof === null ? NO_PROOF : { proof_id: proof.proofId, proof_status: proof.status }
}

function toFactors({ actionType }: RiskContext, { components }: RiskResult) {
  return riskFactors(actionType, components).map((factor) => ({
    component: factor.component,
    label: factor.label,
    weight: factor.weight,
    raw_value: factor.rawValue,
    risk_contribution: factor.contributionE4 / E4,
    explanation: factor.explanation,
  }))
}

const THRESHOLDS = {
  conservative: toThresholds('conservative'),
  moderate: toThresholds('moderate'),
  aggressive: toThresholds('aggressive'),
}

/** Critical starts where high ends. */
function toThresholds(tolerance: RiskTolerance) {
  const { low, medium, high } = RISK_THRESHOLDS[tolerance]
  return { low: low / E4, medium: medium / E4, high: high / E4, critical: high / E4 }
}

function toContext({ actionType, riskTolerance, amount, counterpartyId, useCase }: RiskContext) {
  return {
    action_type: actionType,
    risk_tolerance: riskTolerance,
    ...(amount === null ? {} : { amount }),
    ...(counterpartyId === null ? {} : { counterparty_id: counterpartyId }),
    ...(useCase === null ? {} : { use_case: useCase }),
  }
}

/** Rounds half up to four decimals, as every published number (spec: risk §0). */
export function fromMicro(micro: number): number {
  return Math.floor((micro + 50) / (MICRO / E4)) / E4
}

export function toHistory(
  agentId: string,
  { assessments, total }: History,
  slice: Slice,
): Static<typeof HistoryAnswer> {
  return { agent_id: agentId, assessments: assessments.map(toAssessment), total, ...slice }
}

export function toInputs({
  inputs,
  inputsCommitment,
}: CommittedInputs): Static<typeof InputsAnswer> {
  const { formula } = inputs as { formula: string }
  return {
    formula,
    inputs: inputs as Record<string, unknown>,
    inputs_commitment: inputsCommitment,
  }
}

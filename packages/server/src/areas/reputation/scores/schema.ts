import { PROPAGATION } from '@touchstone/protocol/control'
import { BADGE_VARIANTS, COMPONENTS, GRADES } from '@touchstone/protocol/score'
import { type Static, Type } from 'typebox'
import {
  Assurance,
  AssuranceLevel,
  AssuredScore,
  Methodology,
  methodologyOf,
  toAssurance,
} from '../../../assurance-wire.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { Reclassified, toReclassified } from '../../../reclassified-wire.ts'
import type { Snapshot as SnapshotValue } from './publication.ts'
import type { Recomputed as RecomputedValue, Reputation } from './service.ts'
import type { Simulated } from './simulate-service.ts'
import type { Hypothesis } from './simulation.ts'

export const BadgeQuery = Type.Object({
  variant: Type.Optional(NamedEnum('BadgeVariant', [...BADGE_VARIANTS])),
})

export const BadgeImage = {
  description: 'The badge',
  content: { 'image/svg+xml': { schema: Type.String() } },
}

const Text = Type.String()
const Grade = NamedEnum('Grade', [...GRADES.map(({ grade }) => grade), 'NR'])
const ComponentKeys = COMPONENTS.map(({ key }) => key)
const ComponentKey = NamedEnum('ScoreComponentKey', ComponentKeys)
const NullableNumber = Nullable(Type.Number())

const Component = NamedObject('ScoreComponent', {
  key: ComponentKey,
  label: Text,
  score: NullableNumber,
  weight: Type.Number(),
  weighted_score: NullableNumber,
  factors: Type.Array(Text),
  basis: Nullable(Type.Enum(['measured', 'default'])),
  n: Nullable(Type.Integer()),
})

const ByComponent = NamedObject(
  'ComponentHistory',
  Object.fromEntries(ComponentKeys.map((key) => [key, NullableNumber])) as Record<
    (typeof ComponentKeys)[number],
    typeof NullableNumber
  >,
)

export const Score = NamedObject('ReputationScore', {
  agent_id: Text,
  score: NullableNumber,
  grade: Grade,
  tier: Text,
  is_eligible: Type.Boolean(),
  checkpoint_count: Type.Integer(),
  confidence: NamedEnum('Confidence', ['insufficient', 'low', 'medium', 'high']),
  components: Type.Array(Component),
  computed_at: Text,
  trend_30d: Type.Number(),
  visibility: NamedEnum('Visibility', ['public', 'unlisted', 'private']),
  a2a_trust_extension: NamedObject('TrustExtension', {
    provider: Text,
    score: NullableNumber,
    grade: Grade,
    verified_url: Text,
    badge_url: Text,
    verify_url: Text,
    extension_uri: Text,
    confidence: Text,
    assurance: Nullable(AssuranceLevel),
    assured_score: AssuredScore,
    methodology_url: Text,
    last_updated: Text,
  }),
  score_interval: Nullable(
    NamedObject('ScoreInterval', {
      level: Type.Number(),
      low: Type.Integer(),
      high: Type.Integer(),
    }),
  ),
  conservative_score: Nullable(Type.Integer()),
  assurance: Nullable(Assurance),
  assured_score: AssuredScore,
  methodology: Methodology,
  grade_probability: Nullable(Type.Record(Text, Type.Number())),
  reason_codes: Nullable(
    Type.Array(
      NamedObject('ReasonCode', {
        code: Text,
        component: ComponentKey,
        points_lost: Type.Number(),
        evidence_ids: Type.Array(Text),
      }),
    ),
  ),
  recovery_forecast: Nullable(
    Type.Array(Type.Object({ days: Type.Integer(), score: Type.Integer() })),
  ),
  reclassified: Reclassified,
})

export const History = NamedObject('ReputationHistory', {
  snapshots: Type.Array(
    NamedObject('ReputationSnapshot', {
      week_start: Text,
      score: Type.Number(),
      grade: Grade,
      checkpoint_count: Type.Integer(),
      components: ByComponent,
      assurance: Nullable(AssuranceLevel),
      assured_score: AssuredScore,
    }),
  ),
})

export const Recomputed = NamedObject('RecomputedReputation', {
  agent_id: Text,
  score_before: NullableNumber,
  score_after: NullableNumber,
  grade_before: Grade,
  grade_after: Grade,
  reclassifications_applied: Type.Integer(),
  propagation: Type.Object({
    agents_affected: Type.Integer(),
    max_depth: Type.Integer(),
    decay_factor: Type.Number(),
  }),
  recomputed_at: Text,
})

const Amount = Type.Optional(Type.Integer({ minimum: 0, maximum: 10_000 }))

export const SimulationBody = NamedObject(
  'SimulationRequest',
  {
    add_clear: Amount,
    add_review_needed: Amount,
    add_boundary_violations: Amount,
    add_traces: Amount,
    card_gap_ids: Type.Optional(Type.Array(Type.String({ maxLength: 128 }), { maxItems: 100 })),
    advance_days: Type.Optional(Type.Integer({ minimum: 0, maximum: 3650 })),
  },
  {
    description:
      'A hypothesis: checkpoints and traces are added now, some checkpoints are reclassified as card gaps, and then days pass. Each added violation counts as a separate session.',
  },
)

const Outlook = NamedObject('SimulatedScore', {
  score: NullableNumber,
  grade: Grade,
  tier: Text,
  is_eligible: Type.Boolean(),
  checkpoint_count: Type.Integer(),
  confidence: Text,
  components: Type.Array(Component),
})
export const Simulation = NamedObject('Simulation', {
  agent_id: Text,
  current: Outlook,
  predicted: Outlook,
})

export function toHypothesis(body: Static<typeof SimulationBody>): Hypothesis {
  return {
    add: {
      clear: body.add_clear ?? 0,
      reviewNeeded: body.add_review_needed ?? 0,
      boundaryViolation: body.add_boundary_violations ?? 0,
      traces: body.add_traces ?? 0,
    },
    cardGapIds: body.card_gap_ids ?? [],
    advanceDays: body.advance_days ?? 0,
  }
}

export function toSimulation(
  agentId: string,
  { current, predicted }: Simulated,
): Static<typeof Simulation> {
  return { agent_id: agentId, current: toOutlook(current), predicted: toOutlook(predicted) }
}

function toOutlook(value: Simulated['current']): Static<typeof Outlook> {
  return {
    score: value.score,
    grade: value.grade,
    tier: value.tier,
    is_eligible: value.isEligible,
    checkpoint_count: value.checkpointCount,
    confidence: value.confidence,
    components: value.components.map(toComponent),
  }
}

function toComponent(one: Reputation['components'][number]): Static<typeof Component> {
  return {
    key: one.key,
    label: one.label,
    score: one.score,
    weight: one.weight,
    weighted_score: one.weightedScore,
    factors: [...one.factors],
    basis: one.basis,
    n: one.n,
  }
}

/** The address and the provider that an agent's reputation is published under. */
export type Publisher = { baseUrl: string; providerId: string }

const EXTENSION_URI = 'urn:touchstone:a2a-trust:v1'

export function toScore(
  value: Reputation,
  { baseUrl, providerId }: Publisher,
): Static<typeof Score> {
  const { uncertainty, score, grade, confidence, assurance } = value
  const url = `${baseUrl}/v1/reputation/${encodeURIComponent(value.agentId)}`
  const computedAt = value.computedAt.toISOString()
  return {
    agent_id: value.agentId,
    score,
    grade,
    tier: value.tier,
    is_eligible: score !== null,
    checkpoint_count: value.checkpointCount,
    confidence,
    components: value.components.map(toComponent),
    computed_at: computedAt,
    trend_30d: value.trend30d,
    visibility: value.visibility,
    a2a_trust_extension: {
      provider: providerId,
      score,
      grade,
      verified_url: url,
      badge_url: `${url}/badge.svg`,
      verify_url: `${url}/verify`,
      extension_uri: EXTENSION_URI,
      confidence,
      assurance: assurance?.level ?? null,
      assured_score: value.assuredScore,
      methodology_url: `${baseUrl}/docs/methodology`,
      last_updated: computedAt,
    },
    score_interval: uncertainty?.scoreInterval ?? null,
    conservative_score: uncertainty?.conservativeScore ?? null,
    assurance: assurance && toAssurance(assurance),
    assured_score: value.assuredScore,
    methodology: methodologyOf(value),
    grade_probability: uncertainty?.gradeProbability ?? null,
    reason_codes:
      uncertainty?.reasonCodes.map((one) => ({
        code: one.code,
        component: one.component,
        points_lost: one.pointsLost,
        evidence_ids: [...one.evidenceIds],
      })) ?? null,
    recovery_forecast: uncertainty === null ? null : [...uncertainty.recoveryForecast],
    reclassified: toReclassified(value.reclassified),
  }
}

export function toHistory(weeks: readonly SnapshotValue[]): Static<typeof History> {
  return {
    snapshots: weeks.map((week) => ({
      week_start: week.weekStart,
      score: week.score,
      grade: week.grade as Static<typeof Grade>,
      checkpoint_count: week.checkpointCount,
      components: week.components,
      assurance: week.assurance,
      assured_score: week.assuredScore,
    })),
  }
}

export function toRecomputed(
  agentId: string,
  { computed, cardGaps }: RecomputedValue,
  now: Date,
): Static<typeof Recomputed> {
  const { before, after, propagation } = computed ?? {}
  return {
    agent_id: agentId,
    score_before: before?.score ?? null,
    score_after: after?.score ?? null,
    grade_before: (before?.grade ?? 'NR') as Static<typeof Grade>,
    grade_after: after?.grade ?? 'NR',
    reclassifications_applied: cardGaps,
    propagation: {
      agents_affected: propagation?.agentsAffected ?? 0,
      max_depth: propagation?.maxDepth ?? 0,
      decay_factor: PROPAGATION.decayFactor,
    },
    recomputed_at: (after?.computedAt ?? now).toISOString(),
  }
}

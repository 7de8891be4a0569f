import { GRADES, TEAM_BADGE_VARIANTS } from '@touchstone/protocol/score'
import { TEAM_COMPONENTS } from '@touchstone/protocol/teams'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import type { TeamReputationView } from './service.ts'
import type { Snapshot } from './store.ts'
import type { TeamVerification as VerificationValue } from './verify-service.ts'

export const BadgeQuery = Type.Object({
  variant: Type.Optional(NamedEnum('TeamBadgeVariant', [...TEAM_BADGE_VARIANTS])),
})

export const BadgeImage = {
  description: 'The badge',
  content: { 'image/svg+xml': { schema: Type.String() } },
}

const Text = Type.String()
const Grade = NamedEnum('Grade', [...GRADES.map(({ grade }) => grade), 'NR'])
const NullableNumber = Nullable(Type.Number())
const NullableText = Nullable(Text)
const ByComponent = Type.Record(Text, Type.Number())

const Component = NamedObject('TeamScoreComponent', {
  key: NamedEnum(
    'TeamScoreComponentKey',
    TEAM_COMPONENTS.map(({ key }) => key),
  ),
  label: Text,
  score: Type.Number(),
  weight: Type.Number(),
  weighted_score: Type.Number(),
  factors: Type.Array(Text),
})

export const TeamReputation = NamedObject('TeamReputation', {
  team_id: Text,
  team_name: Text,
  status: NamedEnum('TeamStatus', ['active', 'archived']),
  score: NullableNumber,
  grade: Grade,
  tier: Text,
  confidence: NamedEnum('Confidence', ['insufficient', 'low', 'medium', 'high']),
  is_eligible: Type.Boolean(),
  components: Type.Array(Component),
  total_assessments: Type.Integer(),
  last_assessed: NullableText,
  trend_30d: Type.Number(),
  visibility: NamedEnum('Visibility', ['public', 'unlisted', 'private']),
  member_count: Type.Integer(),
  computed_at: Text,
  a2a_trust_extension: Nullable(
    NamedObject('TeamTrustExtension', {
      provider: Text,
      score: Type.Number(),
      grade: Grade,
      verified_url: Text,
      badge_url: Text,
      verify_url: Text,
      extension_uri: Text,
      confidence: Text,
      methodology_url: Text,
      last_updated: Text,
      member_count: Type.Integer(),
    }),
  ),
})

export const TeamHistory = NamedObject('TeamReputationHistory', {
  snapshots: Type.Array(
    NamedObject('TeamReputationSnapshot', {
      team_id: Text,
      week_start: Text,
      score: Type.Number(),
      grade: Grade,
      components: ByComponent,
      total_assessments: Type.Integer(),
      created_at: Text,
    }),
  ),
})

export const TeamVerification = NamedObject('TeamReputationVerification', {
  team_id: Text,
  score: NullableNumber,
  grade: Grade,
  verified: Type.Boolean(),
  verification: Nullable(
    NamedObject('TeamReputationProof', {
      proof_hash: Text,
      assessment_chain_head: Text,
      hash_chain_valid: Type.Boolean(),
      total_assessments: Type.Integer(),
      latest_assessment_id: NullableText,
      latest_assessment_at: NullableText,
      member_score_hashes: Type.Array(Text),
      proof_generated_at: Text,
    }),
  ),
  computed_at: Text,
})

/** The address and the provider that a team's reputation is published under. */
export type Publisher = { baseUrl: string; providerId: string }

const EXTENSION_URI = 'urn:touchstone:a2a-team-trust:v1'

export function toTeamReputation(
  view: TeamReputationView,
  publisher: Publisher,
): Static<typeof TeamReputation> {
  const { team, score } = view
  return {
    team_id: team.teamId,
    team_name: team.name,
    status: team.status,
    score,
    grade: view.grade,
    tier: view.tier,
    confidence: view.confidence as Static<typeof TeamReputation>['confidence'],
    is_eligible: score !== null,
    components: view.components.map((one) => ({
      key: one.key as Static<typeof Component>['key'],
      label: one.label,
      score: one.score,
      weight: one.weight,
      weighted_score: one.weightedScore,
      factors: [...one.factors],
    })),
    total_assessments: view.totalAssessments,
    last_assessed: view.lastAssessedAt?.toISOString() ?? null,
    trend_30d: view.trend30d,
    visibility: team.visibility,
    member_count: view.memberCount,
    computed_at: view.computedAt.toISOString(),
    a2a_trust_extension: score === null ? null : toExtension({ ...view, score }, publisher),
  }
}

function toExtension(
  view: TeamReputationView & { score: number },
  { baseUrl, providerId }: Publisher,
) {
  const url = `${baseUrl}/v1/teams/${encodeURIComponent(view.team.teamId)}`
  return {
    provider: providerId,
    score: view.score,
    grade: view.grade,
    verified_url: `${url}/reputation`,
    badge_url: `${url}/badge.svg`,
    verify_url: `${url}/reputation/verify`,
    extension_uri: EXTENSION_URI,
    confidence: view.confidence,
    methodology_url: `${baseUrl}/docs/methodology`,
    last_updated: view.computedAt.toISOString(),
    member_count: view.memberCount,
  }
}

export function toTeamHistory(
  teamId: string,
  weeks: readonly Snapshot[],
): Static<typeof TeamHistory> {
  return {
    snapshots: weeks.map((week) => ({
      team_id: teamId,
      week_start: week.weekStart,
      score: week.score,
      grade: week.grade as Static<typeof Grade>,
      components: week.components,
      total_assessments: week.totalAssessments,
      created_at: week.createdAt.toISOString(),
    })),
  }
}

export function toTeamVerification(value: VerificationValue): Static<typeof TeamVerification> {
  const { team, score, proof } = value
  return {
    team_id: team.teamId,
    score,
    grade: value.grade as Static<typeof Grade>,
    verified: value.verified,
    verification: proof && {
      proof_hash: proof.proofHash,
      assessment_chain_head: `sha256:${proof.chainHead}`,
      hash_chain_valid: proof.chainValid,
      total_assessments: proof.totalAssessments,
      latest_assessment_id: proof.latestAssessmentId,
      latest_assessment_at: proof.latestAssessmentAt,
      member_score_hashes: [...proof.memberScoreHashes],
      proof_generated_at: proof.generatedAt.toISOString(),
    },
    computed_at: value.computedAt.toISOString(),
  }
}

import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import { SUBJECTS } from './list-store.ts'
import { ActionType, HistoryQuery, RiskAssessment, SliceFields, toAssessment } from './schema.ts'
import type { ListedAssessment } from './service.ts'
import type { Slice } from './store.ts'
import { TeamRiskAssessment, toTeamAssessment } from './team-schema.ts'

export const ListQuery = Type.Object({
  subject: Type.Optional(NamedEnum('RiskSubject', [...SUBJECTS])),
  ...HistoryQuery.properties,
})

export const ListAnswer = NamedObject('RiskAssessmentList', {
  assessments: Type.Array(
    NamedObject('ListedRiskAssessment', {
      assessment_id: Type.String(),
      subject: NamedEnum('RiskSubject', [...SUBJECTS]),
      agent_ids: Type.Array(Type.String()),
      team_id: Nullable(Type.String()),
      action_type: ActionType,
      risk_score: Type.Number(),
      risk_level: RiskAssessment.properties.risk_level,
      recommendation: Type.Union([
        RiskAssessment.properties.recommendation,
        TeamRiskAssessment.properties.team_recommendation,
      ]),
      proof_status: RiskAssessment.properties.proof_status,
      created_at: Type.String(),
    }),
  ),
  ...SliceFields,
})

export function toList(
  { assessments, total }: { assessments: readonly ListedAssessment[]; total: number },
  slice: Slice,
): Static<typeof ListAnswer> {
  return { assessments: assessments.map(toListed), total, ...slice }
}

function toListed(listed: ListedAssessment): Static<typeof ListAnswer>['assessments'][number] {
  if (listed.subject === 'team') {
    const team = toTeamAssessment(listed.assessment)
    return {
      assessment_id: team.assessment_id,
      subject: 'team',
      agent_ids: team.agent_ids,
      team_id: team.team_id,
      action_type: team.context.action_type,
      risk_score: team.team_risk_score,
      risk_level: team.team_risk_level,
      recommendation: team.team_recommendation,
      proof_status: 'none',
      created_at: team.created_at,
    }
  }
  const one = toAssessment(listed.assessment)
  return {
    assessment_id: listed.assessment.assessmentId,
    subject: 'agent',
    agent_ids: [one.agent_id],
    team_id: null,
    action_type: one.context.action_type,
    risk_score: one.risk_score,
    risk_level: one.risk_level,
    recommendation: one.recommendation,
    proof_status: one.proof_status,
    created_at: one.created_at,
  }
}

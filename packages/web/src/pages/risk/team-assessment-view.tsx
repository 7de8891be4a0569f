import { TEAM_RISK_THRESHOLDS } from '@touchstone/protocol/risk'
import { AgentLink, AgentLinks } from '../../names/agent-link.tsx'
import { useActiveTeams } from '../../session/use-active-teams.ts'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Figure } from '../../ui/figure.tsx'
import { LEVEL_TONES } from '../../ui/level.ts'
import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Table } from '../../ui/table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Ago } from '../../ui/time.tsx'
import { CircuitBreakers } from './circuit-breakers.tsx'
import type { TeamAssessment } from './queries.ts'
import { ACTION_TYPES, COORDINATIONS, labelOf, TOLERANCES } from './risk-options.ts'
import { RiskScale } from './risk-scale.tsx'
import { breakerText, recommendationText, synergyText } from './risk-words.ts'
import { ShapleyCard } from './shapley-card.tsx'

type TeamAssessmentViewProps = { orgId: string; assessment: TeamAssessment }

export function TeamAssessmentView({ orgId, assessment }: TeamAssessmentViewProps) {
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="grid min-w-0 gap-6">
        <Card>
          <RiskScale
            score={assessment.team_risk_score}
            level={assessment.team_risk_level}
            advice={assessment.team_recommendation}
            thresholds={thresholdsOf(assessment)}
            tolerance={labelOf(TOLERANCES, assessment.context.risk_tolerance)}
          >
            <WeakestMember assessment={assessment} />
            <CircuitBreakers breakers={assessment.circuit_breakers} />
            <div className="grid grid-cols-2 gap-4 border-t border-line pt-4 sm:grid-cols-5">
              <Figure label="Portfolio">{assessment.portfolio_risk.toFixed(2)}</Figure>
              <Figure label="Coherence">{assessment.coherence_risk.toFixed(2)}</Figure>
              <Figure label="Structure">{assessment.structural_risk.toFixed(2)}</Figure>
              <Figure label="Concentration">{assessment.concentration_risk.toFixed(2)}</Figure>
              <Figure label="Weakest link">{assessment.weakest_link_risk.toFixed(2)}</Figure>
            </div>
          </RiskScale>
        </Card>
        <ShapleyCard assessment={assessment} />
        <MembersCard assessment={assessment} />
        <DivergencesCard assessment={assessment} />
      </div>
      <ContextCard orgId={orgId} assessment={assessment} />
    </div>
  )
}

function WeakestMember({ assessment }: { assessment: TeamAssessment }) {
  const [highest] = assessment.individual_assessments.toSorted(
    (a, b) => b.risk_score - a.risk_score,
  )
  if (highest === undefined) return null
  return (
    <p className="text-sm">
      The riskiest member alone is <AgentLink agentId={highest.agent_id} className="font-medium" />{' '}
      with {highest.risk_score.toFixed(2)}.
    </p>
  )
}

const E4 = 10_000

function thresholdsOf({ context }: TeamAssessment) {
  const { low, medium, high } = TEAM_RISK_THRESHOLDS[context.risk_tolerance]
  return { low: low / E4, medium: medium / E4, high: high / E4 }
}

function MembersCard({ assessment }: { assessment: TeamAssessment }) {
  return (
    <Card title="Individual assessments" padded={false}>
      <Table
        caption="Individual assessments"
        rows={assessment.individual_assessments}
        keyOf={(row) => row.agent_id}
        columns={[
          {
            key: 'agent',
            label: 'Agent',
            cell: (row) => <AgentLink agentId={row.agent_id} />,
          },
          {
            key: 'level',
            label: 'Level',
            cell: (row) => (
              <Pill tone={LEVEL_TONES[row.risk_level]}>{sentenceCase(row.risk_level)}</Pill>
            ),
          },
          {
            key: 'score',
            label: 'Score',
            align: 'right',
            cell: (row) => row.risk_score.toFixed(4),
          },
          {
            key: 'advice',
            label: 'Recommendation',
            cell: (row) => recommendationText(row.recommendation),
          },
          {
            key: 'breakers',
            label: 'Circuit breakers',
            cell: (row) =>
              row.circuit_breakers.map((code) => breakerText(code).name).join(', ') || '–',
          },
        ]}
      />
    </Card>
  )
}

function DivergencesCard({ assessment }: { assessment: TeamAssessment }) {
  const divergences = assessment.value_divergences.filter(
    (one) => one.conflicting_agents.length > 0,
  )
  if (divergences.length === 0) return null
  return (
    <Card title="Conflicting values">
      <ul className="grid gap-2 text-sm">
        {divergences.map((one) => (
          <li key={one.value} className="break-words">
            <span className="font-mono font-medium">{one.value}</span>{' '}
            <span className="text-ink-soft">
              declared by <AgentLinks agentIds={one.declaring_agents} />, opposed by{' '}
              <AgentLinks agentIds={one.conflicting_agents} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function TeamLink({ orgId, teamId }: { orgId: string; teamId: string }) {
  const team = useActiveTeams(orgId).data?.find(({ id }) => id === teamId)
  return (
    <TextLink to="/o/$orgId/teams/$teamId" params={{ orgId, teamId }} title={teamId}>
      {team?.name ?? teamId}
    </TextLink>
  )
}

function ContextCard({ orgId, assessment }: TeamAssessmentViewProps) {
  const { context, team_id: teamId } = assessment
  return (
    <Card title="Request">
      <Facts
        facts={[
          ...(teamId === null
            ? []
            : [
                {
                  label: 'Team',
                  value: <TeamLink orgId={orgId} teamId={teamId} />,
                },
              ]),
          { label: 'Action', value: labelOf(ACTION_TYPES, context.action_type) },
          ...(context.coordination_mode === undefined
            ? []
            : [
                { label: 'Coordination', value: labelOf(COORDINATIONS, context.coordination_mode) },
              ]),
          ...(context.team_task === undefined ? [] : [{ label: 'Task', value: context.team_task }]),
          { label: 'Risk tolerance', value: labelOf(TOLERANCES, context.risk_tolerance) },
          { label: 'Synergy', value: synergyText(assessment.synergy_type) },
          { label: 'Coherence', value: assessment.team_coherence_score.toFixed(4) },
          { label: 'Time', value: <Ago at={assessment.created_at} /> },
          {
            label: 'Inputs commitment',
            value: (
              <span className="font-mono text-xs break-all">{assessment.inputs_commitment}</span>
            ),
          },
          {
            label: 'Proof',
            value:
              'None: only assessments of single agents are proved. The inputs commitment fixes the inputs.',
          },
        ]}
      />
    </Card>
  )
}

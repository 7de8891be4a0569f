import { useParams } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { AgentAssessmentView } from './agent-assessment-view.tsx'
import { isTeamAssessment, useAssessment, useTeamAssessment } from './queries.ts'
import { TeamAssessmentView } from './team-assessment-view.tsx'

export function AssessmentPage() {
  const { orgId, assessmentId } = useParams({ from: '/o/$orgId/risk/$assessmentId' })
  const isTeam = isTeamAssessment(assessmentId)
  // Only the query that fits the id is enabled.
  const agentAssessment = useAssessment(orgId, assessmentId)
  const teamAssessment = useTeamAssessment(orgId, assessmentId)
  return (
    <Page
      title={isTeam ? 'Team risk assessment' : 'Risk assessment'}
      lead={<span className="font-mono text-sm break-all">{assessmentId}</span>}
    >
      {isTeam ? (
        <Loaded query={teamAssessment} lines={5}>
          {(data) => <TeamAssessmentView orgId={orgId} assessment={data} />}
        </Loaded>
      ) : (
        <Loaded query={agentAssessment} lines={5}>
          {(data) => <AgentAssessmentView orgId={orgId} assessment={data} />}
        </Loaded>
      )}
    </Page>
  )
}

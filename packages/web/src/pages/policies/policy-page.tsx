import { Link, useParams } from '@tanstack/react-router'
import { useAgentName } from '../../names/agent-link.tsx'
import { useOrgId } from '../../session/use-org-id.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { useTeam } from '../teams/queries.ts'
import { DecisionsLink } from './decisions-link.tsx'
import { EvaluationsCard } from './evaluations-card.tsx'
import { HistoryCard } from './history-card.tsx'
import type { Owner } from './owner.ts'
import { PolicySummary } from './policy-summary.tsx'
import { PolicyWorkbench } from './policy-workbench.tsx'
import { usePolicy } from './queries.ts'

export function OrgPolicyPage() {
  const orgId = useOrgId()
  return (
    <Page
      title="Organisation policy"
      lead="Applies to every agent. An agent’s own policy can add rules but cannot relax these."
      actions={<DecisionsLink owner={{ kind: 'org', id: orgId }} />}
    >
      <PolicyParts owner={{ kind: 'org', id: orgId }} />
    </Page>
  )
}

export function AgentPolicyPage() {
  const { orgId, agentId } = useParams({ from: '/o/$orgId/policies/agents/$agentId' })
  const name = useAgentName()(agentId)
  return (
    <Page
      title={`Policy for ${name}`}
      lead="Merged with the organisation policy; the stricter default applies."
      actions={
        <>
          <DecisionsLink owner={{ kind: 'agent', id: agentId }} />
          <Link
            to="/o/$orgId/agents/$agentId"
            params={{ orgId, agentId }}
            className={buttonClass()}
          >
            View agent
          </Link>
        </>
      }
    >
      <Card
        title="Effective policy"
        note="The organisation policy merged with the agent’s own"
        className="mb-6"
      >
        <PolicySummary orgId={orgId} agentId={agentId} />
      </Card>
      <PolicyParts owner={{ kind: 'agent', id: agentId }} />
      <div className="mt-6">
        <EvaluationsCard agentId={agentId} />
      </div>
    </Page>
  )
}

export function TeamPolicyPage() {
  const { teamId } = useParams({ from: '/o/$orgId/policies/teams/$teamId' })
  const team = useTeam(teamId)
  return (
    <Page
      title={`Policy for ${team.data?.team.name ?? 'team'}`}
      lead="Applies only to transactions of the team’s members."
    >
      <PolicyParts owner={{ kind: 'team', id: teamId }} />
    </Page>
  )
}

function PolicyParts({ owner }: { owner: Owner }) {
  const policy = usePolicy(owner)
  return (
    <div className="grid gap-6">
      <Loaded query={policy} lines={5}>
        {(saved) => <PolicyWorkbench key={saved?.version ?? 0} owner={owner} saved={saved} />}
      </Loaded>
      <HistoryCard owner={owner} />
    </div>
  )
}

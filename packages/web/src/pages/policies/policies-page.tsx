import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type OwnAgent, useAgents } from '../../session/use-agents.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Figure } from '../../ui/figure.tsx'
import { Page } from '../../ui/page.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Empty, Loaded, StillLoading } from '../../ui/states.tsx'
import { useTeams } from '../teams/queries.ts'
import { PolicyMode } from './policy-summary.tsx'
import { useOrgDocument, useResolvedPolicy } from './queries.ts'

const LINK =
  'font-medium underline decoration-line-strong underline-offset-4 hover:decoration-accent'

/**
 * Each row fetches the agent's effective policy, which the service limits to 30 requests per
 * minute.
 */
const AGENTS_SHOWN = 12

export function PoliciesPage() {
  const orgId = useOrgId()
  return (
    <Page
      title="Policies"
      lead="Policies define which tools agents may call. The gateway evaluates every call, and every trace is checked."
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 gap-6">
          <OrgPolicy orgId={orgId} />
          <AgentPolicies orgId={orgId} />
        </div>
        <TeamPolicies orgId={orgId} />
      </div>
    </Page>
  )
}

function OrgPolicy({ orgId }: { orgId: string }) {
  const document = useOrgDocument(orgId)
  return (
    <Card
      title="Organisation"
      note="Applies to every agent"
      actions={
        <Link to="/o/$orgId/policies/org" params={{ orgId }} className={buttonClass('primary')}>
          {document.data === null ? 'Create policy' : 'View policy'}
        </Link>
      }
    >
      <Loaded query={document}>
        {(policy) =>
          policy === null ? (
            <Empty title="No policy yet">
              Without an organisation policy, every call is allowed unless an agent’s own policy
              blocks it.
            </Empty>
          ) : (
            <div className="grid gap-4">
              <p className="flex flex-wrap items-center gap-2">
                <span className="font-medium">{policy.meta.name}</span>
                <span className="text-sm text-ink-faint">Version {policy.version}</span>
                <PolicyMode mode={policy.defaults.enforcement_mode} />
              </p>
              <div className="grid grid-cols-3 gap-4">
                <Figure label="Forbidden">{policy.forbidden.length}</Figure>
                <Figure label="Capabilities">
                  {Object.keys(policy.capability_mappings).length}
                </Figure>
                <Figure label="Triggers">{policy.escalation_triggers.length}</Figure>
              </div>
            </div>
          )
        }
      </Loaded>
    </Card>
  )
}

function AgentPolicies({ orgId }: { orgId: string }) {
  const agents = useAgents()
  const [page, setPage] = useState(1)
  return (
    <Card title="Agents" note="The effective policy of each agent" padded={false}>
      <Loaded query={agents}>
        {({ agents: all, total }) => (
          <Paged
            page={page}
            perPage={AGENTS_SHOWN}
            total={all.length}
            onPage={setPage}
            empty={<Empty title="No agents yet" />}
          >
            <ul>
              {all.slice((page - 1) * AGENTS_SHOWN, page * AGENTS_SHOWN).map((agent) => (
                <AgentLine key={agent.agent_id} orgId={orgId} agent={agent} />
              ))}
            </ul>
            {total > all.length ? (
              <p className="px-5 py-2.5 text-xs text-ink-faint">
                Showing the newest {all.length} of {total} agents. To see another agent’s policy,
                open the agent.
              </p>
            ) : null}
          </Paged>
        )}
      </Loaded>
    </Card>
  )
}

function AgentLine({ orgId, agent }: { orgId: string; agent: OwnAgent }) {
  const resolved = useResolvedPolicy(orgId, agent.agent_id)
  const own = resolved.data?.sources.agent_policy_version ?? 0
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-5 py-2.5 text-sm last:border-0">
      <Link
        to="/o/$orgId/policies/agents/$agentId"
        params={{ orgId, agentId: agent.agent_id }}
        className={LINK}
      >
        {agent.name}
      </Link>
      <StillLoading when={resolved.isPending} />
      {resolved.data === undefined ? null : (
        <span className="flex items-center gap-3 text-ink-soft">
          {resolved.data === null
            ? 'No policy'
            : own === 0
              ? 'Organisation policy only'
              : `Agent policy, version ${own}`}
          {resolved.data === null ? null : (
            <PolicyMode mode={resolved.data.resolved_policy.defaults.enforcement_mode} />
          )}
        </span>
      )}
    </li>
  )
}

function TeamPolicies({ orgId }: { orgId: string }) {
  const [page, setPage] = useState(1)
  const teams = useTeams(orgId, { status: 'active', page })
  return (
    <Card title="Teams" note="Team policies apply to transactions only" padded={false}>
      <Loaded query={teams}>
        {({ teams: rows, total, per_page: perPage }) => (
          <Paged
            page={page}
            perPage={perPage}
            total={total}
            onPage={setPage}
            empty={<Empty title="No teams yet" />}
          >
            <ul>
              {rows.map((team) => (
                <li
                  key={team.id}
                  className="border-b border-line px-5 py-2.5 text-sm last:border-0"
                >
                  <Link
                    to="/o/$orgId/policies/teams/$teamId"
                    params={{ orgId, teamId: team.id }}
                    className={LINK}
                  >
                    {team.name}
                  </Link>
                </li>
              ))}
            </ul>
          </Paged>
        )}
      </Loaded>
    </Card>
  )
}

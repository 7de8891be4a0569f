import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type OwnAgent, useAgents } from '../../session/use-agents.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Figure } from '../../ui/figure.tsx'
import { Page } from '../../ui/page.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { useTeams } from '../teams/queries.ts'
import { PolicyMode } from './policy-summary.tsx'
import { useOrgDocument, useResolvedPolicy } from './queries.ts'

const LINK =
  'font-medium underline decoration-line-strong underline-offset-4 hover:decoration-accent'

/** Each line asks what its agent is held to, and the service answers 30 of those a minute. */
const AGENTS_SHOWN = 12

export function PoliciesPage() {
  const orgId = useOrgId()
  return (
    <Page
      title="Policies"
      lead="Which tools agents may call. The gateway asks before each call; every trace is held against it."
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
      title="The organisation"
      note="Holds for every agent."
      actions={
        <Link to="/o/$orgId/policies/org" params={{ orgId }} className={buttonClass('primary')}>
          {document.data === null ? 'Write a policy' : 'Open'}
        </Link>
      }
    >
      <Loaded query={document}>
        {(policy) =>
          policy === null ? (
            <Empty title="No policy yet">
              Until there is one, every call is allowed, unless an agent’s own policy says
              otherwise.
            </Empty>
          ) : (
            <div className="grid gap-4">
              <p className="flex flex-wrap items-center gap-2">
                <span className="font-medium">{policy.meta.name}</span>
                <span className="text-sm text-ink-faint">version {policy.version}</span>
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
    <Card
      title="Agents"
      note="What each is held to: the organisation’s and its own."
      padded={false}
    >
      <Loaded query={agents}>
        {({ agents: all, total }) => (
          <Paged
            page={page}
            perPage={AGENTS_SHOWN}
            total={all.length}
            onPage={setPage}
            empty={<Empty title="No agent yet" />}
          >
            <ul>
              {all.slice((page - 1) * AGENTS_SHOWN, page * AGENTS_SHOWN).map((agent) => (
                <AgentLine key={agent.agent_id} orgId={orgId} agent={agent} />
              ))}
            </ul>
            {total > all.length ? (
              <p className="px-5 py-2.5 text-xs text-ink-faint">
                These are the newest {all.length} of {total}. The page of any other shows its own.
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
      {resolved.data === undefined ? null : (
        <span className="flex items-center gap-3 text-ink-soft">
          {resolved.data === null
            ? 'no policy'
            : own === 0
              ? 'organisation’s only'
              : `own version ${own}`}
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
    <Card title="Teams" note="Bind transactions only." padded={false}>
      <Loaded query={teams}>
        {({ teams: rows, total, per_page: perPage }) => (
          <Paged
            page={page}
            perPage={perPage}
            total={total}
            onPage={setPage}
            empty={<Empty title="No team yet" />}
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

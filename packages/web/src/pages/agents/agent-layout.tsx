import { Link, Outlet, useParams } from '@tanstack/react-router'
import { AssuranceMark } from '../../ui/assurance.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { DemoLabel } from '../../ui/demo-label.tsx'
import { GradeMark } from '../../ui/grade.tsx'
import { State } from '../../ui/marks.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded, StillLoading } from '../../ui/states.tsx'
import { TAB_CLASS, Tabs } from '../../ui/tabs.tsx'
import { useAgent, useScore } from './queries.ts'

const TABS = [
  { label: 'Overview', to: '/o/$orgId/agents/$agentId' },
  { label: 'Sessions', to: '/o/$orgId/agents/$agentId/sessions' },
  { label: 'Checkpoints', to: '/o/$orgId/agents/$agentId/checkpoints' },
  { label: 'Traces', to: '/o/$orgId/agents/$agentId/traces' },
  { label: 'Violations', to: '/o/$orgId/agents/$agentId/violations' },
  { label: 'Drift', to: '/o/$orgId/agents/$agentId/drift' },
  { label: 'Card', to: '/o/$orgId/agents/$agentId/card' },
  { label: 'Policy', to: '/o/$orgId/policies/agents/$agentId' },
  { label: 'Simulator', to: '/o/$orgId/agents/$agentId/simulator' },
  { label: 'Tools', to: '/o/$orgId/agents/$agentId/tools' },
  { label: 'Connections', to: '/o/$orgId/agents/$agentId/connections' },
  { label: 'Control', to: '/o/$orgId/agents/$agentId/control' },
] as const

/** The frame of an agent's pages: name, grade, status and tabs. */
export function AgentLayout() {
  const { orgId, agentId } = useParams({ from: '/o/$orgId/agents/$agentId' })
  const agent = useAgent(agentId)
  const score = useScore(agentId)
  const name = agent.data?.name ?? agentId
  return (
    <Page
      title={name}
      heading={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {name}
          <DemoLabel id={agentId} />
          {score.data === undefined ? null : <GradeMark grade={score.data.grade} size="large" />}
          <AssuranceMark level={score.data?.assurance?.level} />
          {agent.data?.status === undefined || agent.data.status === 'active' ? null : (
            <State state={agent.data.status} />
          )}
        </span>
      }
      lead={
        <>
          <StillLoading when={agent.isPending || score.isPending} />
          <span className="font-mono text-sm break-all">{agentId}</span>
          {agent.data?.description ? <p>{agent.data.description}</p> : null}
        </>
      }
      actions={
        agent.data?.visibility === undefined || agent.data.visibility === 'private' ? undefined : (
          <a href={`/a/${encodeURIComponent(agentId)}`} className={buttonClass()}>
            Public page
          </a>
        )
      }
    >
      <Tabs label="Agent">
        {TABS.map(({ label, to }) => (
          <Link
            key={to}
            to={to}
            params={{ orgId, agentId }}
            activeOptions={{ exact: label === 'Overview', includeSearch: false }}
            className={TAB_CLASS}
          >
            {label}
          </Link>
        ))}
      </Tabs>
      <Loaded query={agent}>{() => <Outlet />}</Loaded>
    </Page>
  )
}

import { Link, useParams } from '@tanstack/react-router'
import { useMe } from '../../session/use-session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Agent, useAgents } from '../agents/queries.ts'
import { ActivityCard } from './activity-card.tsx'
import { Attention } from './attention.tsx'
import { Movers } from './movers.tsx'
import { WATCHED_MAX } from './queries.ts'

/** The operator's start page: what needs attention, live activity and score changes. */
export function OverviewPage() {
  const { orgId } = useParams({ from: '/o/$orgId' })
  const me = useMe()
  const agents = useAgents(orgId)
  const name = me.data?.orgs.find((org) => org.org_id === orgId)?.name
  return (
    <Page title="Overview" heading={name ?? 'Overview'}>
      <Loaded query={agents} lines={5}>
        {(found) =>
          found.total === 0 ? (
            <GettingStarted orgId={orgId} />
          ) : (
            <div className="grid gap-6">
              <Attention
                orgId={orgId}
                agents={found.agents}
                watched={mostRecentlySeen(found.agents)}
              />
              <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
                <ActivityCard orgId={orgId} agents={found.agents} />
                <Movers orgId={orgId} agents={found.agents} />
              </div>
            </div>
          )
        }
      </Loaded>
    </Page>
  )
}

function mostRecentlySeen(agents: readonly Agent[]): Agent[] {
  const lastSeen = (agent: Agent) => agent.last_seen_at ?? ''
  return [...agents].sort((a, b) => lastSeen(b).localeCompare(lastSeen(a))).slice(0, WATCHED_MAX)
}

function GettingStarted({ orgId }: { orgId: string }) {
  return (
    <div className="rounded-card border border-line bg-surface py-6 shadow-soft">
      <Empty
        title="No agents yet"
        action={
          <Link to="/o/$orgId/agents/new" params={{ orgId }} className={buttonClass('primary')}>
            Register agent
          </Link>
        }
      >
        Register an agent and send its first checkpoint. The analysed checkpoint appears here as
        soon as it arrives.
      </Empty>
    </div>
  )
}

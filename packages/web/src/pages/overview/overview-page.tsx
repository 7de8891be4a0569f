import { useParams } from '@tanstack/react-router'
import { RangePicker } from '../../range/range-picker.tsx'
import type { TimeRange } from '../../range/time-range.ts'
import { useTimeRange } from '../../range/use-time-range.ts'
import { useRole } from '../../session/use-can-edit.ts'
import { useMe } from '../../session/use-session.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Agent, useAgents } from '../agents/queries.ts'
import { ActivityCard } from './activity-card.tsx'
import { Attention } from './attention.tsx'
import { BlockedCard } from './blocked-card.tsx'
import { ChangedAgentsCard } from './changed-agents-card.tsx'
import { Checklist, NextStep } from './checklist.tsx'
import { LatencyChart, OutcomeChart } from './decision-charts.tsx'
import { Figures } from './figures.tsx'
import { useRecentDecisions, WATCHED_MAX } from './queries.ts'
import { QueueCard } from './queue-card.tsx'
import { useSetup } from './setup-queries.ts'
import { UsageChart } from './usage-chart.tsx'

const USUAL = '24h'

/** The operator's start page: what needs attention, what happened, and what is happening. */
export function OverviewPage() {
  const { orgId } = useParams({ from: '/o/$orgId' })
  const me = useMe()
  const agents = useAgents(orgId)
  const recent = useRecentDecisions(orgId)
  const range = useTimeRange() ?? USUAL
  const name = me.data?.orgs.find((org) => org.org_id === orgId)?.name
  const hasDecisions = recent.data === undefined || recent.data.decisions.length > 0
  return (
    <Page
      title="Overview"
      heading={name ?? 'Overview'}
      actions={hasDecisions ? <RangePicker usual={USUAL} /> : undefined}
    >
      <Loaded query={agents} lines={5}>
        {(found) => (
          <div className="grid grid-cols-1 gap-6">
            <Setup orgId={orgId} isFirst={!hasDecisions} />
            {hasDecisions ? <Sections orgId={orgId} range={range} agents={found.agents} /> : null}
            {!hasDecisions && found.total > 0 ? (
              <>
                <Attention
                  range={range}
                  agents={found.agents}
                  watched={mostRecentlySeen(found.agents)}
                  orgId={orgId}
                />
                <ChangedAgentsCard orgId={orgId} agents={found.agents} range="30d" />
              </>
            ) : null}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

type SetupProps = {
  orgId: string
  /** True while there is nothing else to show. */
  isFirst: boolean
}

/** The checklist, until every step of it is done; once there are decisions, one line of it. */
function Setup({ orgId, isFirst }: SetupProps) {
  const role = useRole()
  const canSetUp = role === 'owner' || role === 'admin'
  const setup = useSetup(orgId, canSetUp)
  if (role === undefined) return null
  if (!canSetUp) {
    return isFirst ? (
      <Empty title="No decisions yet">
        An owner or admin of the organisation can connect an agent.
      </Empty>
    ) : null
  }
  const steps = setup.data
  if (steps === undefined || steps.every(({ isDone }) => isDone)) return null
  return isFirst ? (
    <Checklist orgId={orgId} steps={steps} />
  ) : (
    <NextStep orgId={orgId} steps={steps} />
  )
}

type SectionsProps = { orgId: string; range: TimeRange; agents: readonly Agent[] }

const WIDE = 'grid min-w-0 items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]'

function Sections({ orgId, range, agents }: SectionsProps) {
  return (
    <>
      <Figures orgId={orgId} range={range} />
      <div className={WIDE}>
        <OutcomeChart orgId={orgId} range={range} />
        {/* On a phone, a call that waits comes before the charts. */}
        <div className="min-w-0 max-lg:order-first">
          <QueueCard orgId={orgId} />
        </div>
      </div>
      <Attention orgId={orgId} range={range} agents={agents} watched={mostRecentlySeen(agents)} />
      <div className={WIDE}>
        <ActivityCard orgId={orgId} />
        <div className="grid min-w-0 gap-6">
          <BlockedCard orgId={orgId} range={range} />
          <ChangedAgentsCard orgId={orgId} agents={agents} range={range} />
        </div>
      </div>
      <div className="grid min-w-0 items-start gap-6 lg:grid-cols-2">
        <LatencyChart orgId={orgId} range={range} />
        <UsageChart orgId={orgId} range={range} />
      </div>
    </>
  )
}

function mostRecentlySeen(agents: readonly Agent[]): Agent[] {
  const lastSeen = (agent: Agent) => agent.last_seen_at ?? ''
  return [...agents].sort((a, b) => lastSeen(b).localeCompare(lastSeen(a))).slice(0, WATCHED_MAX)
}

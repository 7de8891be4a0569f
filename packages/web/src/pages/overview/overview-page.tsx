import { useParams } from '@tanstack/react-router'
import { RangePicker } from '../../range/range-picker.tsx'
import type { TimeRange } from '../../range/time-range.ts'
import { useTimeRange } from '../../range/use-time-range.ts'
import { useRole } from '../../session/use-can-edit.ts'
import { useMe } from '../../session/use-session.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded, StillLoading } from '../../ui/states.tsx'
import { useStandings } from '../agents/use-standings.ts'
import { ActivityCard } from './activity-card.tsx'
import { Attention } from './attention.tsx'
import { BlockedCard } from './blocked-card.tsx'
import { ChangedAgentsCard } from './changed-agents-card.tsx'
import { Checklist, NextStep } from './checklist.tsx'
import { LatencyChart, OutcomeChart } from './decision-charts.tsx'
import { Figures } from './figures.tsx'
import { useRecentDecisions } from './queries.ts'
import { QueueCard } from './queue-card.tsx'
import { useSetup } from './setup-queries.ts'
import { UsageChart } from './usage-chart.tsx'

const USUAL = '24h'

/** The operator's start page: what needs attention, what happened, and what is happening. */
export function OverviewPage() {
  const { orgId } = useParams({ from: '/o/$orgId' })
  const me = useMe()
  const recent = useRecentDecisions(orgId)
  const range = useTimeRange() ?? USUAL
  const name = me.data?.orgs.find((org) => org.org_id === orgId)?.name
  const isEmpty = recent.data?.decisions.length === 0
  return (
    <Page
      title="Overview"
      heading={name ?? 'Overview'}
      actions={isEmpty ? undefined : <RangePicker usual={USUAL} />}
    >
      <Loaded query={recent} lines={5}>
        {() => (
          <div className="grid grid-cols-1 gap-6">
            <Setup orgId={orgId} isFirst={isEmpty} />
            {isEmpty ? (
              <Evidence orgId={orgId} range="30d" />
            ) : (
              <Sections orgId={orgId} range={range} />
            )}
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
  const setup = useSetup(orgId, { isAsked: canSetUp, isShown: isFirst })
  if (role === undefined || setup.isLoading) return <StillLoading when />
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

type SectionsProps = { orgId: string; range: TimeRange }

const WIDE = 'grid min-w-0 items-start gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]'

function Sections({ orgId, range }: SectionsProps) {
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
      <Attention orgId={orgId} range={range} />
      <div className={WIDE}>
        <ActivityCard orgId={orgId} />
        <div className="grid min-w-0 gap-6">
          <BlockedCard orgId={orgId} range={range} />
          <ChangedAgentsCard orgId={orgId} range={range} />
        </div>
      </div>
      <div className="grid min-w-0 items-start gap-6 lg:grid-cols-2">
        <LatencyChart orgId={orgId} range={range} />
        <UsageChart orgId={orgId} range={range} />
      </div>
    </>
  )
}

/** Agents can send evidence without asking for decisions. */
function Evidence({ orgId, range }: SectionsProps) {
  const agents = useStandings(orgId, range, { per_page: 1 })
  if (agents.data === undefined || agents.data.total === 0) return null
  return (
    <>
      <Attention orgId={orgId} range={range} />
      <div className={WIDE}>
        <ActivityCard orgId={orgId} />
        <ChangedAgentsCard orgId={orgId} range={range} />
      </div>
    </>
  )
}

import { useParams } from '@tanstack/react-router'
import { Card } from '../../ui/card.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { usePlan } from './queries.ts'

type Row = { data: string; kept: string }

/** Periods that are the same for every organisation (docs/guide/run.md, Retention). */
const FIXED: readonly Row[] = [
  { data: 'Agents, cards, checkpoints, policies and weekly scores', kept: 'As long as they exist' },
  { data: 'Texts of prompts, answers and reasoning', kept: 'Never stored' },
  { data: 'Ended approvals and policy evaluations', kept: '90 days' },
  { data: 'Events and webhook deliveries', kept: '30 days' },
  { data: 'Audit log', kept: '400 days' },
  { data: 'Usage by day', kept: '25 months' },
]

const COLUMNS: Column<Row>[] = [
  { key: 'data', label: 'Data', cell: ({ data }) => data },
  { key: 'kept', label: 'Kept', cell: ({ kept }) => kept },
]

/** How long the data of the organisation is kept. */
export function RetentionTab() {
  const { orgId } = useParams({ from: '/o/$orgId/settings/retention' })
  const plan = usePlan(orgId)
  return (
    <Loaded query={plan} lines={5}>
      {({ limits: { trace_retention_days: days } }) => (
        <Card
          className="max-w-3xl"
          title="Retention"
          note="Expired data is deleted every night (UTC). Deleted agents and organisations are erased after 30 days."
          padded={false}
        >
          <Table
            caption="Retention"
            columns={COLUMNS}
            rows={[...keptByPlan(days), ...FIXED]}
            keyOf={({ data }) => data}
          />
          <p className="border-t border-line px-5 py-3 text-sm text-ink-soft">
            The first two rows depend on the plan. The others are the same for every organisation.{' '}
            <TextLink to="/docs/$" params={{ _splat: 'guide/run' }} hash="retention">
              All data
            </TextLink>
          </p>
        </Card>
      )}
    </Loaded>
  )
}

function keptByPlan(days: number | null): Row[] {
  return [
    {
      data: 'Traces',
      kept: days === null ? 'Without limit' : `${days} days, or longer if the agent’s card says so`,
    },
    {
      data: 'Decisions and their statistics, as shown',
      kept: days === null ? 'As long as the service keeps them' : `The last ${days} days`,
    },
  ]
}

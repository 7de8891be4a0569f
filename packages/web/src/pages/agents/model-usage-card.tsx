import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { RangePicker } from '../../range/range-picker.tsx'
import { boundsOf, writeTimeRange } from '../../range/time-range.ts'
import { useTimeRange } from '../../range/use-time-range.ts'
import { api } from '../../session/session.ts'
import { Card } from '../../ui/card.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatDay } from '../../ui/time.tsx'

const USUAL = '30d'

const PATH = '/v1/agents/{agent_id}/model-usage'

type UsageDay = Answer<'GET', typeof PATH>['days'][number]

/** Turns and tokens of the time range, by day and model. */
export function ModelUsageCard({ agentId }: { agentId: string }) {
  const range = useTimeRange() ?? USUAL
  const usage = useQuery({
    queryKey: ['model-usage', agentId, writeTimeRange(range)],
    queryFn: () => {
      const { from, to } = boundsOf(range, new Date())
      return api.request('GET', PATH, {
        params: { agent_id: agentId },
        query: { from: from.toISOString(), to: to.toISOString() },
      })
    },
  })
  return (
    <Card
      title="Model usage"
      note="By day in UTC and model"
      padded={false}
      actions={<RangePicker usual={USUAL} />}
    >
      <Loaded query={usage}>
        {({ days }) =>
          days.length === 0 ? (
            <Empty title="No turns in this time range">
              Turns appear here as soon as the agent calls its model through a connection.
            </Empty>
          ) : (
            <Table
              caption="Model usage"
              columns={COLUMNS}
              rows={days.toReversed()}
              keyOf={({ date, model }) => `${date} ${model}`}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

type Counter =
  | 'turns'
  | 'input_tokens'
  | 'cached_tokens'
  | 'output_tokens'
  | 'tool_calls'
  | 'blocked'

const counter = (key: Counter, label: string): Column<UsageDay> => ({
  key,
  label,
  align: 'right',
  cell: (day) => day[key].toLocaleString('en'),
})

const COLUMNS: Column<UsageDay>[] = [
  { key: 'date', label: 'Day', cell: (day) => formatDay(day.date), ownLine: false },
  {
    key: 'model',
    label: 'Model',
    cell: (day) => <span className="font-mono text-xs break-all">{day.model}</span>,
  },
  counter('turns', 'Turns'),
  counter('input_tokens', 'Input tokens'),
  counter('cached_tokens', 'Cached'),
  counter('output_tokens', 'Output tokens'),
  counter('tool_calls', 'Tool calls'),
  counter('blocked', 'Refused'),
]

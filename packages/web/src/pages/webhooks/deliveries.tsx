import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Card } from '../../ui/card.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Pill, type Tone } from '../../ui/pill.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { type Delivery, useDeliveries } from './queries.ts'

type Filter = 'all' | 'delivered' | 'retrying' | 'failed'

const OPTIONS = [
  { value: 'all', label: 'All' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'retrying', label: 'Retrying' },
  { value: 'failed', label: 'Failed' },
] as const

/** Deliveries, newest first; of all endpoints, or of one. */
export function Deliveries({ orgId, endpointId }: { orgId: string; endpointId?: string }) {
  const [filter, setFilter] = useState<Filter>('all')
  const [page, setPage] = useState(1)
  const deliveries = useDeliveries(orgId, {
    page,
    endpoint_id: endpointId,
    status: filter === 'all' ? undefined : filter,
  })
  const choose = (next: Filter) => {
    setFilter(next)
    setPage(1)
  }
  return (
    <Card
      title="Deliveries"
      note="Kept for 30 days"
      padded={false}
      actions={<Segments label="Status" value={filter} options={OPTIONS} onChange={choose} />}
    >
      <Loaded query={deliveries}>
        {({ deliveries: rows, total, per_page }) => (
          <Paged
            page={page}
            perPage={per_page}
            total={total}
            onPage={setPage}
            empty={
              <Empty title={filter === 'all' ? 'No deliveries yet' : 'No matching deliveries'}>
                {filter === 'all'
                  ? 'Open an endpoint and send a test event to see a delivery.'
                  : undefined}
              </Empty>
            }
          >
            <Table
              caption="Deliveries"
              columns={columnsFor(orgId)}
              rows={rows}
              keyOf={(row) => row.delivery_id}
            />
          </Paged>
        )}
      </Loaded>
    </Card>
  )
}

function columnsFor(orgId: string): Column<Delivery>[] {
  return [
    {
      key: 'event',
      label: 'Event',
      cell: (row) => (
        <Link
          to="/o/$orgId/webhooks/deliveries/$deliveryId"
          params={{ orgId, deliveryId: row.delivery_id }}
          className="font-mono underline decoration-line-strong underline-offset-4 hover:decoration-accent"
        >
          {row.event_type}
        </Link>
      ),
    },
    { key: 'status', label: 'Status', cell: (row) => <DeliveryStatus status={row.status} /> },
    { key: 'answer', label: 'Response', cell: (row) => row.last_response_status ?? '—' },
    {
      key: 'attempts',
      label: 'Attempts',
      align: 'right',
      cell: (row) => `${row.attempt_count} of ${row.max_attempts}`,
    },
    {
      key: 'latency',
      label: 'Duration',
      align: 'right',
      cell: (row) => (row.latency_ms === null ? '—' : `${row.latency_ms} ms`),
    },
    { key: 'at', label: 'Time', align: 'right', cell: (row) => <Ago at={row.created_at} /> },
  ]
}

const TONES: Record<Delivery['status'], Tone> = {
  pending: 'info',
  delivering: 'info',
  retrying: 'warn',
  delivered: 'good',
  failed: 'bad',
}

export function DeliveryStatus({ status }: { status: Delivery['status'] }) {
  return <Pill tone={TONES[status]}>{sentenceCase(status)}</Pill>
}

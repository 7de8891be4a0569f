import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Ago, formatDate } from '../../ui/time.tsx'
import { DeliveryStatus } from './deliveries.tsx'
import { useDelivery, webhooksKey } from './queries.ts'

type FullDelivery = NonNullable<ReturnType<typeof useDelivery>['data']>

export function DeliveryPage() {
  const { orgId, deliveryId } = useParams({ from: '/o/$orgId/webhooks/deliveries/$deliveryId' })
  const delivery = useDelivery(orgId, deliveryId)
  const navigate = useNavigate()
  const canEdit = useCanEdit()
  const redeliver = useAction({
    run: () =>
      api.request('POST', '/v1/orgs/{org_id}/webhooks/deliveries/{delivery_id}/redeliver', {
        params: { org_id: orgId, delivery_id: deliveryId },
      }),
    done: () => 'Redelivery scheduled',
    refresh: [webhooksKey(orgId)],
    onDone: ({ delivery_id }) =>
      void navigate({
        to: '/o/$orgId/webhooks/deliveries/$deliveryId',
        params: { orgId, deliveryId: delivery_id },
      }),
  })
  const isFinished = delivery.data?.status === 'delivered' || delivery.data?.status === 'failed'
  return (
    <Page
      title="Delivery"
      heading={delivery.data?.event_type ?? 'Delivery'}
      lead={<span className="font-mono text-sm break-all">{deliveryId}</span>}
      actions={
        canEdit && isFinished ? (
          <Button tone="primary" busy={redeliver.isPending} onClick={() => redeliver.mutate()}>
            Redeliver
          </Button>
        ) : undefined
      }
    >
      <Loaded query={delivery} lines={5}>
        {(data) => <Parts orgId={orgId} delivery={data} />}
      </Loaded>
    </Page>
  )
}

function Parts({ orgId, delivery }: { orgId: string; delivery: FullDelivery }) {
  const { endpoint_id: endpointId } = delivery
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <div className="grid min-w-0 gap-6">
        <Attempts attempts={delivery.attempts} />
        <Card title="Payload" note="Exactly as signed and sent">
          <CodeBlock label="JSON" code={JSON.stringify(delivery.payload, null, 2)} />
        </Card>
      </div>
      <Card title="Details">
        <Facts
          facts={[
            { label: 'Status', value: <DeliveryStatus status={delivery.status} /> },
            {
              label: 'Last response',
              value: delivery.last_response_status ?? delivery.last_error ?? 'None yet',
            },
            {
              label: 'Next attempt',
              value: delivery.next_attempt_at ? formatDate(delivery.next_attempt_at) : 'None',
            },
            {
              label: 'Endpoint',
              value: (
                <Link
                  to="/o/$orgId/webhooks/$endpointId"
                  params={{ orgId, endpointId }}
                  className="font-mono text-xs break-all underline underline-offset-4"
                >
                  {endpointId}
                </Link>
              ),
            },
            { label: 'Event ID', value: <Id>{delivery.event_id}</Id> },
            { label: 'Created', value: <Ago at={delivery.created_at} /> },
          ]}
        />
      </Card>
    </div>
  )
}

function Attempts({ attempts }: { attempts: FullDelivery['attempts'] }) {
  return (
    <Card title="Attempts" padded={false}>
      {attempts.length === 0 ? (
        <Empty title="No attempts yet" />
      ) : (
        <Table
          caption="Attempts"
          rows={attempts}
          keyOf={(row) => row.at}
          columns={[
            { key: 'at', label: 'Time', cell: (row) => formatDate(row.at) },
            { key: 'answer', label: 'Response', cell: (row) => row.status ?? '—' },
            { key: 'error', label: 'Error', cell: (row) => row.error ?? '—' },
            {
              key: 'took',
              label: 'Duration',
              align: 'right',
              cell: (row) => (row.latency_ms === null ? '—' : `${row.latency_ms} ms`),
            },
          ]}
        />
      )}
    </Card>
  )
}

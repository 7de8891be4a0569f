import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { Deliveries } from './deliveries.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { type Endpoint, type EndpointBody, useEndpoints, webhooksKey } from './queries.ts'
import { Secret } from './secret.tsx'

/** spec: interface, Limits */
const ENDPOINTS_MAX = 5

export function WebhooksPage() {
  const orgId = useOrgId()
  const endpoints = useEndpoints(orgId)
  const [adding, setAdding] = useState(false)
  const full = (endpoints.data?.webhooks.length ?? 0) >= ENDPOINTS_MAX
  const canEdit = useCanEdit()
  return (
    <Page
      title="Webhooks"
      lead="Send signed events, such as violations and score changes, to your own services."
      actions={
        canEdit ? (
          <Button tone="primary" disabled={full} onClick={() => setAdding(true)}>
            Add endpoint
          </Button>
        ) : undefined
      }
    >
      <div className="grid gap-6">
        <Card
          title="Endpoints"
          note={full ? `Limit of ${ENDPOINTS_MAX} endpoints reached` : undefined}
          padded={false}
        >
          <Loaded query={endpoints}>
            {({ webhooks }) =>
              webhooks.length === 0 ? (
                <Empty title="No endpoints yet">
                  Add the URL of your service to receive signed events as they happen.
                </Empty>
              ) : (
                <ul>
                  {webhooks.map((endpoint) => (
                    <EndpointLine key={endpoint.endpoint_id} endpoint={endpoint} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        </Card>
        <Deliveries orgId={orgId} />
      </div>
      <AddDialog orgId={orgId} open={adding} onClose={() => setAdding(false)} />
    </Page>
  )
}

function EndpointLine({ endpoint }: { endpoint: Endpoint }) {
  const orgId = useOrgId()
  const types = endpoint.event_types
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-1 border-b border-line px-5 py-3 last:border-0">
      <div className="min-w-0">
        <Link
          to="/o/$orgId/webhooks/$endpointId"
          params={{ orgId, endpointId: endpoint.endpoint_id }}
          className="font-mono text-sm break-all underline decoration-line-strong underline-offset-4 hover:decoration-accent"
        >
          {endpoint.url}
        </Link>
        <p className="text-sm text-ink-soft">
          {endpoint.description ?? 'No description'} ·{' '}
          {types.includes('*') ? 'All events' : types.join(', ')}
        </p>
      </div>
      <div className="flex items-center gap-3 text-sm text-ink-faint">
        <Ago at={endpoint.created_at} />
        <EndpointState endpoint={endpoint} />
      </div>
    </li>
  )
}

export function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  if (!endpoint.is_active) return <Pill tone="bad">Disabled</Pill>
  const failures = endpoint.consecutive_failures
  if (failures > 0)
    return <Pill tone="warn">{failures === 1 ? '1 failure' : `${failures} failures`} in a row</Pill>
  return <Pill tone="good">Active</Pill>
}

function AddDialog(props: { orgId: string; open: boolean; onClose: () => void }) {
  const { orgId, open, onClose } = props
  const add = useAction({
    run: (body: EndpointBody) =>
      api.request('POST', '/v1/orgs/{org_id}/webhooks', { params: { org_id: orgId }, body }),
    refresh: [webhooksKey(orgId)],
    pageShowsError: true,
  })
  const close = () => {
    add.reset()
    onClose()
  }
  const secret = add.data?.signing_secret
  return (
    <Dialog open={open} onClose={close} title={add.data ? 'Endpoint added' : 'Add endpoint'}>
      {add.data === undefined ? (
        <EndpointForm
          submitLabel="Add endpoint"
          busy={add.isPending}
          error={add.error}
          onSubmit={add.mutate}
        />
      ) : (
        <>
          {secret === null || secret === undefined ? null : <Secret secret={secret} />}
          <div className="flex justify-end">
            <Button tone="primary" onClick={close}>
              Done
            </Button>
          </div>
        </>
      )}
    </Dialog>
  )
}

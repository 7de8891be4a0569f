import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { Deliveries } from './deliveries.tsx'
import { ReplayDialog, RotateDialog } from './endpoint-dialogs.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { type Endpoint, type EndpointChange, useEndpoint, webhooksKey } from './queries.ts'
import { TestButton } from './test-button.tsx'
import { EndpointState } from './webhooks-page.tsx'

export function EndpointPage() {
  const { orgId, endpointId } = useParams({ from: '/o/$orgId/webhooks/$endpointId' })
  const endpoint = useEndpoint(orgId, endpointId)
  const canEdit = useCanEdit()
  return (
    <Page
      title="Endpoint"
      lead={<span className="font-mono text-sm break-all">{endpoint.data?.url ?? endpointId}</span>}
      actions={canEdit ? <TestButton orgId={orgId} endpointId={endpointId} /> : undefined}
    >
      <div className="grid items-start gap-6 lg:grid-cols-[20rem_minmax(0,1fr)]">
        <Card title="Details">
          <Loaded query={endpoint} lines={5}>
            {(data) => (
              <div className="grid gap-5">
                <EndpointFacts endpoint={data} />
                {canEdit ? <Actions orgId={orgId} endpoint={data} /> : null}
              </div>
            )}
          </Loaded>
        </Card>
        <Deliveries orgId={orgId} endpointId={endpointId} />
      </div>
    </Page>
  )
}

function EndpointFacts({ endpoint }: { endpoint: Endpoint }) {
  const types = endpoint.event_types
  return (
    <Facts
      facts={[
        { label: 'Status', value: <EndpointState endpoint={endpoint} /> },
        ...(endpoint.disabled_reason === null
          ? []
          : [{ label: 'Disabled reason', value: endpoint.disabled_reason }]),
        { label: 'Description', value: endpoint.description ?? 'None' },
        { label: 'Events', value: types.includes('*') ? 'All events' : types.join(', ') },
        { label: 'Created', value: <Ago at={endpoint.created_at} /> },
        { label: 'Updated', value: <Ago at={endpoint.updated_at} /> },
      ]}
    />
  )
}

type Open = 'edit' | 'rotate' | 'replay' | 'delete' | undefined

function Actions({ orgId, endpoint }: { orgId: string; endpoint: Endpoint }) {
  const [open, setOpen] = useState<Open>()
  const close = () => setOpen(undefined)
  const { endpoint_id: endpointId, is_active: isActive } = endpoint
  const params = { org_id: orgId, endpoint_id: endpointId }
  const change = useAction({
    run: (body: EndpointChange) =>
      api.request('PATCH', '/v1/orgs/{org_id}/webhooks/{endpoint_id}', { params, body }),
    done: (saved) => (saved.is_active ? 'Endpoint updated' : 'Endpoint disabled'),
    refresh: [webhooksKey(orgId)],
    onDone: close,
  })
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-4">
      <Button onClick={() => setOpen('edit')}>Edit</Button>
      <Button busy={change.isPending} onClick={() => change.mutate({ is_active: !isActive })}>
        {isActive ? 'Disable' : 'Enable'}
      </Button>
      <Button onClick={() => setOpen('rotate')}>Rotate secret</Button>
      <Button onClick={() => setOpen('replay')}>Replay</Button>
      <Button tone="danger" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      <Dialog open={open === 'edit'} onClose={close} title="Edit endpoint">
        <EndpointForm
          endpoint={endpoint}
          submitLabel="Save"
          busy={change.isPending}
          error={change.error}
          onSubmit={change.mutate}
        />
      </Dialog>
      <RotateDialog params={params} open={open === 'rotate'} onClose={close} />
      <ReplayDialog params={params} open={open === 'replay'} onClose={close} />
      <DeleteDialog params={params} open={open === 'delete'} onClose={close} />
    </div>
  )
}

type DeleteDialogProps = {
  params: { org_id: string; endpoint_id: string }
  open: boolean
  onClose: () => void
}

function DeleteDialog({ params, open, onClose }: DeleteDialogProps) {
  const navigate = useNavigate()
  const remove = useAction({
    run: () => api.request('DELETE', '/v1/orgs/{org_id}/webhooks/{endpoint_id}', { params }),
    done: () => 'Endpoint deleted',
    refresh: [[...webhooksKey(params.org_id), 'endpoints']],
    onDone: () => void navigate({ to: '/o/$orgId/webhooks', params: { orgId: params.org_id } }),
  })
  return (
    <Dialog open={open} onClose={onClose} title="Delete this endpoint?">
      <p className="text-sm text-ink-soft">
        Its events are no longer sent, and its delivery history is deleted. You cannot undo this.
      </p>
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          Delete endpoint
        </Button>
      </div>
    </Dialog>
  )
}

import { type FormEvent, useState } from 'react'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { webhooksKey } from './queries.ts'
import { Secret } from './secret.tsx'

type EndpointDialogProps = {
  params: { org_id: string; endpoint_id: string }
  open: boolean
  onClose: () => void
}

/**
 * Rotates the signing secret; both secrets sign during the overlap while the receiver is updated.
 */
export function RotateDialog({ params, open, onClose }: EndpointDialogProps) {
  const [hours, setHours] = useState('24')
  const rotate = useAction({
    run: (overlapHours: number) =>
      api.request('POST', '/v1/orgs/{org_id}/webhooks/{endpoint_id}/rotate-secret', {
        params,
        body: { overlap_hours: overlapHours },
      }),
    refresh: [webhooksKey(params.org_id)],
  })
  const close = () => {
    rotate.reset()
    onClose()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    rotate.mutate(Number(hours))
  }
  const secret = rotate.data?.signing_secret
  return (
    <Dialog open={open} onClose={close} title="Rotate signing secret">
      {secret === undefined || secret === null ? (
        <form onSubmit={submit} className="grid gap-4">
          <Field
            label="Overlap in hours"
            hint="How long the old secret also signs deliveries: 0 (not at all) to 168"
          >
            {(control) => (
              <Input
                {...control}
                type="number"
                min={0}
                max={168}
                required
                value={hours}
                onChange={(event) => setHours(event.target.value)}
              />
            )}
          </Field>
          <div className="flex justify-end">
            <Button type="submit" tone="primary" busy={rotate.isPending}>
              Rotate secret
            </Button>
          </div>
        </form>
      ) : (
        <Secret secret={secret} />
      )}
    </Dialog>
  )
}

/** Redelivers every event since a time, such as after an outage of the receiver. */
export function ReplayDialog({ params, open, onClose }: EndpointDialogProps) {
  const [since, setSince] = useState('')
  const replay = useAction({
    run: (time: string) =>
      api.request('POST', '/v1/orgs/{org_id}/webhooks/{endpoint_id}/replay', {
        params,
        body: { since: time },
      }),
    done: () => 'Replay started',
    refresh: [webhooksKey(params.org_id)],
    onDone: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    replay.mutate(new Date(since).toISOString())
  }
  return (
    <Dialog open={open} onClose={onClose} title="Replay events">
      <form onSubmit={submit} className="grid gap-4">
        <Field
          label="Since"
          hint="In your time zone. Events are kept for 30 days. Event IDs do not change, so receivers can deduplicate."
        >
          {(control) => (
            <Input
              {...control}
              type="datetime-local"
              required
              value={since}
              onChange={(event) => setSince(event.target.value)}
            />
          )}
        </Field>
        <div className="flex justify-end">
          <Button type="submit" tone="primary" busy={replay.isPending}>
            Replay
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

import { type FormEvent, useState } from 'react'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { type Escalation, escalationsKey } from './queries.ts'

export type ResolveDialogProps = {
  orgId: string
  escalation: Escalation
  outcome: 'approve' | 'reject' | undefined
  onClose: () => void
}

/** Approves or rejects a call, with an optional reason. */
export function ResolveDialog({ orgId, escalation, outcome, onClose }: ResolveDialogProps) {
  const [note, setNote] = useState('')
  const resolve = useAction({
    run: (answer: 'approve' | 'reject') =>
      api.request('POST', '/v1/escalations/{escalation_id}/resolve', {
        ...forOrg(orgId),
        params: { escalation_id: escalation.escalation_id },
        body: { outcome: answer, ...(note.trim() === '' ? {} : { note }) },
      }),
    done: ({ status }) => `Call ${status}`,
    refresh: [escalationsKey(orgId)],
    onDone: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (outcome !== undefined) resolve.mutate(outcome)
  }
  const isApproval = outcome === 'approve'
  return (
    <Dialog
      open={outcome !== undefined}
      onClose={onClose}
      title={isApproval ? 'Approve this call?' : 'Reject this call?'}
    >
      <form onSubmit={submit} className="grid gap-4">
        <p className="text-sm text-ink-soft">
          <span className="font-mono">{escalation.agent_id}</span>{' '}
          {isApproval ? 'will be allowed to call' : 'will not be allowed to call'}{' '}
          <span className="font-mono">{escalation.tool}</span>
          {isApproval ? ' once.' : '.'}
        </p>
        <Field label="Reason" hint="Stored with the approval">
          {(control) => (
            <TextArea
              {...control}
              value={note}
              maxLength={1000}
              onChange={(event) => setNote(event.target.value)}
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone={isApproval ? 'primary' : 'danger'} busy={resolve.isPending}>
            {isApproval ? 'Approve call' : 'Reject call'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

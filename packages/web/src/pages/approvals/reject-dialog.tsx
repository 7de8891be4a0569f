import { type FormEvent, useState } from 'react'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { isEnded } from './is-ended.ts'
import { type Escalation, escalationsKey } from './queries.ts'

type RejectDialogProps = {
  open: boolean
  escalations: readonly Escalation[]
  onClose: () => void
  onDone: () => void
}

/** Rejects several calls with one note. There is no such dialog for approving: each call is to be read. */
export function RejectDialog({ open, escalations, onClose, onDone }: RejectDialogProps) {
  const orgId = useOrgId()
  const [note, setNote] = useState('')
  const count = escalations.length
  const reject = useAction({
    run: () => rejectAll(orgId, escalations, note.trim()),
    done: ({ rejected, failed }) =>
      failed === 0
        ? `${rejected} rejected`
        : `${rejected} rejected, ${failed} not rejected: already answered or expired`,
    refresh: [escalationsKey(orgId)],
    onDone: () => {
      onClose()
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    reject.mutate()
  }
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={count === 1 ? 'Reject 1 call' : `Reject ${count} calls`}
    >
      <form onSubmit={submit} className="grid gap-4">
        <Field label="Note" hint="Stored with each answer">
          {(control) => (
            <TextArea
              {...control}
              value={note}
              maxLength={500}
              onChange={(event) => setNote(event.target.value)}
            />
          )}
        </Field>
        <div className="flex justify-end gap-2">
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="danger" busy={reject.isPending}>
            Reject
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** One after the other, because the service limits answers per minute. A refused one does not stop the rest. */
async function rejectAll(orgId: string, escalations: readonly Escalation[], note: string) {
  let rejected = 0
  for (const { escalation_id: escalationId } of escalations) {
    const isRejected = await api
      .request('POST', '/v1/escalations/{escalation_id}/resolve', {
        ...forOrg(orgId),
        params: { escalation_id: escalationId },
        body: { outcome: 'reject', ...(note === '' ? {} : { note }) },
      })
      .then(
        () => true,
        (err: unknown) => {
          if (isEnded(err)) return false
          throw err
        },
      )
    if (isRejected) rejected += 1
  }
  return { rejected, failed: escalations.length - rejected }
}

import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Field, Input, TextArea } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { isEnded } from './is-ended.ts'
import { escalationsKey, type ReviewedEscalation } from './queries.ts'

type Outcome = 'approve' | 'reject'
type Scope = 'call' | 'session'

const SCOPES = [
  { value: 'call', label: 'This call, once' },
  { value: 'session', label: 'Session' },
] as const

const MINUTES_USUAL = 15
const MINUTES_MAX = 60

type ResolveFormProps = { orgId: string; escalation: ReviewedEscalation }

/** Approves or rejects the call that the page shows, with an optional note. */
export function ResolveForm({ orgId, escalation }: ResolveFormProps) {
  const queries = useQueryClient()
  const [note, setNote] = useState('')
  const [scope, setScope] = useState<Scope>('call')
  const [minutes, setMinutes] = useState(MINUTES_USUAL)
  const canSession =
    escalation.approval_scopes.includes('session') && escalation.session_id !== null
  const resolve = useAction({
    run: (outcome: Outcome) =>
      api.request('POST', '/v1/escalations/{escalation_id}/resolve', {
        ...forOrg(orgId),
        params: { escalation_id: escalation.escalation_id },
        body: {
          outcome,
          ...(note.trim() === '' ? {} : { note: note.trim() }),
          ...(outcome === 'approve' && scope === 'session' ? { scope, ttl_minutes: minutes } : {}),
        },
      }),
    done: ({ status }) => (status === 'pending' ? 'Approval recorded' : `Call ${status}`),
    refresh: [escalationsKey(orgId)],
    pageShowsError: true,
  })
  const approve = (event: FormEvent) => {
    event.preventDefault()
    resolve.mutate('approve')
  }
  const reload = () => void queries.invalidateQueries({ queryKey: escalationsKey(orgId) })
  return (
    <form onSubmit={approve} className="grid gap-4">
      {canSession ? (
        <div className="grid gap-2 justify-items-start">
          <p className="text-sm font-medium">Approval covers</p>
          <Segments label="Approval covers" value={scope} options={SCOPES} onChange={setScope} />
          {scope === 'session' ? (
            <Field
              label="Minutes"
              hint="Every call of this tool in this session, with any arguments, up to 100 calls"
            >
              {(control) => (
                <Input
                  {...control}
                  type="number"
                  required
                  min={1}
                  max={MINUTES_MAX}
                  className="max-w-28"
                  value={minutes}
                  onChange={(event) => setMinutes(event.target.valueAsNumber)}
                />
              )}
            </Field>
          ) : null}
        </div>
      ) : null}
      <Field label="Note" hint="Stored with your answer, whether you approve or reject">
        {(control) => (
          <TextArea
            {...control}
            value={note}
            maxLength={500}
            onChange={(event) => setNote(event.target.value)}
          />
        )}
      </Field>
      {resolve.error === null ? null : (
        <ErrorState
          error={resolve.error}
          {...(isEnded(resolve.error) ? { retry: reload, retryLabel: 'Reload' } : {})}
        />
      )}
      {/* On a phone always in reach of the thumb, wherever the reader is on the page. */}
      <div className="z-20 grid grid-cols-2 gap-2 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:border-t max-lg:border-line max-lg:bg-surface max-lg:px-4 max-lg:py-3">
        <Button
          tone="danger"
          className="max-lg:min-h-11"
          disabled={resolve.isPending}
          onClick={() => resolve.mutate('reject')}
        >
          Reject
        </Button>
        <Button type="submit" tone="primary" className="max-lg:min-h-11" busy={resolve.isPending}>
          {scope === 'session' ? 'Approve session' : 'Approve'}
        </Button>
      </div>
    </form>
  )
}

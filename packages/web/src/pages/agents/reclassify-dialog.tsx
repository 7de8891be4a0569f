import { useQuery } from '@tanstack/react-query'
import type { Body } from '@touchstone/sdk'
import type { FormEvent } from 'react'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Select, TextArea } from '../../ui/field.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'
import { useAgentAction, type Violation } from './queries.ts'

type Props = { agentId: string; violation: Violation | undefined; onClose: () => void }

/** No amendment of a card explains these (spec: provenance §8). */
const NEVER_GAPS = new Set([
  'PROMPT_INJECTION',
  'DECEPTIVE_REASONING',
  'REASONING_CORRUPTION',
  'OUTPUT_INJECTION_COMPLIANCE',
])

/** Reclassification cannot be undone, so the dialog explains the consequences first. */
export function ReclassifyDialog({ agentId, violation, onClose }: Props) {
  const reclassify = useAgentAction(agentId, {
    run: (body: Body<'POST', '/v1/agents/{agent_id}/reclassify'>) =>
      api.request('POST', '/v1/agents/{agent_id}/reclassify', {
        params: { agent_id: agentId },
        body,
      }),
    done: (done) =>
      done.new_type === 'card_gap'
        ? 'Reclassified as a card gap; the score will be recomputed'
        : 'Reclassified as misbehaviour',
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (violation === undefined) return
    const form = new FormData(event.currentTarget)
    const isGap = form.get('type') === 'card_gap'
    const amendmentId = String(form.get('amendment') ?? '')
    reclassify.mutate(
      {
        checkpoint_id: violation.checkpoint_id,
        reason: String(form.get('reason')),
        new_type: isGap ? 'card_gap' : 'behavior_gap',
        ...(isGap && amendmentId !== '' ? { card_amendment_id: amendmentId } : {}),
      },
      { onSuccess: onClose },
    )
  }
  const isNeverGap = violation !== undefined && NEVER_GAPS.has(violation.type)
  return (
    <Dialog open={violation !== undefined} onClose={onClose} title="Reclassify violation">
      <form onSubmit={submit} className="grid gap-4 text-sm">
        <fieldset className="grid gap-3">
          <legend className="mb-2 font-medium">Classification</legend>
          <Choice
            value="card_gap"
            title="Card gap"
            defaultChecked={!isNeverGap}
            disabled={isNeverGap}
          >
            {isNeverGap
              ? 'No card allows a violation of this type.'
              : 'The agent acted correctly, but its card did not allow it. The violation no longer counts against the score, and the public score states how many were card gaps.'}
          </Choice>
          <Choice value="behavior_gap" title="Misbehaviour" defaultChecked={isNeverGap}>
            The agent acted wrongly. The violation keeps counting and cannot be reclassified as a
            card gap later.
          </Choice>
        </fieldset>
        {violation === undefined || isNeverGap ? null : (
          <AmendmentField agentId={agentId} violation={violation} />
        )}
        <Field label="Reason" hint="Recorded with your name. You cannot undo this.">
          {(control) => <TextArea {...control} name="reason" maxLength={500} required />}
        </Field>
        {reclassify.error ? <ErrorState error={reclassify.error} /> : null}
        <div className="flex justify-end gap-2">
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" busy={reclassify.isPending}>
            Reclassify
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** Offers only amendments since the violation: an earlier one was in force when it happened. */
function AmendmentField({ agentId, violation }: { agentId: string; violation: Violation }) {
  const amendments = useQuery({
    queryKey: ['amendments', agentId],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/card-amendments', {
        params: { agent_id: agentId },
        query: { per_page: 50 },
      }),
  })
  const later = amendments.data?.card_amendments.filter(
    ({ created_at: at }) => at >= violation.detected_at,
  )
  return (
    <Field
      label="Card amendment that closes the gap"
      hint={
        later?.length === 0
          ? 'The card was not amended since this violation. Amend it first if it was wrong.'
          : 'It must allow what was a violation, and still be part of the active card.'
      }
    >
      {(control) => (
        <Select {...control} name="amendment" defaultValue="">
          <option value="">None</option>
          {later?.map((amendment) => (
            <option key={amendment.amendment_id} value={amendment.amendment_id}>
              {amendment.field_changed}, {formatDate(amendment.created_at)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  )
}

type ChoiceProps = {
  value: string
  title: string
  defaultChecked: boolean
  disabled?: boolean
  children: string
}

function Choice({ value, title, defaultChecked, disabled = false, children }: ChoiceProps) {
  return (
    <label className="flex items-start gap-2.5">
      <input
        type="radio"
        name="type"
        value={value}
        defaultChecked={defaultChecked}
        disabled={disabled}
        className="mt-1 accent-accent"
      />
      <span>
        <span className="font-medium">{title}</span>
        <span className="block text-ink-soft">{children}</span>
      </span>
    </label>
  )
}

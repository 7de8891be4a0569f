import type { FormEvent } from 'react'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { useAgentAction } from './queries.ts'

export type ContainmentAction = 'pause' | 'resume' | 'kill' | 'reactivate'

const CONSEQUENCES: Record<ContainmentAction, string> = {
  pause: 'The gateway blocks every call until someone resumes the agent.',
  resume: 'The gateway allows the calls that its policy permits again.',
  kill: 'The gateway blocks every call, and only an owner can reactivate the agent. Evidence and score are kept.',
  reactivate: 'The gateway allows the calls that its policy permits again.',
}

type Props = {
  orgId: string
  agentId: string
  action: ContainmentAction | undefined
  onClose: () => void
}

/** Explains the consequence of the action and asks for a reason. */
export function ContainDialog({ orgId, agentId, action, onClose }: Props) {
  const contain = useAgentAction(agentId, {
    run: ({ verb, reason }: { verb: ContainmentAction; reason: string }) =>
      api.request('POST', `/v1/orgs/{org_id}/agents/{agent_id}/${verb}`, {
        params: { org_id: orgId, agent_id: agentId },
        body: { reason: reason === '' ? null : reason },
      }),
    done: (done) => `Agent is now ${done.containment_status}`,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (action === undefined) return
    const reason = String(new FormData(event.currentTarget).get('reason')).trim()
    contain.mutate({ verb: action, reason }, { onSuccess: onClose })
  }
  const verb = action === undefined ? '' : sentenceCase(action)
  return (
    <Dialog open={action !== undefined} onClose={onClose} title={`${verb} this agent?`}>
      <form onSubmit={submit} className="grid gap-4">
        <p>{action === undefined ? '' : CONSEQUENCES[action]}</p>
        <Field label="Reason" hint="Recorded in the append-only containment log">
          {(control) => <TextArea {...control} name="reason" maxLength={500} />}
        </Field>
        {contain.error ? <ErrorState error={contain.error} /> : null}
        <div className="flex justify-end gap-2">
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            tone={action === 'kill' ? 'danger' : 'primary'}
            busy={contain.isPending}
          >
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

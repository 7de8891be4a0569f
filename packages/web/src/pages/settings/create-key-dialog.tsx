import type { Body } from '@touchstone/sdk'
import type { FormEvent } from 'react'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { ErrorState } from '../../ui/states.tsx'
import type { RevealedKey } from './keys-tab.tsx'
import { useSettingsAction } from './queries.ts'

const SCOPES = [
  { scope: 'read', text: 'Read agents, scores and evidence' },
  { scope: 'ingest', text: 'Register agents and send evidence' },
  { scope: 'write', text: 'Change policies, request gateway decisions, contain agents' },
  { scope: 'onchain', text: 'Publish on-chain' },
] as const

type NewKey = Body<'POST', '/v1/orgs/{org_id}/api-keys'>

type Props = {
  orgId: string
  open: boolean
  onClose: () => void
  onCreated: (shown: RevealedKey) => void
}

export function CreateKeyDialog({ orgId, open, onClose, onCreated }: Props) {
  const create = useSettingsAction(orgId, {
    run: (body: NewKey) =>
      api.request('POST', '/v1/orgs/{org_id}/api-keys', { params: { org_id: orgId }, body }),
    done: (created) => `Key “${created.name}” created`,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const days = String(form.get('days'))
    create.mutate(
      {
        name: String(form.get('name')),
        role: form.get('role') as NonNullable<NewKey>['role'],
        scopes: SCOPES.map(({ scope }) => scope).filter((scope) => form.has(scope)),
        ...(days === '' ? {} : { expires_in_days: Number(days) }),
      } as NewKey,
      { onSuccess: (created) => onCreated({ name: created.name, key: created.key ?? '' }) },
    )
  }
  return (
    <Dialog open={open} onClose={onClose} title="Create API key">
      <form onSubmit={submit} className="grid gap-4">
        <Field label="Name" hint="What the key is for">
          {(control) => <Input {...control} name="name" maxLength={100} required />}
        </Field>
        <fieldset className="grid gap-2 text-sm">
          <legend className="mb-1 font-medium">Scopes</legend>
          {SCOPES.map(({ scope, text }) => (
            <label key={scope} className="flex items-center gap-2.5">
              <input
                type="checkbox"
                name={scope}
                defaultChecked={scope === 'read' || scope === 'ingest'}
                className="accent-accent"
              />
              {text}
            </label>
          ))}
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Role">
            {(control) => (
              <Select {...control} name="role" defaultValue="member">
                <option value="member">Member</option>
                <option value="auditor">Auditor</option>
                <option value="admin">Admin</option>
              </Select>
            )}
          </Field>
          <Field label="Expires after (days)" hint="Leave empty for no expiry">
            {(control) => <Input {...control} name="days" type="number" min={1} max={3650} />}
          </Field>
        </div>
        {create.error ? <ErrorState error={create.error} /> : null}
        <div className="flex justify-end gap-2">
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" busy={create.isPending}>
            Create key
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

import type { Body } from '@touchstone/sdk'
import type { FormEvent } from 'react'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { FormErrors } from '../../ui/form-errors.tsx'
import type { RevealedKey } from './keys-tab.tsx'
import { useSettingsAction } from './queries.ts'
import { RoleOptions } from './role-options.tsx'

const SCOPES = [
  { scope: 'read', text: 'Read agents, scores and evidence' },
  { scope: 'ingest', text: 'Register agents and send evidence' },
  { scope: 'decide', text: 'Request decisions about tool calls' },
  { scope: 'write', text: 'Change policies, request decisions, contain agents' },
  { scope: 'approve', text: 'Approve and reject tool calls' },
  { scope: 'onchain', text: 'Publish on-chain' },
] as const

const FIELDS = ['name', 'agent_id', 'allowed_ips', 'role']

const CLIENTS = [
  { client: 'api', text: 'Your own program' },
  { client: 'sdk', text: 'SDK' },
  { client: 'mcp_guard', text: 'MCP guard' },
  { client: 'hook', text: 'Hook of a coding agent' },
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
    const expires = String(form.get('expires'))
    const ips = String(form.get('allowed_ips'))
      .split(/[\s,]+/)
      .filter(Boolean)
    const agentId = String(form.get('agent_id')).trim()
    create.mutate(
      // The casts are safe, because the selects have no other values.
      {
        name: String(form.get('name')),
        role: form.get('role') as NonNullable<NewKey>['role'],
        scopes: SCOPES.map(({ scope }) => scope).filter((scope) => form.has(scope)),
        client: form.get('client') as NonNullable<NewKey>['client'],
        mode: form.has('observe') ? 'observe' : 'enforce',
        ...(agentId === '' ? {} : { agent_id: agentId }),
        ...(expires === 'default' ? {} : { expires_in_days: daysOf(expires) }),
        ...(ips.length === 0 ? {} : { allowed_ips: ips }),
      } as NewKey,
      { onSuccess: (created) => onCreated({ name: created.name, key: created.key ?? '' }) },
    )
  }
  return (
    <Dialog open={open} onClose={onClose} title="Create API key">
      <form onSubmit={submit} className="grid gap-4">
        <FormErrors error={create.error} fields={FIELDS}>
          <Field name="name" label="Name" hint="What the key is for">
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
            <Field name="role" label="Role">
              {(control) => (
                <Select {...control} name="role" defaultValue="member">
                  <RoleOptions />
                </Select>
              )}
            </Field>
            <Field
              label="Expires"
              hint="By default after a year, or never if restricted to an agent"
            >
              {(control) => (
                <Select {...control} name="expires" defaultValue="default">
                  <option value="default">Default</option>
                  <option value="30">In 30 days</option>
                  <option value="90">In 90 days</option>
                  <option value="365">In a year</option>
                  <option value="never">Never</option>
                </Select>
              )}
            </Field>
          </div>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field name="agent_id" label="Agent ID" hint="Restricts the key to one agent">
              {(control) => (
                <Input {...control} name="agent_id" className="font-mono" maxLength={128} />
              )}
            </Field>
            <Field label="Used by">
              {(control) => (
                <Select {...control} name="client" defaultValue="api">
                  {CLIENTS.map(({ client, text }) => (
                    <option key={client} value={client}>
                      {text}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          </div>
          <Field
            name="allowed_ips"
            label="Allowed addresses"
            hint="IP addresses or ranges, separated by commas. Leave empty for any"
          >
            {(control) => (
              <Input
                {...control}
                name="allowed_ips"
                className="font-mono"
                placeholder="203.0.113.0/24"
              />
            )}
          </Field>
          <label className="flex items-start gap-2.5 text-sm">
            <input type="checkbox" name="observe" className="mt-1 accent-accent" />
            <span>
              Observe only
              <span className="block text-ink-faint">
                The program records decisions and does not stop calls.
              </span>
            </span>
          </label>
        </FormErrors>
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

function daysOf(expires: string): number | null {
  return expires === 'never' ? null : Number(expires)
}

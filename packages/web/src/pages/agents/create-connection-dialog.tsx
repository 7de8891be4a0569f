import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { ErrorState } from '../../ui/states.tsx'
import {
  type Connection,
  createConnection,
  type NewConnection,
  PROVIDER_NAMES,
  type RevealedConnection,
} from './connection-queries.ts'
import { useAgentAction } from './queries.ts'

type Props = {
  agentId: string
  open: boolean
  onClose: () => void
  onCreated: (created: RevealedConnection) => void
}

type Provider = Connection['provider']

// The cast is safe, because the record has exactly these keys.
const PROVIDERS = Object.keys(PROVIDER_NAMES) as Provider[]

export function CreateConnectionDialog({ agentId, open, onClose, onCreated }: Props) {
  const [provider, setProvider] = useState<Provider>('anthropic')
  const create = useAgentAction(agentId, {
    run: (body: NewConnection) => createConnection(agentId, body),
    done: (created) => `Connection “${created.name}” created`,
  })
  const close = () => {
    create.reset()
    onClose()
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const body = bodyOf(new FormData(event.currentTarget), provider)
    create.mutate(body, {
      onSuccess: (created) => {
        create.reset()
        onCreated(created)
      },
    })
  }
  return (
    <Dialog open={open} onClose={close} title="Create connection">
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Name">
            {(control) => (
              <Input {...control} name="name" required maxLength={100} placeholder="Production" />
            )}
          </Field>
          <Field label="Provider">
            {(control) => (
              <Select
                {...control}
                value={provider}
                onChange={({ target }) => setProvider(target.value as Provider)}
              >
                {PROVIDERS.map((one) => (
                  <option key={one} value={one}>
                    {PROVIDER_NAMES[one]}
                  </option>
                ))}
              </Select>
            )}
          </Field>
        </div>
        {provider === 'openai_compatible' ? (
          <Field
            label="Address of the server"
            hint="Without /v1. Only addresses that the operator of this service has listed are accepted"
          >
            {(control) => (
              <Input
                {...control}
                name="upstream_url"
                type="url"
                required
                className="font-mono"
                placeholder="http://localhost:11434"
              />
            )}
          </Field>
        ) : null}
        <Field
          label="Provider key"
          hint="Recommended: the key is kept here, encrypted, and the agent never has it. If you leave this empty, the agent uses its own key and could also call the provider directly"
        >
          {(control) => (
            <Input
              {...control}
              name="sealed"
              type="password"
              autoComplete="off"
              className="font-mono"
            />
          )}
        </Field>
        <Settings />
        {create.error ? <ErrorState error={create.error} /> : null}
        <div className="flex justify-end gap-2">
          <Button tone="quiet" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" busy={create.isPending}>
            Create connection
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Settings() {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="While the agent is contained">
          {(control) => (
            <Select {...control} name="on_contained" defaultValue="refuse">
              <option value="refuse">Answer with an error</option>
              <option value="turn">Answer with a turn that explains it</option>
            </Select>
          )}
        </Field>
        <Field label="If the gateway fails">
          {(control) => (
            <Select {...control} name="on_error" defaultValue="fail_closed">
              <option value="fail_closed">Block tool calls</option>
              <option value="fail_open">Allow tool calls</option>
            </Select>
          )}
        </Field>
      </div>
      <label className="flex items-start gap-2.5 text-sm">
        <input type="checkbox" name="observe" className="mt-1 accent-accent" />
        <span>
          Observe only
          <span className="block text-ink-faint">
            Calls are decided and recorded, and nothing is blocked.
          </span>
        </span>
      </label>
    </>
  )
}

function bodyOf(form: FormData, provider: Provider): NewConnection {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const sealed = text('sealed')
  const upstreamUrl = text('upstream_url')
  // The casts are safe, because the selects have no other values.
  return {
    provider,
    name: text('name'),
    on_contained: text('on_contained') as NonNullable<NewConnection['on_contained']>,
    on_error: text('on_error') as NonNullable<NewConnection['on_error']>,
    mode: form.has('observe') ? 'observe' : 'enforce',
    ...(upstreamUrl === '' ? {} : { upstream_url: upstreamUrl }),
    ...(sealed === '' ? {} : { credential: { sealed } }),
  }
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ApiError } from '@touchstone/sdk'
import { type FormEvent, useState } from 'react'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { Registered, type RegisteredAgent } from './registered.tsx'

type RegistrationInput = {
  name: string
  agentId: string
  visibility: 'public' | 'unlisted' | 'private'
  withKey: boolean
}

export function RegisterPage() {
  const { orgId } = useParams({ from: '/o/$orgId/agents/new' })
  const [registered, setRegistered] = useState<RegisteredAgent>()
  return (
    <Page
      title={registered === undefined ? 'Register agent' : `${registered.name} is registered`}
      lead={
        registered === undefined
          ? 'A registered agent can send checkpoints and traces, and is governed by policies.'
          : 'The credentials below are shown only once. Store them with your other secrets.'
      }
    >
      {registered === undefined ? (
        <RegisterForm orgId={orgId} onRegistered={setRegistered} />
      ) : (
        <Registered orgId={orgId} agent={registered} />
      )}
    </Page>
  )
}

function useRegister(orgId: string, onRegistered: (registered: RegisteredAgent) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ name, agentId, visibility, withKey }: RegistrationInput) => {
      const { agent, agent_secret: secret } = await api.request('POST', '/v1/agents', {
        body: { name, visibility, org_id: orgId, ...(agentId === '' ? {} : { agent_id: agentId }) },
      })
      const key = withKey
        ? await api.request('POST', '/v1/api-keys', {
            body: {
              name: `${name} agent key`.slice(0, 100),
              agent_id: agent.agent_id,
              role: 'member',
              scopes: ['decide', 'ingest'],
              client: 'sdk',
              org_id: orgId,
            },
            ...forOrg(orgId),
          })
        : undefined
      return {
        agentId: agent.agent_id,
        name: agent.name,
        secret: secret ?? undefined,
        key: key?.key ?? undefined,
      }
    },
    onSuccess: async (registered) => {
      onRegistered(registered)
      await queries.invalidateQueries({ queryKey: ['agents', orgId] })
    },
  })
}

/** The message of the service for an id that is taken or too similar, which says what to do. */
function idErrorOf(error: Error | null): string | undefined {
  const isAboutId = error instanceof ApiError && ['conflict', 'similar_id'].includes(error.code)
  return isAboutId ? error.message : undefined
}

function RegisterForm(props: {
  orgId: string
  onRegistered: (registered: RegisteredAgent) => void
}) {
  const register = useRegister(props.orgId, props.onRegistered)
  const idError = idErrorOf(register.error)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    // The select has no other values than the visibilities.
    register.mutate({
      name: text('name'),
      agentId: text('agent_id'),
      visibility: text('visibility') as RegistrationInput['visibility'],
      withKey: form.has('key'),
    })
  }
  return (
    <Card className="max-w-2xl">
      <form onSubmit={submit} className="grid gap-5">
        <Field label="Name" hint="The name people see">
          {(control) => <Input {...control} name="name" maxLength={100} required />}
        </Field>
        <Field
          label="Agent ID"
          hint="Identifies the agent in API calls; upper and lower case are the same. It must not resemble another ID and cannot be changed. Leave empty to generate one."
          error={idError}
        >
          {(control) => (
            <Input {...control} name="agent_id" className="font-mono" maxLength={128} />
          )}
        </Field>
        <Field label="Score visibility">
          {(control) => (
            <Select {...control} name="visibility" defaultValue="private">
              <option value="public">Public: listed in the directory</option>
              <option value="unlisted">Unlisted: anyone with the link</option>
              <option value="private">Private: only your organisation</option>
            </Select>
          )}
        </Field>
        <label className="flex items-start gap-2.5 text-sm">
          <input type="checkbox" name="key" defaultChecked className="mt-1 accent-accent" />
          <span>
            Create the agent’s API key
            <span className="block text-ink-faint">
              It gets decisions and sends evidence for this agent only. Use it in the agent’s guard,
              hook or SDK.
            </span>
          </span>
        </label>
        {register.error && idError === undefined ? <ErrorState error={register.error} /> : null}
        <div className="flex gap-2">
          <Button type="submit" tone="primary" busy={register.isPending}>
            Register
          </Button>
          <Link
            to="/o/$orgId/agents"
            params={{ orgId: props.orgId }}
            className="inline-flex items-center px-3 text-sm text-ink-soft hover:text-ink"
          >
            Cancel
          </Link>
        </div>
      </form>
    </Card>
  )
}

import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import type { FormEvent } from 'react'
import { api, signOut } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { NewPasswordField } from '../../ui/new-password-field.tsx'
import { ErrorState, Loaded } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useOrganisation, useSettingsAction } from './queries.ts'

type Organisation = Answer<'GET', '/v1/orgs/{org_id}'>

export function OrganisationTab() {
  const { orgId } = useParams({ from: '/o/$orgId/settings/organisation' })
  const organisation = useOrganisation(orgId)
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card title="Organisation">
        <Loaded query={organisation} lines={5}>
          {(found) => <OrganisationForm organisation={found} />}
        </Loaded>
      </Card>
      <Card title="Change password" note="Signs you out of all sessions">
        <PasswordForm />
      </Card>
    </div>
  )
}

function OrganisationForm({ organisation }: { organisation: Organisation }) {
  const orgId = organisation.org_id
  const save = useSettingsAction(orgId, {
    run: (name: string) =>
      api.request('PATCH', '/v1/orgs/{org_id}', { params: { org_id: orgId }, body: { name } }),
    done: (saved) => `Renamed to ${saved.name}`,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(String(new FormData(event.currentTarget).get('name')))
  }
  return (
    <div className="grid gap-5">
      <form onSubmit={submit} className="grid gap-3">
        <Field label="Name">
          {(control) => (
            <div className="flex gap-2">
              <Input
                {...control}
                name="name"
                defaultValue={organisation.name}
                maxLength={100}
                required
              />
              <Button type="submit" busy={save.isPending}>
                Rename
              </Button>
            </div>
          )}
        </Field>
        {save.error ? <ErrorState error={save.error} /> : null}
      </form>
      <Facts
        facts={[
          { label: 'ID', value: <Id>{orgId}</Id> },
          { label: 'Slug', value: <Id>{organisation.slug}</Id> },
          { label: 'Members', value: organisation.member_count },
          { label: 'Created', value: formatDate(organisation.created_at) },
        ]}
      />
    </div>
  )
}

function PasswordForm() {
  const navigate = useNavigate()
  const toast = useToast()
  const change = useMutation({
    mutationFn: (body: { current_password: string; new_password: string }) =>
      api.request('POST', '/v1/auth/password', { body }),
    onSuccess: async () => {
      toast('Password changed. Sign in with the new password.')
      await signOut()
      await navigate({ to: '/sign-in' })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    change.mutate({
      current_password: String(form.get('current')),
      new_password: String(form.get('password')),
    })
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label="Current password">
        {(control) => (
          <Input
            {...control}
            name="current"
            type="password"
            autoComplete="current-password"
            required
          />
        )}
      </Field>
      <NewPasswordField label="New password" />
      {change.error ? <ErrorState error={change.error} /> : null}
      <div>
        <Button type="submit" busy={change.isPending}>
          Change password
        </Button>
      </div>
    </form>
  )
}

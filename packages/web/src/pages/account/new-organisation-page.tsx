import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../session/session.ts'
import { Field, Input } from '../../ui/field.tsx'
import { AccountForm, AccountPage } from './account-form.tsx'

/** Suggests a slug for a name. */
const slugOf = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 48)

export function NewOrganisationPage() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [slug, setSlug] = useState<string>()
  const create = useMutation({
    mutationFn: (body: { name: string; slug: string }) => api.request('POST', '/v1/orgs', { body }),
    onSuccess: async (org) => {
      await queries.invalidateQueries({ queryKey: ['me'] })
      await navigate({ to: '/o/$orgId', params: { orgId: org.org_id } })
    },
  })
  return (
    <AccountPage
      title="New organisation"
      lead="An organisation has its own agents, policies and members. You will be its owner."
    >
      <AccountForm
        action="Create organisation"
        busy={create.isPending}
        error={create.error}
        onSubmit={(value) => create.mutate({ name: value('name'), slug: value('slug') })}
      >
        <Field label="Name">
          {(control) => (
            <Input
              {...control}
              name="name"
              value={name}
              maxLength={100}
              onChange={(event) => setName(event.target.value)}
              required
            />
          )}
        </Field>
        <Field label="Slug" hint="Lowercase letters, digits and hyphens. It must be unique.">
          {(control) => (
            <Input
              {...control}
              name="slug"
              className="font-mono"
              minLength={3}
              maxLength={48}
              value={slug ?? slugOf(name)}
              onChange={(event) => setSlug(event.target.value)}
              required
            />
          )}
        </Field>
      </AccountForm>
    </AccountPage>
  )
}

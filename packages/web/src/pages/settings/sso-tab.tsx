import { useMutation } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Answer, Body } from '@touchstone/sdk'
import { type FormEvent, useState } from 'react'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { Field, Input, Select } from '../../ui/field.tsx'
import { ErrorState, Loaded } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'
import { useSettingsAction, useSso } from './queries.ts'

type Sso = Answer<'GET', '/v1/orgs/{org_id}/sso'>
type Configured = Extract<Sso, { configured: true }>
type SsoBody = Body<'PUT', '/v1/orgs/{org_id}/sso'>

export function SsoTab() {
  const { orgId } = useParams({ from: '/o/$orgId/settings/sso' })
  const sso = useSso(orgId)
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card
        title="Your identity provider"
        note="SAML 2.0. Its metadata is fetched and tested before anything is stored."
      >
        <Loaded query={sso} lines={5}>
          {(found) => <SsoForm orgId={orgId} current={found.configured ? found : undefined} />}
        </Loaded>
      </Card>
      <Card title="What your identity provider needs">
        <Loaded query={sso}>
          {(found) => (
            <ServiceProviderDetails orgId={orgId} current={found.configured ? found : undefined} />
          )}
        </Loaded>
      </Card>
    </div>
  )
}

function ServiceProviderDetails({
  orgId,
  current,
}: {
  orgId: string
  current: Configured | undefined
}) {
  const metadata = `${location.origin}/v1/auth/sso/${orgId}/metadata`
  return (
    <div className="grid gap-4">
      <CodeBlock label="Our metadata" code={metadata} />
      {current === undefined ? (
        <p className="text-sm text-ink-soft">Single sign-on is not set up.</p>
      ) : (
        <Facts
          facts={[
            { label: 'Entity id', value: <Id>{current.sp_entity_id}</Id> },
            { label: 'Answers go to', value: <Id>{current.acs_url}</Id> },
            { label: 'Theirs', value: <Id>{current.entity_id}</Id> },
            { label: 'Their certificate ends', value: formatDate(current.certificate_expires_at) },
          ]}
        />
      )}
    </div>
  )
}

function useSsoActions(orgId: string) {
  const params = { org_id: orgId }
  const save = useSettingsAction(orgId, {
    run: (body: SsoBody) => api.request('PUT', '/v1/orgs/{org_id}/sso', { params, body }),
    done: () => 'Single sign-on is set up.',
  })
  const test = useMutation({
    mutationFn: (url: string) =>
      api.request('POST', '/v1/orgs/{org_id}/sso/test', { params, body: { metadata_url: url } }),
  })
  const remove = useSettingsAction(orgId, {
    run: (_: true) => api.request('DELETE', '/v1/orgs/{org_id}/sso', { params }),
    done: () => 'People sign in with their passwords again.',
  })
  return { save, test, remove }
}

function readSsoForm(form: FormData): SsoBody {
  const domains = String(form.get('domains')).split(/[\s,]+/)
  const name = String(form.get('idp_name')).trim()
  return {
    metadata_url: String(form.get('metadata_url')).trim(),
    idp_name: name === '' ? null : name,
    allowed_domains: domains.filter((domain) => domain !== ''),
    default_role:
      form.get('role') === 'admin'
        ? 'admin'
        : form.get('role') === 'auditor'
          ? 'auditor'
          : 'member',
    enforced: form.has('enforced'),
  }
}

function SsoForm({ orgId, current }: { orgId: string; current: Configured | undefined }) {
  const { save, test, remove } = useSsoActions(orgId)
  const [isRemoving, setIsRemoving] = useState(false)
  const [url, setUrl] = useState(current?.metadata_url ?? '')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    save.mutate(readSsoForm(new FormData(event.currentTarget)))
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label="Address of its metadata">
        {(control) => (
          <Input
            {...control}
            name="metadata_url"
            type="url"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
            required
          />
        )}
      </Field>
      <SsoFields current={current} />
      {test.data === undefined ? null : (
        <p className={`text-sm ${test.data.valid ? 'text-good' : 'text-bad'}`} role="status">
          {test.data.valid ? 'The metadata is fine.' : test.data.error}
        </p>
      )}
      {test.error ? <ErrorState error={test.error} /> : null}
      {save.error ? <ErrorState error={save.error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" busy={save.isPending}>
          Save
        </Button>
        <Button busy={test.isPending} disabled={url === ''} onClick={() => test.mutate(url)}>
          Test the metadata
        </Button>
        {current === undefined ? null : (
          <Button tone="danger" className="ml-auto" onClick={() => setIsRemoving(true)}>
            Give it up
          </Button>
        )}
      </div>
      <Confirm
        open={isRemoving}
        onClose={() => setIsRemoving(false)}
        title="Give up single sign-on?"
        action="Give it up"
        mutation={remove}
        input={true as const}
      >
        People sign in with passwords again; those who never had one ask for a new one.
      </Confirm>
    </form>
  )
}

function SsoFields({ current }: { current: Configured | undefined }) {
  return (
    <>
      <Field label="Its name" hint="As your people know it.">
        {(control) => <Input {...control} name="idp_name" defaultValue={current?.idp_name ?? ''} />}
      </Field>
      <Field label="E-mail domains" hint="Addresses at these sign in there. Separate with commas.">
        {(control) => (
          <Input
            {...control}
            name="domains"
            defaultValue={current?.allowed_domains.join(', ') ?? ''}
            required
          />
        )}
      </Field>
      <Field label="Role of whoever comes first time">
        {(control) => (
          <Select {...control} name="role" defaultValue={current?.default_role ?? 'member'}>
            <option value="member">Member</option>
            <option value="auditor">Auditor</option>
            <option value="admin">Admin</option>
          </Select>
        )}
      </Field>
      <label className="flex items-start gap-2.5 text-sm">
        <input
          type="checkbox"
          name="enforced"
          defaultChecked={current?.enforced ?? false}
          className="mt-1 accent-accent"
        />
        <span>
          No other way to sign in
          <span className="block text-ink-faint">Owners keep their passwords.</span>
        </span>
      </label>
    </>
  )
}

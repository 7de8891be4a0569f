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
        title="Identity provider"
        note="SAML 2.0. The metadata is fetched and validated before it is saved."
      >
        <Loaded query={sso} lines={5}>
          {(found) => <SsoForm orgId={orgId} current={found.configured ? found : undefined} />}
        </Loaded>
      </Card>
      <Card title="Service provider details">
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
      <CodeBlock label="Service provider metadata URL" code={metadata} />
      {current === undefined ? (
        <p className="text-sm text-ink-soft">Single sign-on is not configured.</p>
      ) : (
        <Facts
          facts={[
            { label: 'Entity ID', value: <Id>{current.sp_entity_id}</Id> },
            { label: 'ACS URL', value: <Id>{current.acs_url}</Id> },
            { label: 'Identity provider entity ID', value: <Id>{current.entity_id}</Id> },
            { label: 'Certificate expires', value: formatDate(current.certificate_expires_at) },
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
    done: () => 'Single sign-on configured',
  })
  const test = useMutation({
    mutationFn: (url: string) =>
      api.request('POST', '/v1/orgs/{org_id}/sso/test', { params, body: { metadata_url: url } }),
  })
  const remove = useSettingsAction(orgId, {
    run: (_: true) => api.request('DELETE', '/v1/orgs/{org_id}/sso', { params }),
    done: () => 'Single sign-on removed',
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
      <Field label="Metadata URL">
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
          {test.data.valid ? 'Metadata is valid' : test.data.error}
        </p>
      )}
      {test.error ? <ErrorState error={test.error} /> : null}
      {save.error ? <ErrorState error={save.error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" busy={save.isPending}>
          Save
        </Button>
        <Button busy={test.isPending} disabled={url === ''} onClick={() => test.mutate(url)}>
          Test metadata
        </Button>
        {current === undefined ? null : (
          <Button tone="danger" className="ml-auto" onClick={() => setIsRemoving(true)}>
            Remove
          </Button>
        )}
      </div>
      <Confirm
        open={isRemoving}
        onClose={() => setIsRemoving(false)}
        title="Remove single sign-on?"
        action="Remove"
        mutation={remove}
        input={true as const}
      >
        Members sign in with passwords again. Members without a password must reset it.
      </Confirm>
    </form>
  )
}

function SsoFields({ current }: { current: Configured | undefined }) {
  return (
    <>
      <Field label="Display name" hint="Optional">
        {(control) => <Input {...control} name="idp_name" defaultValue={current?.idp_name ?? ''} />}
      </Field>
      <Field
        label="Email domains"
        hint="Addresses in these domains can use single sign-on. Separate with commas."
      >
        {(control) => (
          <Input
            {...control}
            name="domains"
            defaultValue={current?.allowed_domains.join(', ') ?? ''}
            required
          />
        )}
      </Field>
      <Field label="Default role for new members">
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
          Require single sign-on
          <span className="block text-ink-faint">Owners can still sign in with a password.</span>
        </span>
      </label>
    </>
  )
}

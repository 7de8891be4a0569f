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
import { Field, Input, Select, TextArea } from '../../ui/field.tsx'
import { ErrorState, Loaded } from '../../ui/states.tsx'
import { formatDate } from '../../ui/time.tsx'
import { useSettingsAction, useSso } from './queries.ts'
import { GIVEN_ROLES, RoleOptions } from './role-options.tsx'

type Sso = Answer<'GET', '/v1/orgs/{org_id}/sso'>
type Configured = Extract<Sso, { configured: true }>
type Protocol = Configured['protocol']
type SsoBody = Body<'PUT', '/v1/orgs/{org_id}/sso'>

export function SsoTab() {
  const { orgId } = useParams({ from: '/o/$orgId/settings/sso' })
  const sso = useSso(orgId)
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Card
        title="Identity provider"
        note="OpenID Connect or SAML 2.0. The provider is tested before it is saved."
      >
        <Loaded query={sso} lines={5}>
          {(found) => <SsoForm orgId={orgId} current={found.configured ? found : undefined} />}
        </Loaded>
      </Card>
      <Card title="Service provider details" note="To register this service at your provider">
        <Loaded query={sso}>
          {(found) => (
            <ServiceProviderDetails orgId={orgId} current={found.configured ? found : undefined} />
          )}
        </Loaded>
      </Card>
    </div>
  )
}

type DetailsProps = { orgId: string; current: Configured | undefined }

function ServiceProviderDetails({ orgId, current }: DetailsProps) {
  const base = `${location.origin}/v1/auth/sso/${orgId}`
  return (
    <div className="grid gap-4">
      {current?.protocol === 'saml' ? null : (
        <CodeBlock
          label="Redirect URI (OpenID Connect)"
          code={current?.redirect_uri ?? `${base}/callback`}
        />
      )}
      {current?.protocol === 'oidc' ? null : (
        <CodeBlock label="Service provider metadata URL (SAML)" code={`${base}/metadata`} />
      )}
      {current === undefined ? (
        <p className="text-sm text-ink-soft">Single sign-on is not configured.</p>
      ) : (
        <Facts facts={factsOf(current)} />
      )}
    </div>
  )
}

function factsOf(current: Configured) {
  if (current.protocol === 'oidc') {
    return [
      { label: 'Issuer', value: <Id>{current.issuer}</Id> },
      { label: 'Client ID', value: <Id>{current.client_id}</Id> },
      { label: 'Client secret', value: current.has_client_secret ? 'Stored' : 'None' },
    ]
  }
  return [
    { label: 'Entity ID', value: <Id>{current.sp_entity_id}</Id> },
    { label: 'ACS URL', value: <Id>{current.acs_url}</Id> },
    { label: 'Identity provider entity ID', value: <Id>{current.entity_id}</Id> },
    { label: 'Certificate expires', value: formatDate(current.certificate_expires_at) },
  ]
}

function useSsoActions(orgId: string) {
  const params = { org_id: orgId }
  const save = useSettingsAction(orgId, {
    run: (body: SsoBody) => api.request('PUT', '/v1/orgs/{org_id}/sso', { params, body }),
    done: () => 'Single sign-on configured',
  })
  const test = useMutation({
    mutationFn: (body: Body<'POST', '/v1/orgs/{org_id}/sso/test'>) =>
      api.request('POST', '/v1/orgs/{org_id}/sso/test', { params, body }),
  })
  const remove = useSettingsAction(orgId, {
    run: (_: true) => api.request('DELETE', '/v1/orgs/{org_id}/sso', { params }),
    done: () => 'Single sign-on removed',
  })
  return { save, test, remove }
}

/** One mapping a line: a group, an equals sign and a role. */
function readMapping(text: string): NonNullable<SsoBody['role_mapping']> {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const [, group = '', name = ''] = /^(.*)=([^=]*)$/.exec(line) ?? []
    const role = GIVEN_ROLES.find((known) => known === name.trim().toLowerCase())
    if (group.trim() === '' || role === undefined) {
      throw new Error(`Roles by group: “${line.trim()}” must have the form “engineers = member”.`)
    }
    return { group: group.trim(), role }
  })
}

function readSsoForm(form: FormData, protocol: Protocol): SsoBody {
  const text = (name: string) => String(form.get(name) ?? '').trim()
  const orNull = (value: string) => (value === '' ? null : value)
  const shared = {
    idp_name: orNull(text('idp_name')),
    allowed_domains: text('domains')
      .split(/[\s,]+/)
      .filter((domain) => domain !== ''),
    default_role: GIVEN_ROLES.find((role) => role === form.get('role')) ?? 'member',
    role_mapping: readMapping(text('role_mapping')),
    groups_claim: text('groups_claim') || 'groups',
    enforced: form.has('enforced'),
  }
  if (protocol === 'saml') return { ...shared, protocol, metadata_url: text('metadata_url') }
  const secret = form.has('public') ? { client_secret: null } : readSecret(text('client_secret'))
  return {
    ...shared,
    ...secret,
    protocol,
    issuer: text('issuer'),
    client_id: text('client_id'),
    scopes: text('scopes').split(/\s+/),
  }
}

/** An empty field keeps the stored secret. */
function readSecret(value: string): { client_secret?: string } {
  return value === '' ? {} : { client_secret: value }
}

type FormProps = { orgId: string; current: Configured | undefined }

function SsoForm({ orgId, current }: FormProps) {
  const { save, test, remove } = useSsoActions(orgId)
  const [isRemoving, setIsRemoving] = useState(false)
  const [protocol, setProtocol] = useState<Protocol>(current?.protocol ?? 'oidc')
  const [url, setUrl] = useState(urlOf(current))
  const [invalid, setInvalid] = useState<unknown>()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setInvalid(undefined)
    try {
      save.mutate(readSsoForm(new FormData(event.currentTarget), protocol))
    } catch (err) {
      setInvalid(err)
    }
  }
  const choose = (chosen: Protocol) => {
    setProtocol(chosen)
    setUrl(chosen === current?.protocol ? urlOf(current) : '')
    test.reset()
  }
  const error = invalid ?? test.error ?? save.error
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field label="Protocol">
        {(control) => (
          <Select
            {...control}
            value={protocol}
            onChange={(event) => choose(event.target.value === 'saml' ? 'saml' : 'oidc')}
          >
            <option value="oidc">OpenID Connect</option>
            <option value="saml">SAML 2.0</option>
          </Select>
        )}
      </Field>
      {protocol === 'saml' ? (
        <UrlField label="Metadata URL" name="metadata_url" url={url} onChange={setUrl} />
      ) : (
        <>
          <UrlField
            label="Issuer"
            name="issuer"
            hint="Exactly as in the provider’s discovery document"
            url={url}
            onChange={setUrl}
          />
          <ClientFields
            key={current?.updated_at}
            current={current?.protocol === 'oidc' ? current : undefined}
          />
        </>
      )}
      <CommonFields current={current} />
      {test.data === undefined ? null : (
        <p className={`text-sm ${test.data.valid ? 'text-good' : 'text-bad'}`} role="status">
          {test.data.valid ? 'The provider can be used' : test.data.error}
        </p>
      )}
      {error ? <ErrorState error={error} /> : null}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" tone="primary" busy={save.isPending}>
          Save
        </Button>
        <Button
          busy={test.isPending}
          disabled={url === ''}
          onClick={() => test.mutate(protocol === 'saml' ? { metadata_url: url } : { issuer: url })}
        >
          Test provider
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
        People who signed in this way stay members but can no longer sign in. Invite them again, or
        remove them.
      </Confirm>
    </form>
  )
}

function urlOf(current: Configured | undefined): string {
  if (current === undefined) return ''
  return current.protocol === 'saml' ? current.metadata_url : current.issuer
}

type UrlFieldProps = {
  label: string
  name: string
  hint?: string
  url: string
  onChange: (url: string) => void
}

function UrlField({ label, name, hint, url, onChange }: UrlFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Input
          {...control}
          name={name}
          type="url"
          value={url}
          onChange={(event) => onChange(event.target.value.trim())}
          required
        />
      )}
    </Field>
  )
}

type OidcConfigured = Extract<Configured, { protocol: 'oidc' }>

function ClientFields({ current }: { current: OidcConfigured | undefined }) {
  const [isPublic, setIsPublic] = useState(current?.has_client_secret === false)
  const isStored = current?.has_client_secret === true
  return (
    <>
      <Field label="Client ID">
        {(control) => (
          <Input
            {...control}
            name="client_id"
            defaultValue={current?.client_id ?? ''}
            autoComplete="off"
            required
          />
        )}
      </Field>
      <Field
        label="Client secret"
        hint={
          isStored ? 'Stored. Leave empty to keep it.' : 'Stored encrypted and never shown again'
        }
      >
        {(control) => (
          <Input
            {...control}
            name="client_secret"
            type="password"
            autoComplete="new-password"
            disabled={isPublic}
            required={!isStored}
          />
        )}
      </Field>
      <label className="flex items-start gap-2.5 text-sm">
        <input
          type="checkbox"
          name="public"
          checked={isPublic}
          onChange={(event) => setIsPublic(event.target.checked)}
          className="mt-1 accent-accent"
        />
        <span>Public client without a secret</span>
      </label>
      <Field
        label="Scopes"
        hint="Separate with spaces. Some providers need “groups” to send groups."
      >
        {(control) => (
          <Input
            {...control}
            name="scopes"
            defaultValue={current?.scopes.join(' ') ?? 'openid email profile'}
            required
          />
        )}
      </Field>
    </>
  )
}

function CommonFields({ current }: { current: Configured | undefined }) {
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
            <RoleOptions />
          </Select>
        )}
      </Field>
      <Field
        label="Roles by group"
        hint="Optional, one per line, such as “engineers = member”. The highest role wins at every sign-in; people in no listed group get the default role. Owners keep their role."
      >
        {(control) => (
          <TextArea
            {...control}
            name="role_mapping"
            className="font-mono"
            defaultValue={
              current?.role_mapping.map(({ group, role }) => `${group} = ${role}`).join('\n') ?? ''
            }
          />
        )}
      </Field>
      <Field label="Groups claim" hint="The claim or SAML attribute that lists a person’s groups">
        {(control) => (
          <Input
            {...control}
            name="groups_claim"
            defaultValue={current?.groups_claim ?? 'groups'}
            required
          />
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

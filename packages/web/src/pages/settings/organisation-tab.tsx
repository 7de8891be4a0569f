import { useParams } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import type { FormEvent } from 'react'
import { api } from '../../session/session.ts'
import { useMe } from '../../session/use-session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { FormErrors } from '../../ui/form-errors.tsx'
import { ErrorState, Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { formatDate } from '../../ui/time.tsx'
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
      <Card title="Sign-in of members">
        <Loaded query={organisation} lines={2}>
          {(found) => <SecondFactorSetting organisation={found} />}
        </Loaded>
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
        <FormErrors error={save.error} fields={['name']}>
          <Field name="name" label="Name">
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
        </FormErrors>
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

/** Only a person with a second factor can require one, so that nobody locks themselves out. */
function SecondFactorSetting({ organisation }: { organisation: Organisation }) {
  const orgId = organisation.org_id
  const me = useMe()
  const isRequired = organisation.require_second_factor
  const save = useSettingsAction(orgId, {
    run: (require_second_factor: boolean) =>
      api.request('PATCH', '/v1/orgs/{org_id}', {
        params: { org_id: orgId },
        body: { require_second_factor },
      }),
    done: (saved) =>
      saved.require_second_factor
        ? 'Members now need a second factor'
        : 'The second factor is now optional',
  })
  const lacksOwn = me.data?.second_factor === false
  return (
    <div className="grid gap-3">
      <p className="text-sm">
        {isRequired
          ? 'Members who sign in with a password need a second factor to act in this organisation.'
          : 'Members can sign in with a password alone.'}
      </p>
      <p className="text-xs text-ink-faint">
        Single sign-on uses the second factor of the identity provider. API keys are not affected.
      </p>
      {lacksOwn && !isRequired ? (
        <p className="text-sm text-ink-soft">
          To require it, <TextLink to="/account/security">set up your own second factor</TextLink>{' '}
          first.
        </p>
      ) : null}
      {save.error ? <ErrorState error={save.error} /> : null}
      <div>
        <Button busy={save.isPending} onClick={() => save.mutate(!isRequired)}>
          {isRequired ? 'Make second factor optional' : 'Require second factor'}
        </Button>
      </div>
    </div>
  )
}

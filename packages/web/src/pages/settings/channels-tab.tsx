import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Answer, Body } from '@touchstone/sdk'
import { type FormEvent, useState } from 'react'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ChoiceList } from '../../ui/choice-list.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { FormErrors } from '../../ui/form-errors.tsx'
import { Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { settingsKey, useMembers, useSettingsAction } from './queries.ts'

type Channels = Answer<'GET', '/v1/orgs/{org_id}/approval-channels'>
type Member = Answer<'GET', '/v1/orgs/{org_id}/members'>['members'][number]

/** The channels on which people are notified of calls that need an approval. */
export function ChannelsTab() {
  const { orgId } = useParams({ from: '/o/$orgId/settings/approval-channels' })
  const members = useMembers(orgId)
  const channels = useQuery({
    queryKey: settingsKey(orgId, 'approval-channels'),
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/approval-channels', { params: { org_id: orgId } }),
  })
  return (
    <Card
      className="max-w-3xl"
      title="Approval channels"
      note="Each call that needs an approval is announced here once, with a link to its page"
    >
      <Loaded query={channels} lines={5}>
        {(found) => (
          <Loaded query={members}>
            {({ members: people }) => (
              <ChannelsForm
                key={JSON.stringify(found)}
                orgId={orgId}
                channels={found}
                members={people}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </Card>
  )
}

type ChannelsFormProps = { orgId: string; channels: Channels; members: readonly Member[] }

function ChannelsForm({ orgId, channels, members }: ChannelsFormProps) {
  const [email, setEmail] = useState<string[]>(channels.email)
  const save = useSettingsAction(orgId, {
    run: (body: Body<'PUT', '/v1/orgs/{org_id}/approval-channels'>) =>
      api.request('PUT', '/v1/orgs/{org_id}/approval-channels', {
        params: { org_id: orgId },
        body,
      }),
    done: () => 'Approval channels saved',
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const urlOf = (name: string) => String(form.get(name)).trim() || null
    save.mutate({
      email,
      slack_webhook_url: urlOf('slack_webhook_url'),
      teams_webhook_url: urlOf('teams_webhook_url'),
    })
  }
  return (
    <form onSubmit={submit} className="grid gap-5">
      <FormErrors error={save.error} fields={['slack_webhook_url', 'teams_webhook_url']}>
        <ChoiceList
          label="E-mail to"
          choices={members
            .filter((member) => member.email !== null)
            .map(({ user_id: value, email }) => ({ value, label: email, text: email ?? '' }))}
          chosen={email}
          onChange={setEmail}
        />
        <Field
          name="slack_webhook_url"
          label="Slack"
          hint="The address of an incoming webhook of Slack. It is kept encrypted."
        >
          {(control) => (
            <Input
              {...control}
              name="slack_webhook_url"
              type="url"
              defaultValue={channels.slack_webhook_url ?? ''}
              placeholder="https://hooks.slack.com/services/…"
              className="font-mono"
            />
          )}
        </Field>
        <Field
          name="teams_webhook_url"
          label="Microsoft Teams"
          hint="The address of a workflow that posts to a channel"
        >
          {(control) => (
            <Input
              {...control}
              name="teams_webhook_url"
              type="url"
              defaultValue={channels.teams_webhook_url ?? ''}
              className="font-mono"
            />
          )}
        </Field>
      </FormErrors>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-ink-soft">
          Your own desktop notifications are in{' '}
          <TextLink to="/account/security">your account</TextLink>.
        </p>
        <Button type="submit" tone="primary" busy={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  )
}

import { type Static, Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import type { ApprovalChannels } from './channel-service.ts'

const MEMBERS_MAX = 20

const Url = Type.String({ minLength: 1, maxLength: 2048 })

export const ChannelsBody = NamedObject('ApprovalChannelsChange', {
  email: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
    maxItems: MEMBERS_MAX,
    uniqueItems: true,
    description: 'ids of the members who get an e-mail about each new escalation',
  }),
  slack_webhook_url: Type.Optional(Nullable(Url)),
  teams_webhook_url: Type.Optional(Nullable(Url)),
})

export const ChannelsAnswer = NamedObject('ApprovalChannels', {
  email: Type.Array(Type.String()),
  slack_webhook_url: Nullable(Type.String()),
  teams_webhook_url: Nullable(Type.String()),
})

export function fromChannelsBody(body: Static<typeof ChannelsBody>): ApprovalChannels {
  const { email, slack_webhook_url: slack = null, teams_webhook_url: teams = null } = body
  return { memberIds: email, urls: { slack, teams } }
}

export function toChannels({ memberIds, urls }: ApprovalChannels): Static<typeof ChannelsAnswer> {
  return {
    email: [...memberIds],
    slack_webhook_url: urls.slack,
    teams_webhook_url: urls.teams,
  }
}

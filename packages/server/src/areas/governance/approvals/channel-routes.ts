import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams } from '../../../http/wire.ts'
import { ChannelsAnswer, ChannelsBody, fromChannelsBody, toChannels } from './channel-schema.ts'
import type { createChannels } from './channel-service.ts'

const tags = ['gateway']

export function channelRoutes(app: Server, channels: ReturnType<typeof createChannels>): void {
  app.get(
    '/v1/orgs/:org_id/approval-channels',
    {
      config: { access: 'approval_channels.manage', perMinute: 60 },
      schema: {
        operationId: 'getApprovalChannels',
        summary: 'Get the approval channels of an organisation',
        tags,
        params: OrgParams,
        response: { 200: ChannelsAnswer },
      },
    },
    async (req) => toChannels(await channels.get(req.params.org_id)),
  )

  app.put(
    '/v1/orgs/:org_id/approval-channels',
    {
      config: { access: 'approval_channels.manage', perMinute: 30 },
      schema: {
        operationId: 'setApprovalChannels',
        summary: 'Set the approval channels of an organisation',
        description:
          'The members and addresses that are notified of new escalations. An address that is missing or null is removed. Addresses must be https.',
        tags,
        params: OrgParams,
        body: ChannelsBody,
        response: { 200: ChannelsAnswer },
      },
    },
    async (req) => {
      const wanted = fromChannelsBody(req.body)
      return toChannels(await channels.set(requireTenant(req), wanted, actorOf(req)))
    },
  )
}

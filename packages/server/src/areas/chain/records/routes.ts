import { orgIdsOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, PageQuery, toPageRequest } from '../../../http/wire.ts'
import { HistoryAnswer, StatusAnswer, toHistory, toStatus } from './schema.ts'
import type { RecordService } from './service.ts'

const tags = ['on-chain']

export function recordRoutes(app: Server, records: RecordService): void {
  app.get(
    '/v1/on-chain/status/:agent_id',
    {
      config: { access: 'onchain.read', perMinute: 30 },
      schema: {
        operationId: 'getOnChainStatus',
        summary: 'Get what the chain holds about an agent',
        tags,
        params: AgentParams,
        response: { 200: StatusAnswer },
      },
    },
    async (req) => toStatus(await records.status(req.params.agent_id, orgIdsOf(req))),
  )

  app.get(
    '/v1/on-chain/history',
    {
      config: { access: 'onchain.read', perMinute: 30 },
      schema: {
        operationId: 'listOnChainRecords',
        summary: 'List the anchors and publications of your organisation',
        description:
          'Newest first. Automatic anchors are listed if they cover an agent of the organisation.',
        tags,
        querystring: PageQuery,
        response: { 200: HistoryAnswer },
      },
    },
    async (req) =>
      toHistory(await records.history(requireTenant(req).orgId, toPageRequest(req.query))),
  )
}

import type { ServerResponse } from 'node:http'
import { requireTenant } from '../../../http/access/guard.ts'
import { sendExport } from '../../../http/answers/export-file.ts'
import { reaches } from '../../../http/identity/caller.ts'
import type { Server } from '../../../http/server.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { DecisionExport, DecisionExports } from './export-service.ts'
import type { DecisionReads } from './read-service.ts'
import {
  DecisionExportAnswer,
  DecisionExportQuery,
  DecisionParams,
  DecisionQuery,
  DecisionRecords,
  ProvenDecision,
  toFilter,
  toPage,
  toProven,
  toRecords,
} from './schema.ts'
import { DecisionStatsAnswer, DecisionStatsQuery, toStats, toStatsQuery } from './stats-schema.ts'
import type { DecisionStats } from './stats-service.ts'

const tags = ['gateway']

export type DecisionReaders = {
  reads: DecisionReads
  stats: DecisionStats
  exports: DecisionExports
}

export function decisionRoutes(app: Server, { reads, stats, exports }: DecisionReaders): void {
  listRoutes(app, reads)
  statsRoute(app, stats)
  exportRoute(app, exports)
}

function listRoutes(app: Server, reads: DecisionReads): void {
  app.get(
    '/v1/decisions',
    {
      config: { access: 'decisions.read', reads: 'replica', perMinute: 120 },
      schema: {
        operationId: 'listDecisions',
        summary: 'List decisions',
        description: 'Newest first.',
        tags,
        querystring: DecisionQuery,
        response: { 200: DecisionRecords },
      },
    },
    async (req) => {
      const { orgId } = requireTenant(req)
      return toRecords(await reads.list(toFilter(orgId, req.query), toPage(req.query)))
    },
  )

  app.get(
    '/v1/decisions/:decision_id',
    {
      config: {
        access: 'decisions.read',
        reads: 'replica',
        agentFrom: 'handler',
        perMinute: 120,
        refuses: [404],
      },
      schema: {
        operationId: 'getDecision',
        summary: 'Get a decision',
        tags,
        params: DecisionParams,
        response: { 200: ProvenDecision },
      },
    },
    async (req) => {
      const found = await reads.find(requireTenant(req).orgId, req.params.decision_id)
      if (found === undefined || !reaches(req.caller, found)) {
        throw new Problem('not_found', 'No such decision.')
      }
      return toProven(found, await reads.findProof(found))
    },
  )
}

function statsRoute(app: Server, stats: DecisionStats): void {
  app.get(
    '/v1/decisions/stats',
    {
      config: { access: 'decisions.read', reads: 'replica', perMinute: 120 },
      schema: {
        operationId: 'getDecisionStats',
        summary: 'Count decisions per interval',
        description:
          'The 20 most frequent keys, all others as `other`, which also counts a tool or agent of this name; durations are estimated from a histogram.',
        tags,
        querystring: DecisionStatsQuery,
        response: { 200: DecisionStatsAnswer },
      },
    },
    async (req) => toStats(await stats.read(requireTenant(req).orgId, toStatsQuery(req.query))),
  )
}

function exportRoute(app: Server, exports: DecisionExports): void {
  app.get(
    '/v1/decisions/export',
    {
      config: { access: 'decisions.export', reads: 'replica', perMinute: 10 },
      schema: {
        operationId: 'exportDecisions',
        summary: 'Export decisions as a file',
        description: 'Filters as in the list.',
        tags,
        querystring: DecisionExportQuery,
        response: { 200: DecisionExportAnswer },
      },
    },
    async (req, reply) => {
      const { format = 'ndjson', ...filters } = req.query
      const filter = toFilter(requireTenant(req).orgId, filters)
      const file = await exports.start(filter, format)
      // HTTP/1.0, which proxies may speak, has no trailers.
      const hasTrailers = format === 'csv' && req.raw.httpVersion !== '1.0'
      if (hasTrailers) reply.header('trailer', TRAILERS.join(', '))
      const texts = hasTrailers ? withTrailers(file, reply.raw) : file.texts
      return sendExport(reply, { name: file.name, format, texts })
    },
  )
}

const TRAILERS = ['X-Touchstone-Count', 'X-Touchstone-Sha256'] as const

/** Not `reply.trailer`, which announces the names without a comma between them. */
async function* withTrailers(
  { texts, figures }: DecisionExport,
  response: ServerResponse,
): AsyncGenerator<string> {
  yield* texts
  const { decisions, sha256 } = figures()
  const [count, hash] = TRAILERS
  response.addTrailers({ [count]: String(decisions), [hash]: sha256 })
}

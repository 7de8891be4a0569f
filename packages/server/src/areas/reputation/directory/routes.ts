import { requireTenant } from '../../../http/access/guard.ts'
import { bodyEtag } from '../../../http/answers/etag.ts'
import type { Server } from '../../../http/server.ts'
import { toPageRequest } from '../../../http/wire.ts'
import {
  BatchBody,
  BatchScores,
  Benchmarks,
  CompareQuery,
  Comparison,
  DirectoryPage,
  SearchQuery,
  toBatch,
  toBenchmarks,
  toCompared,
  toComparison,
  toDirectoryPage,
  toSearch,
} from './schema.ts'
import type { DirectoryService } from './service.ts'

const tags = ['reputation']

/** 01 §7.8: what is shown depends on who asks. */
const PRIVATE = 'private, no-store'

/** Limits are those of the interface, per caller and minute. */
export function directoryRoutes(app: Server, directory: DirectoryService): void {
  app.post(
    '/v1/reputation/batch',
    {
      config: { access: 'reputation.query', perMinute: 30 },
      schema: {
        summary: 'Scores of up to 50 agents, one for each distinct id',
        tags,
        body: BatchBody,
        response: { 200: BatchScores },
      },
    },
    async (req, reply) => {
      const listed = await directory.list(requireTenant(req).orgId, req.body.agent_ids)
      return reply.header('cache-control', PRIVATE).send(toBatch(listed))
    },
  )

  app.get(
    '/v1/reputation/search',
    {
      config: { access: 'reputation.query', perMinute: 60 },
      schema: {
        summary: 'Rated agents: public ones, and unlisted ones of your organisation',
        tags,
        querystring: SearchQuery,
        response: { 200: DirectoryPage },
      },
    },
    async (req, reply) => {
      const search = toSearch(requireTenant(req).orgId, req.query)
      const page = await directory.search(search, toPageRequest(req.query))
      return reply.header('cache-control', PRIVATE).send(toDirectoryPage(page))
    },
  )

  app.get(
    '/v1/reputation/compare',
    {
      config: { access: 'reputation.query', perMinute: 60 },
      schema: {
        summary: 'Scores of 2 to 10 agents side by side',
        tags,
        querystring: CompareQuery,
        response: { 200: Comparison },
      },
    },
    async (req, reply) => {
      const listed = await directory.list(requireTenant(req).orgId, toCompared(req.query))
      return reply.header('cache-control', PRIVATE).send(toComparison(listed))
    },
  )
}

/** No organisation has this id, so that a search with it shows what everybody may see. */
const NO_ORGANISATION = ''

/** What the interface adds for those without a credential: public pages show it. */
export function publicDirectoryRoutes(app: Server, directory: DirectoryService): void {
  app.get(
    '/v1/directory',
    {
      config: { access: 'public', perMinute: 60 },
      schema: {
        summary: 'Rated public agents, for everybody',
        tags,
        querystring: SearchQuery,
        response: { 200: DirectoryPage },
      },
    },
    async (req, reply) => {
      const search = toSearch(NO_ORGANISATION, req.query)
      const page = await directory.search(search, toPageRequest(req.query))
      return reply.header('cache-control', 'public, max-age=30').send(toDirectoryPage(page))
    },
  )
}

export function benchmarkRoutes(app: Server, directory: DirectoryService): void {
  app.get(
    '/v1/reputation/benchmarks',
    {
      config: { access: 'public', perMinute: 30 },
      schema: {
        summary: 'How the scores of public agents are distributed, as of the last hourly run',
        tags,
        response: { 200: Benchmarks },
      },
    },
    async (_req, reply) => {
      const body = toBenchmarks(await directory.benchmarks())
      return reply
        .header('cache-control', 'public, max-age=300')
        .header('etag', `W/${bodyEtag(JSON.stringify(body))}`)
        .send(body)
    },
  )
}

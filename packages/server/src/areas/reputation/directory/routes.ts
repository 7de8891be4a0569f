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

/** The answer depends on the caller (spec: reputation §8). */
const PRIVATE = 'private, no-store'

/** Limits: spec: interface, Limits. */
export function directoryRoutes(app: Server, directory: DirectoryService): void {
  app.post(
    '/v1/reputation/batch',
    {
      config: { access: 'reputation.query', perMinute: 30 },
      schema: {
        operationId: 'listReputations',
        summary: 'Get the scores of up to 50 agents',
        description: 'One for each distinct id.',
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
        operationId: 'searchReputations',
        summary: 'Search rated agents',
        description: 'Public ones, and unlisted ones of your organisation.',
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
        operationId: 'compareReputations',
        summary: 'Compare the scores of 2 to 10 agents',
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

/** No organisation has this id, so a search with it finds only public agents. */
const NO_ORGANISATION = ''

/** Needs no credential: public pages use it. */
export function publicDirectoryRoutes(app: Server, directory: DirectoryService): void {
  app.get(
    '/v1/directory',
    {
      config: { access: 'public', reads: 'stale', perMinute: 60 },
      schema: {
        operationId: 'searchDirectory',
        summary: 'Search rated public agents',
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
      config: { access: 'public', reads: 'stale', perMinute: 30 },
      schema: {
        operationId: 'getBenchmarks',
        summary: 'Get the distribution of the scores of public agents',
        description: 'Computed hourly.',
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

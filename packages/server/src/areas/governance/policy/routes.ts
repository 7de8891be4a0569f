import type { FastifyReply, FastifyRequest } from 'fastify'
import { stringify } from 'yaml'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import { wantsYaml } from '../../../http/answers/accept.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, PageQuery, toPageRequest } from '../../../http/wire.ts'
import {
  AGENT_PARAMS,
  Nothing,
  ORG_PARAMS,
  Policy,
  PolicyBody,
  PolicyHistory,
  PolicySaved,
  PolicyVerdict,
  ResolvedPolicy,
  TEAM_PARAMS,
  toOwner,
  toPolicy,
  toPolicyHistory,
  toPolicySaved,
  toResolvedEtag,
  toResolvedPolicy,
  toVerdict,
} from './schema.ts'
import type { PolicyService } from './service.ts'

const tags = ['policies']

/** spec: governance §1.4. */
const BODY_BYTES_MAX = 262_144

const OF_AGENT = { tenantFrom: 'agent', unknownAgent: 'not_found' } as const
/** On every plan: a team's rules stay in force after a downgrade (spec: platform §2.6). */
const OF_TEAM = { tenantFrom: 'team' } as const

type Site = {
  path: string
  /** The owner in summaries. */
  name: string
  /** The owner in operation ids. */
  owner: string
  params: typeof AGENT_PARAMS | typeof ORG_PARAMS | typeof TEAM_PARAMS
  /** How the organisation is determined. */
  rules: typeof OF_AGENT | typeof OF_TEAM | Record<never, never>
  readsPerMinute: number
  /** Statuses of a rejected write beyond those of every policy. */
  refuses: readonly number[]
}

const AGENT: Site = {
  path: '/v1/agents/:agent_id/policy',
  name: 'an agent',
  owner: 'Agent',
  params: AGENT_PARAMS,
  rules: OF_AGENT,
  readsPerMinute: 60,
  refuses: [409],
}

const ORG: Site = {
  path: '/v1/orgs/:org_id/policy',
  name: 'an organisation',
  owner: 'Org',
  params: ORG_PARAMS,
  rules: {},
  readsPerMinute: 30,
  refuses: [],
}

const TEAM: Site = {
  path: '/v1/teams/:team_id/policy',
  name: 'a team',
  owner: 'Team',
  params: TEAM_PARAMS,
  rules: OF_TEAM,
  readsPerMinute: 30,
  refuses: [409],
}

export function policyRoutes(app: Server, policies: PolicyService): void {
  for (const site of [AGENT, ORG, TEAM]) {
    readRoutes(app, policies, site)
    writeRoutes(app, policies, site)
  }
  resolvedRoute(app, policies)
  validateRoute(app, policies)
}

function readRoutes(app: Server, policies: PolicyService, site: Site): void {
  const config = { access: 'policies.read', perMinute: 30, ...site.rules } as const

  app.get(
    site.path,
    {
      config: { ...config, perMinute: site.readsPerMinute, media: 'document' },
      schema: {
        operationId: `get${site.owner}Policy`,
        summary: `Get the policy of ${site.name}`,
        description: 'As JSON, or as YAML if Accept prefers it.',
        tags,
        params: site.params.owner,
        response: { 200: Policy },
      },
    },
    async (req, reply) => answer(req, reply, await policies.get(toOwner(req.params))),
  )

  app.get(
    `${site.path}/history`,
    {
      config,
      schema: {
        operationId: `list${site.owner}PolicyVersions`,
        summary: `List the versions of the policy of ${site.name}`,
        description: 'Newest first.',
        tags,
        params: site.params.owner,
        querystring: PageQuery,
        response: { 200: PolicyHistory },
      },
    },
    async (req) =>
      toPolicyHistory(await policies.history(toOwner(req.params), toPageRequest(req.query))),
  )

  app.get(
    `${site.path}/versions/:version`,
    {
      config: { ...config, media: 'document' },
      schema: {
        operationId: `get${site.owner}PolicyVersion`,
        summary: `Get a version of the policy of ${site.name}`,
        tags,
        params: site.params.version,
        response: { 200: Policy },
      },
    },
    async (req, reply) => {
      const { version } = req.params
      return answer(req, reply, await policies.getVersion(toOwner(req.params), version))
    },
  )
}

function writeRoutes(app: Server, policies: PolicyService, site: Site): void {
  const config = { access: 'policies.change', perMinute: 30, ...site.rules } as const

  app.put(
    site.path,
    {
      bodyLimit: BODY_BYTES_MAX,
      config: { ...config, media: 'document', refuses: [412, 422, ...site.refuses] },
      schema: {
        operationId: `replace${site.owner}Policy`,
        summary: `Replace the policy of ${site.name}`,
        description: 'If-Match and If-None-Match prevent lost updates.',
        tags,
        params: site.params.owner,
        body: PolicyBody,
        response: { 200: PolicySaved },
      },
    },
    async (req, reply) => {
      const saved = await policies.replace(req.body, {
        ...writeOf(req),
        owner: toOwner(req.params),
      })
      reply.header('etag', etagOf(saved.stored))
      return toPolicySaved(saved)
    },
  )

  app.delete(
    site.path,
    {
      config: { ...config, refuses: [412, ...site.refuses] },
      schema: {
        operationId: `delete${site.owner}Policy`,
        summary: `Delete the policy of ${site.name}`,
        description: 'Its versions are kept.',
        tags,
        params: site.params.owner,
        response: { 204: Nothing },
      },
    },
    async (req, reply) => {
      await policies.remove({ ...writeOf(req), owner: toOwner(req.params) })
      return reply.code(204).send(null)
    },
  )
}

function resolvedRoute(app: Server, policies: PolicyService): void {
  app.get(
    `${AGENT.path}/resolved`,
    {
      config: { access: 'policies.read_resolved', perMinute: 30, ...OF_AGENT },
      schema: {
        operationId: 'getResolvedPolicy',
        summary: 'Get the effective policy of an agent',
        description: "Its organisation's policy merged with its own.",
        tags,
        params: AgentParams,
        response: { 200: ResolvedPolicy },
      },
    },
    async (req, reply) => {
      const { orgId } = requireTenant(req)
      const agentId = req.params.agent_id
      const resolved = await policies.getResolved({ orgId, agentId })
      void reply.header('etag', toResolvedEtag(resolved.resolution))
      return toResolvedPolicy(resolved)
    },
  )
}

function validateRoute(app: Server, policies: PolicyService): void {
  app.post(
    '/v1/policies/validate',
    {
      bodyLimit: BODY_BYTES_MAX,
      config: { access: 'policies.evaluate', perMinute: 30, media: 'document' },
      schema: {
        operationId: 'validatePolicy',
        summary: 'Validate a policy without storing it',
        tags,
        body: PolicyBody,
        response: { 200: PolicyVerdict },
      },
    },
    async (req) => toVerdict(await policies.validate(requireTenant(req).orgId, req.body)),
  )
}

type Stored = Awaited<ReturnType<PolicyService['get']>>

function writeOf(req: FastifyRequest) {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = req.headers
  const precondition = { ifMatch, ifNoneMatch }
  return { orgId: requireTenant(req).orgId, actor: actorOf(req), precondition }
}

function answer(req: FastifyRequest, reply: FastifyReply, stored: Stored) {
  reply.header('etag', etagOf(stored)).header('vary', 'Accept')
  if (!wantsYaml(req.headers.accept)) return toPolicy(stored)
  // A YAML reader gets the document alone. The cast is safe: `send` has already ended the reply, so
  // the value is not serialised as the declared JSON answer.
  return reply.type('application/yaml').send(stringify(stored.document)) as never
}

function etagOf({ version }: Stored): string {
  return `"v${version}"`
}

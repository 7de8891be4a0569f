import type { FastifyReply, FastifyRequest } from 'fastify'
import { stringify } from 'yaml'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import { wantsYaml } from '../../../http/answers/accept.ts'
import { bodyEtag } from '../../../http/answers/etag.ts'
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
  toResolvedPolicy,
  toVerdict,
} from './schema.ts'
import type { PolicyService } from './service.ts'

const tags = ['policies']

/** 02 §1.4. */
const BODY_BYTES_MAX = 262_144

const OF_AGENT = { tenantFrom: 'agent', unknownAgent: 'not_found' } as const
/** On every plan: a team's rules bind its agents, whatever was paid for since (04 §2.6). */
const OF_TEAM = { tenantFrom: 'team' } as const

type Site = {
  path: string
  /** With its article. */
  name: string
  params: typeof AGENT_PARAMS | typeof ORG_PARAMS | typeof TEAM_PARAMS
  /** How the organisation is found. */
  rules: typeof OF_AGENT | typeof OF_TEAM | Record<never, never>
  readsPerMinute: number
  /** What a write may be refused with, beyond what all of them are. */
  refuses: readonly number[]
}

const AGENT: Site = {
  path: '/v1/agents/:agent_id/policy',
  name: 'an agent',
  params: AGENT_PARAMS,
  rules: OF_AGENT,
  readsPerMinute: 60,
  refuses: [409],
}

const ORG: Site = {
  path: '/v1/orgs/:org_id/policy',
  name: 'an organisation',
  params: ORG_PARAMS,
  rules: {},
  readsPerMinute: 30,
  refuses: [],
}

const TEAM: Site = {
  path: '/v1/teams/:team_id/policy',
  name: 'a team',
  params: TEAM_PARAMS,
  rules: OF_TEAM,
  readsPerMinute: 30,
  refuses: [409],
}

export function policyRoutes(app: Server, policies: PolicyService): void {
  for (const site of [AGENT, ORG, TEAM]) {
    readingRoutes(app, policies, site)
    changingRoutes(app, policies, site)
  }
  resolvedRoute(app, policies)
  validateRoute(app, policies)
}

function readingRoutes(app: Server, policies: PolicyService, site: Site): void {
  const config = { access: 'policies.read', perMinute: 30, ...site.rules } as const

  app.get(
    site.path,
    {
      config: { ...config, perMinute: site.readsPerMinute, media: 'document' },
      schema: {
        summary: `The policy of ${site.name}; YAML when Accept asks for it`,
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
        summary: `Versions of the policy of ${site.name}, newest first`,
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
        summary: `One version of the policy of ${site.name}`,
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

function changingRoutes(app: Server, policies: PolicyService, site: Site): void {
  const config = { access: 'policies.change', perMinute: 30, ...site.rules } as const

  app.put(
    site.path,
    {
      bodyLimit: BODY_BYTES_MAX,
      config: { ...config, media: 'document', refuses: [412, 422, ...site.refuses] },
      schema: {
        summary: `Write the policy of ${site.name}; If-Match and If-None-Match are honoured`,
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
        summary: `Delete the policy of ${site.name}; its versions are kept`,
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
      config: { access: 'policies.read', perMinute: 30, ...OF_AGENT },
      schema: {
        summary: "What an agent is held to: its organisation's policy merged with its own",
        tags,
        params: AgentParams,
        response: { 200: ResolvedPolicy },
      },
    },
    async (req, reply) => {
      const { orgId } = requireTenant(req)
      const agentId = req.params.agent_id
      const answer = toResolvedPolicy(await policies.getResolved({ orgId, agentId }))
      // When it was resolved makes no other policy of it, for those who keep it.
      const { resolved_at: _, ...held } = answer
      void reply.header('etag', `W/${bodyEtag(JSON.stringify(held))}`)
      return answer
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
        summary: 'Say what is wrong with a policy, without storing it',
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
  // The declared answer is the JSON one; a YAML reader gets the document alone.
  return reply.type('application/yaml').send(stringify(stored.document)) as never
}

function etagOf({ version }: Stored): string {
  return `"v${version}"`
}

import type { FastifyRequest } from 'fastify'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, OrgParams } from '../../../http/wire.ts'
import {
  ExemptAnswer,
  ExemptBody,
  TemplateAnswer,
  TemplateBody,
  TemplateDeleted,
  TemplateSaved,
  toExempted,
  toExemption,
  toSubmission,
  toTemplate,
  toTemplateSaved,
} from './schema.ts'
import type { TemplateService, TemplateWrite } from './service.ts'

const tags = ['card templates']
const PATH = '/v1/orgs/:org_id/card-template'
const FEATURE = { feature: 'org_card_template' } as const
const CHANGE = { perMinute: 30, refuses: [412], ...FEATURE } as const

export function templateRoutes(app: Server, templates: TemplateService): void {
  app.get(
    PATH,
    {
      config: { access: 'card_template.read', perMinute: 60, ...FEATURE },
      schema: {
        operationId: 'getCardTemplate',
        summary: 'Get the card template of an organisation',
        description: 'It is merged into the cards of its agents.',
        tags,
        params: OrgParams,
        response: { 200: TemplateAnswer },
      },
    },
    async (req, reply) => {
      const stored = await templates.get(requireTenant(req).orgId)
      reply.header('etag', `"v${stored.version}"`)
      return toTemplate(stored)
    },
  )

  app.put(
    PATH,
    {
      config: { access: 'card_template.change', ...CHANGE },
      schema: {
        operationId: 'replaceCardTemplate',
        summary: 'Replace the card template of an organisation',
        description: 'If-Match and If-None-Match prevent lost updates.',
        tags,
        params: OrgParams,
        body: TemplateBody,
        response: { 200: TemplateSaved },
      },
    },
    async (req, reply) => {
      const saved = await templates.replace(toSubmission(req.body), writeOf(req))
      reply.header('etag', `"v${saved.stored.version}"`)
      return toTemplateSaved(saved)
    },
  )

  app.delete(
    PATH,
    {
      config: { access: 'card_template.delete', ...CHANGE },
      schema: {
        operationId: 'deleteCardTemplate',
        summary: 'Delete the card template of an organisation',
        description: 'Its agents are verified against their own cards again.',
        tags,
        params: OrgParams,
        response: { 200: TemplateDeleted },
      },
    },
    async (req) => {
      await templates.remove(writeOf(req))
      return { deleted: true as const }
    },
  )
}

export function exemptionRoute(app: Server, templates: TemplateService): void {
  app.put(
    '/v1/agents/:agent_id/org-card-exempt',
    {
      config: {
        access: 'card_template.change',
        tenantFrom: 'agent',
        perMinute: 30,
        refuses: [409],
        ...FEATURE,
      },
      schema: {
        operationId: 'setCardTemplateExemption',
        summary: "Exempt an agent from its organisation's card template",
        description: 'Or end the exemption.',
        tags,
        params: AgentParams,
        body: ExemptBody,
        response: { 200: ExemptAnswer },
      },
    },
    async (req) => {
      const agent = { orgId: requireTenant(req).orgId, agentId: req.params.agent_id }
      return toExempted(await templates.setExempt(agent, toExemption(req.body), actorOf(req)))
    },
  )
}

function writeOf(req: FastifyRequest): TemplateWrite {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = req.headers
  const precondition = { ifMatch, ifNoneMatch }
  return { orgId: requireTenant(req).orgId, actor: actorOf(req), precondition }
}

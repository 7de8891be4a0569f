import type { FastifyRequest } from 'fastify'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { AgentParams, OrgParams, PageQuery, toPageRequest } from '../../../http/wire.ts'
import {
  ModeAnswer,
  ModeBody,
  OrderBody,
  Reordered,
  ResolvedValues,
  toMode,
  toNewValue,
  toPatch,
  toReordered,
  toResolved,
  toSetting,
  toValue,
  toValueLog,
  toValueSet,
  ValueAnswer,
  ValueBody,
  ValueDeleted,
  ValueLog,
  ValueParams,
  ValuePatch,
  ValueSet,
} from './schema.ts'
import type { Author, ConscienceService } from './service.ts'

const tags = ['conscience values']
const PATH = '/v1/orgs/:org_id/conscience-values'

const FEATURE = { feature: 'custom_conscience_values' } as const
const READ = { access: 'conscience_values.read', perMinute: 60, ...FEATURE } as const
const CHANGE = { access: 'conscience_values.change', perMinute: 30, ...FEATURE } as const

export function conscienceRoutes(app: Server, conscience: ConscienceService): void {
  readingRoutes(app, conscience)
  valueRoutes(app, conscience)
  settingRoutes(app, conscience)
}

function readingRoutes(app: Server, conscience: ConscienceService): void {
  app.get(
    PATH,
    {
      config: READ,
      schema: {
        operationId: 'listConscienceValues',
        summary: 'List the conscience values of an organisation',
        description: 'In their order, with the mode in which they apply.',
        tags,
        params: OrgParams,
        response: { 200: ValueSet },
      },
    },
    async (req) => toValueSet(await conscience.get(requireTenant(req).orgId)),
  )

  app.get(
    `${PATH}/log`,
    {
      config: { ...READ, access: 'conscience_log.read' },
      schema: {
        operationId: 'listConscienceValueChanges',
        summary: 'List the changes to conscience values',
        description: 'Newest first.',
        tags,
        params: OrgParams,
        querystring: PageQuery,
        response: { 200: ValueLog },
      },
    },
    async (req) => {
      const { orgId } = requireTenant(req)
      return toValueLog(orgId, await conscience.log(orgId, toPageRequest(req.query)))
    },
  )

  app.get(
    '/v1/agents/:agent_id/conscience-values',
    {
      config: { ...READ, tenantFrom: 'agent' },
      schema: {
        operationId: 'getAgentConscienceValues',
        summary: 'Get all conscience values that apply to an agent',
        description: 'From the base set, the organisation, the card template and its own card.',
        tags,
        params: AgentParams,
        response: { 200: ResolvedValues },
      },
    },
    async (req) => {
      const { agent_id: agentId } = req.params
      return toResolved(agentId, await conscience.resolve(agentId))
    },
  )
}

function valueRoutes(app: Server, conscience: ConscienceService): void {
  app.post(
    PATH,
    {
      config: { ...CHANGE, refuses: [409] },
      schema: {
        operationId: 'createConscienceValue',
        summary: 'Create a conscience value',
        description: 'It is added to the end and applies immediately.',
        tags,
        params: OrgParams,
        body: ValueBody,
        response: { 201: ValueAnswer },
      },
    },
    async (req, reply) => {
      const added = await conscience.add(authorOf(req), toNewValue(req.body))
      return reply.code(201).send(toValue(added))
    },
  )

  app.patch(
    `${PATH}/:value_id`,
    {
      config: { ...CHANGE, refuses: [409] },
      schema: {
        operationId: 'updateConscienceValue',
        summary: 'Update a conscience value',
        description: 'Or enable or disable it.',
        tags,
        params: ValueParams,
        body: ValuePatch,
        response: { 200: ValueAnswer },
      },
      preValidation: async (req) => {
        await conscience.assertValue(req.params.org_id, req.params.value_id)
      },
    },
    async (req) =>
      toValue(await conscience.change(authorOf(req), req.params.value_id, toPatch(req.body))),
  )

  app.delete(
    `${PATH}/:value_id`,
    {
      config: CHANGE,
      schema: {
        operationId: 'deleteConscienceValue',
        summary: 'Delete a conscience value',
        tags,
        params: ValueParams,
        response: { 200: ValueDeleted },
      },
    },
    async (req) => {
      const { value_id: id } = req.params
      await conscience.remove(authorOf(req), id)
      return { deleted: true as const, id }
    },
  )
}

function settingRoutes(app: Server, conscience: ConscienceService): void {
  app.put(
    `${PATH}/order`,
    {
      config: CHANGE,
      schema: {
        operationId: 'reorderConscienceValues',
        summary: 'Set the order of the conscience values',
        tags,
        params: OrgParams,
        body: OrderBody,
        response: { 200: Reordered },
      },
    },
    async (req) => toReordered(await conscience.reorder(authorOf(req), req.body.order)),
  )

  app.put(
    `${PATH}/mode`,
    {
      config: CHANGE,
      schema: {
        operationId: 'setConscienceMode',
        summary: 'Set the mode of the conscience values',
        description: 'Augment or replace the base values; enable or disable all values.',
        tags,
        params: OrgParams,
        body: ModeBody,
        response: { 200: ModeAnswer },
      },
    },
    async (req) => {
      const author = authorOf(req)
      return toMode(author.orgId, await conscience.setMode(author, toSetting(req.body)))
    },
  )
}

function authorOf(req: FastifyRequest): Author {
  const { orgId, accountId } = requireTenant(req)
  return { orgId, accountId, actor: actorOf(req) }
}

import type { Static } from 'typebox'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams, toInstant, toPageRequest } from '../../../http/wire.ts'
import {
  DeliveryList,
  DeliveryParams,
  DeliveryQuery,
  DeliveryWithAttempts,
  EndpointAnswer,
  EndpointChangeBody,
  EndpointDeleted,
  EndpointList,
  EndpointParams,
  EndpointWithSecret,
  NewEndpointBody,
  NewSecret,
  Redelivered,
  ReplayAnswer,
  ReplayBody,
  RotateBody,
  TestAnswer,
  toDelivery,
  toDeliveryDetail,
  toEndpoint,
  toEndpointChange,
  toNewEndpoint,
  toReplay,
} from './schema.ts'
import type { WebhookService } from './service.ts'

const tags = ['webhooks']
const feature = 'webhooks'
const secrets = ['signing_secret']
const BASE = '/v1/orgs/:org_id/webhooks'

export function webhookRoutes(app: Server, webhooks: WebhookService): void {
  endpointRoutes(app, webhooks)
  actionRoutes(app, webhooks)
  deliveryRoutes(app, webhooks)
}

function endpointRoutes(app: Server, webhooks: WebhookService): void {
  app.post(
    BASE,
    {
      config: { access: 'webhooks.manage', perMinute: 30, feature, secrets },
      schema: {
        summary: 'Add an endpoint; its signing secret is shown only now. At most five',
        tags,
        params: OrgParams,
        body: NewEndpointBody,
        response: { 201: EndpointWithSecret },
      },
    },
    async (req, reply) => {
      const { orgId, accountId } = requireTenant(req)
      const fields = toNewEndpoint(req.body)
      const made = await webhooks.create({ orgId, accountId }, fields, actorOf(req))
      const answer = { ...toEndpoint(made.endpoint), signing_secret: made.secret }
      return reply.code(201).send(answer)
    },
  )

  app.get(
    BASE,
    {
      config: { access: 'webhooks.read', perMinute: 60, feature },
      schema: {
        summary: 'The endpoints, oldest first',
        tags,
        params: OrgParams,
        response: { 200: EndpointList },
      },
    },
    async (req) => ({ webhooks: (await webhooks.list(req.params.org_id)).map(toEndpoint) }),
  )

  app.get(
    `${BASE}/:endpoint_id`,
    {
      config: { access: 'webhooks.read', perMinute: 60, feature },
      schema: {
        summary: 'One endpoint',
        tags,
        params: EndpointParams,
        response: { 200: EndpointAnswer },
      },
    },
    async (req, reply) => {
      const endpoint = await webhooks.get(req.params.org_id, req.params.endpoint_id)
      reply.header('etag', `"v${endpoint.version}"`)
      return toEndpoint(endpoint)
    },
  )

  app.patch(
    `${BASE}/:endpoint_id`,
    {
      config: { access: 'webhooks.manage', perMinute: 30, feature, refuses: [412] },
      schema: {
        summary: 'Change an endpoint, disable it or enable it again',
        tags,
        params: EndpointParams,
        body: EndpointChangeBody,
        response: { 200: EndpointAnswer },
      },
      preValidation: assertEndpoint(webhooks),
    },
    async (req) => {
      const { org_id: orgId, endpoint_id: endpointId } = req.params
      const precondition = { ifMatch: req.headers['if-match'] }
      const named = { orgId, endpointId, actor: actorOf(req), precondition }
      return toEndpoint(await webhooks.update(named, toEndpointChange(req.body)))
    },
  )

  app.delete(
    `${BASE}/:endpoint_id`,
    {
      config: { access: 'webhooks.manage', perMinute: 30, feature, refuses: [412] },
      schema: {
        summary: 'Delete an endpoint and its deliveries',
        tags,
        params: EndpointParams,
        response: { 200: EndpointDeleted },
      },
    },
    async (req) => {
      const { org_id: orgId, endpoint_id: endpointId } = req.params
      const precondition = { ifMatch: req.headers['if-match'] }
      await webhooks.delete({ orgId, endpointId, actor: actorOf(req), precondition })
      return { deleted: true as const, endpoint_id: endpointId }
    },
  )
}

/** What the path names is looked for before the body is judged (04 §1.2). */
function assertEndpoint(webhooks: WebhookService) {
  return async (req: { params: Static<typeof EndpointParams> }): Promise<void> => {
    await webhooks.get(req.params.org_id, req.params.endpoint_id)
  }
}

function actionRoutes(app: Server, webhooks: WebhookService): void {
  app.post(
    `${BASE}/:endpoint_id/test`,
    {
      config: { access: 'webhooks.manage', perMinute: 10, feature },
      schema: {
        summary: 'Send a test event now and say how it was answered',
        tags,
        params: EndpointParams,
        response: { 200: TestAnswer },
      },
    },
    async (req) => {
      const { success, attempt } = await webhooks.test(req.params.org_id, req.params.endpoint_id)
      const { status, latency_ms, error } = attempt
      return { success, status, latency_ms, error }
    },
  )

  app.post(
    `${BASE}/:endpoint_id/rotate-secret`,
    {
      config: { access: 'webhooks.manage', perMinute: 30, feature, secrets },
      schema: {
        summary: 'Give an endpoint a new signing secret, shown only now',
        tags,
        params: EndpointParams,
        body: RotateBody,
        response: { 200: NewSecret },
      },
      preValidation: assertEndpoint(webhooks),
    },
    async (req) => {
      const { org_id: orgId, endpoint_id: endpointId } = req.params
      const named = { orgId, endpointId, actor: actorOf(req) }
      const secret = await webhooks.rotate(named, req.body.overlap_hours ?? 0)
      return { endpoint_id: endpointId, signing_secret: secret }
    },
  )

  app.post(
    `${BASE}/:endpoint_id/replay`,
    {
      config: { access: 'webhooks.manage', perMinute: 30, feature },
      schema: {
        summary: 'Send an endpoint once more everything since a time; events are kept 30 days',
        tags,
        params: EndpointParams,
        body: ReplayBody,
        response: { 202: ReplayAnswer },
      },
      preValidation: assertEndpoint(webhooks),
    },
    async (req, reply) => {
      const { org_id: orgId, endpoint_id: endpointId } = req.params
      const { event_types: eventTypes } = req.body
      const since = toInstant(req.body.since) ?? new Date(0)
      const replay = await webhooks.requestReplay({ orgId, endpointId, since, eventTypes })
      return reply.code(202).send(toReplay(replay))
    },
  )
}

function deliveryRoutes(app: Server, webhooks: WebhookService): void {
  app.get(
    `${BASE}/deliveries`,
    {
      config: { access: 'webhooks.read', perMinute: 60, feature },
      schema: {
        summary: 'The delivery log, newest first; kept 30 days',
        tags,
        params: OrgParams,
        querystring: DeliveryQuery,
        response: { 200: DeliveryList },
      },
    },
    async (req) => {
      const { endpoint_id: endpointId, status, event_type: eventType } = req.query
      const filter = { orgId: req.params.org_id, endpointId, status, eventType }
      const found = await webhooks.deliveries(filter, toPageRequest(req.query))
      const { total, page, perPage } = found
      return { deliveries: found.items.map(toDelivery), total, page, per_page: perPage }
    },
  )

  app.get(
    `${BASE}/deliveries/:delivery_id`,
    {
      config: { access: 'webhooks.read', perMinute: 60, feature },
      schema: {
        summary: 'One delivery with what was sent and every attempt',
        tags,
        params: DeliveryParams,
        response: { 200: DeliveryWithAttempts },
      },
    },
    async (req) =>
      toDeliveryDetail(await webhooks.delivery(req.params.org_id, req.params.delivery_id)),
  )

  app.post(
    `${BASE}/deliveries/:delivery_id/redeliver`,
    {
      config: { access: 'webhooks.manage', perMinute: 30, feature },
      schema: {
        summary: 'Send a finished delivery once more, byte for byte',
        tags,
        params: DeliveryParams,
        response: { 201: Redelivered },
      },
    },
    async (req, reply) => {
      const { org_id: orgId, delivery_id: id } = req.params
      const { deliveryId, eventId } = await webhooks.redeliver(orgId, id)
      const answer = { delivery_id: deliveryId, event_id: eventId, status: 'pending' as const }
      return reply.code(201).send(answer)
    },
  )
}

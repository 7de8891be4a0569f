import type { Static } from 'typebox'
import { actorOf, requireTenant } from '../../../http/access/guard.ts'
import type { Server } from '../../../http/server.ts'
import { OrgParams, toInstant, toPageFields, toPageRequest } from '../../../http/wire.ts'
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
        operationId: 'createWebhook',
        summary: 'Create a webhook',
        description: 'Its signing secret is shown only once. At most five per organisation.',
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
        operationId: 'listWebhooks',
        summary: 'List the webhooks of an organisation',
        description: 'Oldest first.',
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
        operationId: 'getWebhook',
        summary: 'Get a webhook',
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
        operationId: 'updateWebhook',
        summary: 'Update a webhook',
        description: 'Or enable or disable it.',
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
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook and its deliveries',
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

/** Looks up the path before the body is validated (spec: platform §1.2). */
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
        operationId: 'testWebhook',
        summary: 'Send a test event to a webhook',
        description: 'Returns the response of the endpoint.',
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
        operationId: 'rotateWebhookSecret',
        summary: 'Rotate the signing secret of a webhook',
        description: 'The new secret is shown only once.',
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
        operationId: 'replayWebhook',
        summary: 'Send all events since a time to a webhook again',
        description: 'Events are kept for 30 days.',
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
      const since = toInstant(req.body.since, 'since') ?? new Date(0)
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
        operationId: 'listWebhookDeliveries',
        summary: 'List the webhook deliveries of an organisation',
        description: 'Newest first; kept for 30 days.',
        tags,
        params: OrgParams,
        querystring: DeliveryQuery,
        response: { 200: DeliveryList },
      },
    },
    async (req) => {
      const { endpoint_id: endpointId, status, event_type: eventType } = req.query
      const filter = { orgId: req.params.org_id, endpointId, status, eventType }
      const page = await webhooks.deliveries(filter, toPageRequest(req.query))
      return { deliveries: page.items.map(toDelivery), ...toPageFields(page) }
    },
  )

  app.get(
    `${BASE}/deliveries/:delivery_id`,
    {
      config: { access: 'webhooks.read', perMinute: 60, feature },
      schema: {
        operationId: 'getWebhookDelivery',
        summary: 'Get a webhook delivery with its payload and attempts',
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
        operationId: 'redeliverWebhook',
        summary: 'Send a finished delivery again',
        description: 'With the same bytes.',
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

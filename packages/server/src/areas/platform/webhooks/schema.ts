import { EVENT_SUBSCRIPTIONS, EVENT_TYPES } from '@touchstone/protocol/events'
import { Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Instant, Nullable, PageFields, PageQuery } from '../../../http/wire.ts'
import { DELIVERY_STATUSES, type Delivery } from './delivery.ts'
import type { DeliveryDetail } from './delivery-store.ts'
import type { Endpoint, EndpointChange } from './endpoint.ts'
import { TEST_TYPE } from './event-types.ts'
import type { Replay } from './log-service.ts'
import { ATTEMPTS_MAX } from './retry.ts'

export const EndpointParams = Type.Object({ org_id: Type.String(), endpoint_id: Type.String() })
export const DeliveryParams = Type.Object({ org_id: Type.String(), delivery_id: Type.String() })

const Url = Type.String({
  // URL parsers silently drop line breaks, which would hide part of the URL from logs.
  pattern: '^[^\\s\\p{Cc}]+$',
  description: 'https, at most 2048 characters, resolving to a public address',
})
const Description = Nullable(Type.String({ maxLength: 500 }))
const EventTypes = Type.Array(NamedEnum('EventSubscription', [...EVENT_SUBSCRIPTIONS]), {
  maxItems: 100,
  description: 'types, families such as trace.*, or *; empty means all',
})

export const NewEndpointBody = NamedObject('NewWebhook', {
  url: Url,
  description: Type.Optional(Description),
  event_types: Type.Optional(EventTypes),
})

export const EndpointChangeBody = NamedObject('WebhookChanges', {
  url: Type.Optional(Url),
  description: Type.Optional(Description),
  event_types: Type.Optional(EventTypes),
  is_active: Type.Optional(
    Type.Boolean({ description: 'true enables it and resets the count of failures' }),
  ),
})

export function toEndpointChange(body: Type.Static<typeof EndpointChangeBody>): EndpointChange {
  return {
    ...(body.url === undefined ? {} : { url: body.url }),
    ...(body.description === undefined ? {} : { description: body.description }),
    ...(body.event_types === undefined ? {} : { eventTypes: distinct(body.event_types) }),
    ...(body.is_active === undefined ? {} : { isActive: body.is_active }),
  }
}

export function toNewEndpoint(body: Type.Static<typeof NewEndpointBody>) {
  return {
    url: body.url,
    description: body.description ?? null,
    eventTypes: distinct(body.event_types ?? []),
  }
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)]
}

const endpointFields = {
  endpoint_id: Type.String(),
  billing_account_id: Type.String(),
  url: Type.String(),
  description: Nullable(Type.String()),
  event_types: Type.Array(Type.String()),
  is_active: Type.Boolean(),
  consecutive_failures: Type.Integer(),
  disabled_at: Nullable(Type.String()),
  disabled_reason: Nullable(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
}

export const EndpointAnswer = NamedObject('Webhook', endpointFields)
export const EndpointList = NamedObject('WebhookList', { webhooks: Type.Array(EndpointAnswer) })
export const EndpointDeleted = NamedObject(
  'DeletedWebhook',
  {
    deleted: Type.Literal(true),
    endpoint_id: Type.String(),
  },
  { description: 'The webhook is deleted' },
)

/** Null in an idempotent replay, because a secret is shown once. */
const Secret = Nullable(Type.String({ description: 'whsec_ and 64 hex digits; shown only once' }))
export const EndpointWithSecret = NamedObject(
  'WebhookWithSecret',
  {
    ...endpointFields,
    signing_secret: Secret,
  },
  { description: 'The webhook and its signing secret' },
)
export const NewSecret = NamedObject(
  'WebhookSecret',
  {
    endpoint_id: Type.String(),
    signing_secret: Secret,
  },
  { description: 'The new signing secret' },
)

export const RotateBody = NamedObject('WebhookSecretRotation', {
  overlap_hours: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 168,
      default: 0,
      description: 'how many hours webhook-signature also contains a signature by the old secret',
    }),
  ),
})

export function toEndpoint(endpoint: Endpoint) {
  return {
    endpoint_id: endpoint.endpointId,
    billing_account_id: endpoint.accountId,
    url: endpoint.url,
    description: endpoint.description,
    event_types: [...endpoint.eventTypes],
    is_active: endpoint.isActive,
    consecutive_failures: endpoint.consecutiveFailures,
    disabled_at: endpoint.disabledAt?.toISOString() ?? null,
    disabled_reason: endpoint.disabledReason,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  }
}

export const TestAnswer = NamedObject(
  'WebhookTest',
  {
    success: Type.Boolean(),
    status: Nullable(Type.Integer({ description: 'the HTTP status of the response' })),
    latency_ms: Nullable(Type.Integer()),
    error: Nullable(Type.String()),
  },
  { description: 'The response of the endpoint' },
)

export const DeliveryQuery = Type.Object({
  ...PageQuery.properties,
  endpoint_id: Type.Optional(Type.String()),
  status: Type.Optional(NamedEnum('DeliveryStatus', [...DELIVERY_STATUSES])),
  event_type: Type.Optional(NamedEnum('EventType', [...EVENT_TYPES, TEST_TYPE])),
})

const deliveryFields = {
  delivery_id: Type.String(),
  event_id: Type.String(),
  endpoint_id: Type.String(),
  event_type: Type.String(),
  status: NamedEnum('DeliveryStatus', [...DELIVERY_STATUSES]),
  attempt_count: Type.Integer(),
  max_attempts: Type.Integer(),
  last_response_status: Nullable(Type.Integer()),
  last_error: Nullable(Type.String()),
  latency_ms: Nullable(Type.Integer()),
  next_attempt_at: Nullable(Type.String()),
  created_at: Type.String(),
  updated_at: Type.String(),
}

const DeliveryAnswer = NamedObject('WebhookDelivery', deliveryFields)
export const DeliveryList = NamedObject('WebhookDeliveryPage', {
  deliveries: Type.Array(DeliveryAnswer),
  ...PageFields,
})

export const DeliveryWithAttempts = NamedObject(
  'WebhookDeliveryDetail',
  {
    ...deliveryFields,
    payload: Type.Object(
      {},
      { additionalProperties: true, description: 'the payload as it was sent' },
    ),
    attempts: Type.Array(
      NamedObject('WebhookAttempt', {
        at: Type.String(),
        status: Nullable(Type.Integer()),
        latency_ms: Nullable(Type.Integer()),
        error: Nullable(Type.String()),
      }),
    ),
  },
  { description: 'The delivery, its payload and its attempts' },
)

export function toDelivery(delivery: Delivery) {
  return {
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    endpoint_id: delivery.endpointId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempt_count: delivery.attemptCount,
    max_attempts: ATTEMPTS_MAX,
    last_response_status: delivery.lastResponseStatus,
    last_error: delivery.lastError,
    latency_ms: delivery.latencyMs,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
    updated_at: delivery.updatedAt.toISOString(),
  }
}

export function toDeliveryDetail(delivery: DeliveryDetail) {
  const attempts = delivery.attempts.map(({ at, status, latency_ms, error }) => ({
    at,
    status,
    latency_ms,
    error,
  }))
  return { ...toDelivery(delivery), payload: JSON.parse(delivery.body), attempts }
}

export const Redelivered = NamedObject(
  'WebhookRedelivery',
  {
    delivery_id: Type.String(),
    event_id: Type.String(),
    status: Type.Literal('pending'),
  },
  { description: 'The new delivery' },
)

export const ReplayBody = NamedObject('WebhookReplayRequest', {
  since: Instant,
  event_types: Type.Optional(
    Type.Array(NamedEnum('EventSubscription', [...EVENT_SUBSCRIPTIONS]), {
      maxItems: 100,
      description: 'the types to send; default: those that the webhook subscribes to',
    }),
  ),
})

export const ReplayAnswer = NamedObject(
  'WebhookReplay',
  {
    replay_id: Type.String(),
    endpoint_id: Type.String(),
    since: Type.String(),
    until: Type.String(),
    event_types: Nullable(Type.Array(Type.String())),
  },
  { description: 'The accepted replay' },
)

export function toReplay(replay: Replay) {
  return {
    replay_id: replay.replayId,
    endpoint_id: replay.endpointId,
    since: replay.since.toISOString(),
    until: replay.until.toISOString(),
    event_types: replay.eventTypes === undefined ? null : [...replay.eventTypes],
  }
}

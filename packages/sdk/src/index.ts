export type { components, paths } from './api.ts'
export { ApiError, type ErrorDetail } from './api-error.ts'
export { type Client, type ClientOptions, createClient } from './client.ts'
export type { CredentialOptions } from './credentials.ts'
export { cursorItems } from './cursor-pages.ts'
export type { Answer, Body, CallOptions, Method, Options, Path, Query } from './operation.ts'
export { type Item, items, type ListPath } from './pages.ts'
export {
  type GateOptions,
  type GateOutcome,
  type ReputationGate,
  reputationGate,
} from './reputation-gate.ts'
export { createSseParser, type SseParser, type StreamEvent } from './sse-parser.ts'
export { createTouchstone, type Touchstone } from './touchstone.ts'
export {
  type VerifiedWebhook,
  verifyWebhook,
  type WebhookCheck,
  WebhookError,
  type WebhookErrorCode,
  type WebhookEvent,
} from './verify-webhook.ts'
export type { WebhookHeaders } from './webhook-headers.ts'

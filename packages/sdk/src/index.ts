export {
  type VerifiedWebhook,
  verifyWebhook,
  type WebhookCheck,
  WebhookError,
  type WebhookErrorCode,
  type WebhookEvent,
} from './verify-webhook.ts'
export type { WebhookHeaders } from './webhook-headers.ts'

import { createHmac } from 'node:crypto'
import { isTraceType } from './event-types.ts'

/**
 * Prefix of secrets. Our own scheme uses the whole secret as key, prefix included (spec: platform
 * §5.1).
 */
export const SECRET_PREFIX = 'whsec_'

export type Delivery = {
  deliveryId: string
  eventId: string
  eventType: string
  body: string
  attempt: number
}

export type Signing = {
  /** Time of signing in Unix seconds. */
  timestamp: number
  secret: string
  /** The previous secret, during the overlap after a rotation. */
  previous: string | undefined
  /** Ed25519 over `standardContent`, base64. */
  ed25519: string
}

/** Headers of one attempt: our own and those of Standard Webhooks (spec: platform §5.4). */
export function headersOf(delivery: Delivery, signing: Signing): Record<string, string> {
  const { eventId, body } = delivery
  const timestamp = String(signing.timestamp)
  const signature = hmacSignature(signing.secret, signing.timestamp, body)
  const content = standardContent(eventId, signing.timestamp, body)
  const isTrace = isTraceType(delivery.eventType)
  return {
    'content-type': 'application/json',
    'user-agent': 'Touchstone-Webhooks/1.0',
    'x-webhook-id': eventId,
    'x-webhook-timestamp': timestamp,
    'x-webhook-signature': signature,
    'x-webhook-delivery': delivery.deliveryId,
    'x-webhook-attempt': String(delivery.attempt),
    [isTrace ? 'x-aap-signature' : 'x-aip-signature']: signature,
    [isTrace ? 'x-aap-version' : 'x-aip-version']: isTrace ? '1.0' : '1.0.0',
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': standardSignature(signing, content),
  }
}

/** Signatures with the secret, the previous secret if there is one, and the service's key. */
function standardSignature({ secret, previous, ed25519 }: Signing, content: string): string {
  const former = previous === undefined ? '' : `v1,${standardHmac(previous, content)} `
  return `v1,${standardHmac(secret, content)} ${former}v1a,${ed25519}`
}

/** spec: interface, Delivery and signing. */
export function hmacSignature(secret: string, timestamp: number, body: string): string {
  return `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`
}

/** The content that both schemes of Standard Webhooks sign. */
export function standardContent(id: string, timestamp: number, body: string): string {
  return `${id}.${timestamp}.${body}`
}

function standardHmac(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  return createHmac('sha256', key).update(content).digest('base64')
}

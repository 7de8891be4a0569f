import { type Clock, SECOND_MS } from '../../../kernel/clock.ts'
import type { Attempt } from './delivery.ts'
import type { Messages, Outbound, Signer } from './ports.ts'
import { type Answer, errorOf, isDelivered } from './retry.ts'
import type { Secrets } from './secret-service.ts'
import { headersOf, standardContent } from './signature.ts'
import type { SealedSecrets } from './store.ts'

/** A receiver must answer within 10 seconds (spec: interface, Delivery and signing). */
export const ATTEMPT_MS_MAX = 10 * SECOND_MS

export type AttemptDeps = {
  clock: Clock
  outbound: Outbound
  messages: Messages
  signer: Signer
  secrets: Secrets
  elapsedMs(): number
  onAttempt(durationMs: number): void
}

export type ToSend = {
  deliveryId: string
  eventId: string
  endpointId: string
  eventType: string
  body: string
  url: string
  channel: string | null
  secrets: SealedSecrets
}

/** Sends one request to a receiver, with a new signature, and returns the answer and its record. */
export function createAttempt(deps: AttemptDeps) {
  return async (delivery: ToSend, attempt: number): Promise<Tried> => {
    const at = deps.clock.now()
    const { channel } = delivery
    if (channel !== null) return sendMessage(deps, { ...delivery, channel }, at)
    const { eventId, endpointId, body } = delivery
    const timestamp = Math.floor(at.getTime() / SECOND_MS)
    const signer = await deps.signer()
    const signature = await signer.signOnWorker(standardContent(eventId, timestamp, body))
    // Built field by field: this runs thousands of times a second, and spreading objects costs
    // more.
    const { secret, previous } = deps.secrets.open(endpointId, delivery.secrets, at)
    const signing = { secret, previous, timestamp, ed25519: signature.toString('base64') }
    const { deliveryId, eventType } = delivery
    const headers = headersOf({ deliveryId, eventId, eventType, body, attempt }, signing)
    return post(deps, { url: delivery.url, headers, body }, at)
  }
}

type Tried = { answer: Answer; record: Attempt; at: Date }

/** The address of a channel is its secret. A message that is gone is not retried. */
async function sendMessage(
  deps: AttemptDeps,
  { endpointId, channel, body, secrets }: ToSend & { channel: string },
  at: Date,
): Promise<Tried> {
  const message = await deps.messages.render(channel, JSON.parse(body))
  if (message === undefined) {
    const answer: Answer = { error: 'the message no longer exists', isFinal: true }
    return { answer, record: recordOf(answer, at, 0), at }
  }
  const { secret: url } = deps.secrets.open(endpointId, secrets, at)
  const headers = { 'content-type': 'application/json', 'user-agent': 'Touchstone-Webhooks/1.0' }
  return post(deps, { url, headers, body: message }, at)
}

async function post(
  deps: AttemptDeps,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
  at: Date,
): Promise<Tried> {
  const startedMs = deps.elapsedMs()
  const answer = await deps.outbound.post({ url, headers, body, timeoutMs: ATTEMPT_MS_MAX })
  const latencyMs = deps.elapsedMs() - startedMs
  deps.onAttempt(latencyMs)
  return { answer, record: recordOf(answer, at, latencyMs), at }
}

function recordOf(answer: Answer, at: Date, latencyMs: number): Attempt {
  return {
    at: at.toISOString(),
    status: 'status' in answer ? answer.status : null,
    latency_ms: Math.round(latencyMs),
    error: isDelivered(answer) ? null : errorOf(answer),
  }
}

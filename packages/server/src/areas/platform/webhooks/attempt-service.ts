import { type Clock, SECOND_MS } from '../../../kernel/clock.ts'
import type { Attempt } from './delivery.ts'
import type { Outbound, Signer } from './ports.ts'
import { type Answer, errorOf, isDelivered } from './retry.ts'
import type { Secrets } from './secret-service.ts'
import { headersOf, standardContent } from './signature.ts'
import type { SealedSecrets } from './store.ts'

/** A receiver must answer within 10 seconds (spec: interface, Delivery and signing). */
export const ATTEMPT_MS_MAX = 10 * SECOND_MS

export type AttemptDeps = {
  clock: Clock
  outbound: Outbound
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
  secrets: SealedSecrets
}

/** Sends one request to a receiver, with a new signature, and returns the answer and its record. */
export function createAttempt(deps: AttemptDeps) {
  return async (
    delivery: ToSend,
    attempt: number,
  ): Promise<{ answer: Answer; record: Attempt; at: Date }> => {
    const at = deps.clock.now()
    const { eventId, endpointId, body } = delivery
    const timestamp = Math.floor(at.getTime() / SECOND_MS)
    const signer = await deps.signer()
    const signature = await signer.signAside(standardContent(eventId, timestamp, body))
    // Built field by field: this runs thousands of times a second, and spreading objects costs
    // more.
    const { secret, previous } = deps.secrets.open(endpointId, delivery.secrets, at)
    const signing = { secret, previous, timestamp, ed25519: signature.toString('base64') }
    const { deliveryId, eventType } = delivery
    const headers = headersOf({ deliveryId, eventId, eventType, body, attempt }, signing)
    const startedMs = deps.elapsedMs()
    const call = { url: delivery.url, headers, body, timeoutMs: ATTEMPT_MS_MAX }
    const answer = await deps.outbound.post(call)
    const latencyMs = deps.elapsedMs() - startedMs
    deps.onAttempt(latencyMs)
    const record = {
      at: at.toISOString(),
      status: 'status' in answer ? answer.status : null,
      latency_ms: Math.round(latencyMs),
      error: isDelivered(answer) ? null : errorOf(answer),
    }
    return { answer, record, at }
  }
}

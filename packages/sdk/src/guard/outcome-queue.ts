import type { components } from '../api.ts'
import type { Client } from '../client.ts'
import type { Outcome } from './evidence.ts'
import { isPermanent } from './evidence-queue.ts'
import { sanitise } from './evidence-text.ts'
import { createSendQueue, type SendQueue } from './send-queue.ts'

type OutcomeReport = components['schemas']['DecisionOutcomeReport']

/** An outcome that the service did not accept, or that a full queue evicted. */
export type LostOutcome = { decisionId: string; reason: string }

export type OutcomeQueueOptions = {
  client: Client
  /** Capacity: how many outcomes may wait while the service cannot be reached. */
  max: number
  onLost(lost: LostOutcome): void
  /** Called with the error each time a batch could not be sent; it is retried. */
  onDelayed(error: unknown): void
}

export type OutcomeQueue = SendQueue<OutcomeReport>

/** Largest batch of outcomes (spec: decisions §3). */
const BATCH_MAX = 100
const SEND_TIMEOUT_MS = 30_000
const ERROR_LENGTH_MAX = 500

const STATUS_OF = {
  succeeded: 'executed',
  failed: 'failed',
  refused: 'not_executed',
} as const

/** The outcome of a decision in the form of the API. */
export function outcomeOf(
  decisionId: string,
  outcome: Outcome,
  details: { durationMs?: number; error?: unknown; resultHash?: string | undefined } = {},
): OutcomeReport {
  const { durationMs, error, resultHash } = details
  return {
    decision_id: decisionId,
    status: STATUS_OF[outcome],
    ...(durationMs !== undefined && { duration_ms: durationMs }),
    ...(error !== undefined && { error: sanitise(messageOf(error), ERROR_LENGTH_MAX) }),
    ...(resultHash !== undefined && { result_hash: resultHash }),
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Reports outcomes in the background. A repeated report of the same outcome has no effect. */
export function createOutcomeQueue(options: OutcomeQueueOptions): OutcomeQueue {
  const { client, max, onLost, onDelayed } = options
  return createSendQueue<OutcomeReport>({
    max,
    batchMax: BATCH_MAX,
    async send(batch) {
      try {
        const body = { outcomes: [...batch] }
        const signal = AbortSignal.timeout(SEND_TIMEOUT_MS)
        const answer = await client.request('POST', '/v1/decisions/outcomes', { body, signal })
        for (const { decision_id: decisionId, status } of answer.results) {
          const reason = REASON_OF[status]
          if (reason !== undefined) onLost({ decisionId, reason })
        }
      } catch (error) {
        if (!isPermanent(error)) throw error
        for (const { decision_id: decisionId } of batch) {
          onLost({ decisionId, reason: error.message })
        }
      }
    },
    onEvicted: ({ decision_id: decisionId }) =>
      onLost({ decisionId, reason: 'The outcome queue was full.' }),
    onDelayed,
  })
}

/** Undefined if the service has the outcome. */
const REASON_OF = {
  stored: undefined,
  duplicate: undefined,
  conflict: 'The decision has another outcome, or is more than 24 hours old.',
  not_found: 'No such decision.',
} as const

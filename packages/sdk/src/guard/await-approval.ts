import type { Client } from '../client.ts'
import { toUnavailable } from './request-decision.ts'

export type Waiting = {
  /** How long to wait for a person in total. */
  waitMs: number
  /** The polling interval; two seconds by default. */
  pollMs?: number
}

const POLL_MS = 2_000

export type Approval = 'approved' | 'rejected' | 'pending'

/**
 * Polls until a person decides or the time runs out, also while the service cannot be reached. The key
 * needs the scope `read`.
 */
export async function awaitApproval(
  client: Client,
  escalationId: string,
  { waitMs, pollMs = POLL_MS, signal }: Waiting & { signal?: AbortSignal | undefined },
): Promise<Approval> {
  const deadlineMs = Date.now() + waitMs
  for (;;) {
    const status = await statusOf(client, escalationId, signal)
    if (status === 'approved') return 'approved'
    if (status !== 'pending') return 'rejected'
    if (Date.now() + pollMs > deadlineMs) return 'pending'
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    signal?.throwIfAborted()
  }
}

async function statusOf(client: Client, escalationId: string, signal: AbortSignal | undefined) {
  try {
    const params = { escalation_id: escalationId }
    const options = { params, signal }
    return (await client.request('GET', '/v1/escalations/{escalation_id}', options)).status
  } catch (error) {
    signal?.throwIfAborted()
    if (toUnavailable(error) === error) throw error
    return 'pending'
  }
}

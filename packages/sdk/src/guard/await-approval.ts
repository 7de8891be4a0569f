import type { Client } from '../client.ts'

export type Waiting = {
  /** How long to wait for a person in total. */
  waitMs: number
  /** The polling interval; two seconds by default. */
  pollMs?: number
}

const POLL_MS = 2_000

export type Approval = 'approved' | 'rejected' | 'pending'

/** Polls until a person decides or the time runs out. The key needs the scope `read`. */
export async function awaitApproval(
  client: Client,
  escalationId: string,
  { waitMs, pollMs = POLL_MS, signal }: Waiting & { signal?: AbortSignal | undefined },
): Promise<Approval> {
  const deadlineMs = Date.now() + waitMs
  const params = { escalation_id: escalationId }
  for (;;) {
    const escalation = await client.request('GET', '/v1/escalations/{escalation_id}', {
      params,
      signal,
    })
    if (escalation.status === 'approved') return 'approved'
    if (escalation.status !== 'pending') return 'rejected'
    if (Date.now() + pollMs > deadlineMs) return 'pending'
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    signal?.throwIfAborted()
  }
}

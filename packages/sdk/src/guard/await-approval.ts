import type { Client } from '../client.ts'

export type Waiting = {
  /** How long to wait for a person altogether. */
  waitMs: number
  /** How often to look; every two seconds unless you say otherwise. */
  pollMs?: number
}

const POLL_MS = 2_000

export type Approval = 'approved' | 'rejected' | 'pending'

/** Looks until a person has answered or the time is over. The key needs the scope `read`. */
export async function awaitApproval(
  client: Client,
  escalationId: string,
  { waitMs, pollMs = POLL_MS, signal }: Waiting & { signal?: AbortSignal | undefined },
): Promise<Approval> {
  const endMs = Date.now() + waitMs
  const params = { escalation_id: escalationId }
  for (;;) {
    const found = await client.request('GET', '/v1/escalations/{escalation_id}', { params, signal })
    if (found.status === 'approved') return 'approved'
    if (found.status !== 'pending') return 'rejected'
    if (Date.now() + pollMs > endMs) return 'pending'
    await new Promise((resolve) => setTimeout(resolve, pollMs))
    signal?.throwIfAborted()
  }
}

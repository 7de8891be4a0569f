import type { Client } from '../client.ts'
import type { Verdict } from './tool-call.ts'

/** A call that waits for a person. */
export type Escalation = {
  escalationId: string
  /** The page where a person can approve the call. */
  approveUrl: string | undefined
  /** The policy lets the user of the client approve it there (`approval.local`). */
  local: boolean
}

const TIMEOUT_MS = 5_000

/** The escalation of a decision. If it cannot be read, nobody but the service can approve it. */
export async function findEscalation(
  client: Client,
  { escalationId }: Verdict,
): Promise<Escalation | undefined> {
  if (escalationId === null) return undefined
  const params = { escalation_id: escalationId }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const found = await client
    .request('GET', '/v1/escalations/{escalation_id}', { params, signal })
    .catch(() => undefined)
  return { escalationId, approveUrl: found?.approve_url, local: found?.local ?? false }
}

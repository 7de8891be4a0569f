import { sha256Hex } from '../crypto/hash.ts'

const HOUR_MS = 3_600_000

/** The default session of an item without one: one per agent and hour of the item's timestamp. */
export function defaultSessionId(agentId: string, timestampMs: number): string {
  return `sess-${sha256Hex(agentId).slice(0, 8)}-${Math.floor(timestampMs / HOUR_MS)}`
}

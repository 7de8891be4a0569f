import { linkedEntryHash, NO_ENTRY_HASH } from '@touchstone/protocol/control'
import type { ContainmentAction, ContainmentStatus } from './containment.ts'

/** A change of an agent's containment status, with its actor and reason. */
export type Moved = {
  id: string
  action: ContainmentAction
  /** A user id, a key id, or `system`. */
  actor: string
  reason: string | null
  previousStatus: ContainmentStatus
  newStatus: ContainmentStatus
  createdAt: Date
}

/** An entry of an agent's log, hash-chained to the previous one. */
export type LogEntry = Moved & { entryNumber: number; prevHash: string; entryHash: string }

/** The hashed members, as the API shows them. */
export function hashedMove(moved: Moved) {
  return {
    id: moved.id,
    action: moved.action,
    actor: moved.actor,
    reason: moved.reason,
    previous_status: moved.previousStatus,
    new_status: moved.newStatus,
    created_at: moved.createdAt.toISOString(),
  }
}

export function linkMove(
  moved: Moved,
  last: Pick<LogEntry, 'entryNumber' | 'entryHash'> | undefined,
): LogEntry {
  const prevHash = last?.entryHash ?? NO_ENTRY_HASH
  return {
    ...moved,
    entryNumber: (last?.entryNumber ?? 0) + 1,
    prevHash,
    entryHash: linkedEntryHash(hashedMove(moved), prevHash),
  }
}

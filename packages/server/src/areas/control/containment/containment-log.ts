import { linkedEntryHash, NO_ENTRY_HASH } from '@touchstone/protocol/control'
import type { ContainmentAction, ContainmentStatus } from './containment.ts'

/** Who moved an agent, how and why. */
export type Moved = {
  id: string
  action: ContainmentAction
  /** A user, a key, or `system`. */
  actor: string
  reason: string | null
  previousStatus: ContainmentStatus
  newStatus: ContainmentStatus
  createdAt: Date
}

/** An entry of an agent's log, each linked to the one before it. */
export type LogEntry = Moved & { entryNumber: number; prevHash: string; entryHash: string }

/** The members that are hashed, as they are shown. */
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

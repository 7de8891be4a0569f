import { linkedEntryHash, NO_ENTRY_HASH } from '@touchstone/protocol/control'

/** A comment on a violation. */
export type Comment = {
  id: string
  checkpointId: string
  author: string
  text: string
  createdAt: Date
}

/**
 * An entry of an agent's trail, hash-chained to the previous entry, whichever violation that is
 * about.
 */
export type TrailEntry = Comment & { entryNumber: number; prevHash: string; entryHash: string }

export type TrailEnd = Pick<TrailEntry, 'entryNumber' | 'entryHash'>

/** The hashed members, as the API shows them. */
export function hashedComment(comment: Comment) {
  return {
    id: comment.id,
    checkpoint_id: comment.checkpointId,
    author: comment.author,
    text: comment.text,
    created_at: comment.createdAt.toISOString(),
  }
}

export function linkComment(comment: Comment, end: TrailEnd | undefined): TrailEntry {
  const prevHash = end?.entryHash ?? NO_ENTRY_HASH
  return {
    ...comment,
    entryNumber: (end?.entryNumber ?? 0) + 1,
    prevHash,
    entryHash: linkedEntryHash(hashedComment(comment), prevHash),
  }
}

import { linkedEntryHash, NO_ENTRY_HASH } from '@touchstone/protocol/control'

/** What is said about a violation. */
export type Comment = {
  id: string
  checkpointId: string
  author: string
  text: string
  createdAt: Date
}

/** An entry of an agent's trail: each is linked to the one before it, whatever that is about. */
export type TrailEntry = Comment & { entryNumber: number; prevHash: string; entryHash: string }

export type TrailEnd = Pick<TrailEntry, 'entryNumber' | 'entryHash'>

/** The members that are hashed, as they are shown. */
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

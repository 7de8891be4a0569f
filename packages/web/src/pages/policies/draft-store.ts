import { readStored, removeStored, store } from '../../session/browser-storage.ts'
import type { Owner } from './owner.ts'

/** Drafts by owner. In the browser's storage, too, so that closing the page loses nothing. */
const drafts = new Map<string, string>()
const listeners = new Set<() => void>()

const keyOf = ({ kind, id }: Owner) => `touchstone.policy-draft.${kind}.${id}`

function changed(): void {
  for (const listener of listeners) listener()
}

export function subscribeDrafts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function saveDraft(owner: Owner, text: string): void {
  drafts.set(keyOf(owner), text)
  store(keyOf(owner), text)
  changed()
}

export function findDraft(owner: Owner): string | undefined {
  return drafts.get(keyOf(owner)) ?? readStored(keyOf(owner)) ?? undefined
}

export function discardDraft(owner: Owner): void {
  drafts.delete(keyOf(owner))
  removeStored(keyOf(owner))
  changed()
}

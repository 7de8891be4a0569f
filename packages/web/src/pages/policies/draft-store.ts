import type { Owner } from './owner.ts'

/** Keeps unsaved drafts in memory, so that they survive navigation within the console. */
const drafts = new Map<string, string>()

const keyOf = ({ kind, id }: Owner) => `${kind} ${id}`

export function saveDraft(owner: Owner, text: string): void {
  drafts.set(keyOf(owner), text)
}

export function findDraft(owner: Owner): string | undefined {
  return drafts.get(keyOf(owner))
}

export function discardDraft(owner: Owner): void {
  drafts.delete(keyOf(owner))
}

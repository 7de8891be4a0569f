/** The outcome of one span. */
export type Fate =
  | { kind: 'accepted' | 'duplicate' | 'ignored' }
  | { kind: 'rejected'; reason: string }

/** The outcomes of a request, counted. */
export type Tally = {
  accepted: number
  duplicates: number
  ignored: number
  rejected: number
  /** Empty if nothing was rejected. */
  message: string
}

/** More reasons would not be read. */
const REASONS_MAX = 5

export function tallyOf(fates: readonly Fate[]): Tally {
  const count = (kind: Fate['kind']) => fates.filter((fate) => fate.kind === kind).length
  const reasons = new Map<string, number>()
  for (const fate of fates) {
    if (fate.kind === 'rejected') reasons.set(fate.reason, (reasons.get(fate.reason) ?? 0) + 1)
  }
  return {
    accepted: count('accepted'),
    duplicates: count('duplicate'),
    ignored: count('ignored'),
    rejected: count('rejected'),
    message: messageOf(reasons),
  }
}

function messageOf(reasons: ReadonlyMap<string, number>): string {
  const listed = [...reasons]
    .slice(0, REASONS_MAX)
    .map(([reason, spans]) => `${spans} ${spans === 1 ? 'span' : 'spans'}: ${reason}`)
  const more = reasons.size - listed.length
  return [...listed, ...(more > 0 ? [`and ${more} more reasons`] : [])].join('. ')
}

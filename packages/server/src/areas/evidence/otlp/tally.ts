/** The outcome of one item of a request. */
export type Fate =
  /** `bare`: of a model call without content, so that it is only a trace. */
  | { kind: 'accepted' | 'duplicate'; bare: boolean }
  | { kind: 'ignored' | 'rejected'; reason: string }

/** The outcomes of a request, counted. */
export type Tally = {
  accepted: number
  duplicates: number
  ignored: number
  rejected: number
  /** Counts by the reason for which items were rejected or ignored; empty if every item became evidence. */
  message: string
}

/** More reasons would not be read. */
const REASONS_MAX = 5

const BARE =
  'recorded without content, which becomes a trace but no checkpoint; enable the capture of content'

/** `item` is the singular of what was sent. */
export function tallyOf(fates: readonly Fate[], item: string): Tally {
  const count = (kind: Fate['kind']) => fates.filter((fate) => fate.kind === kind).length
  const reasons = fates.flatMap((fate) => (fate.kind === 'rejected' ? [fate.reason] : []))
  const ignored = fates.flatMap((fate) => (fate.kind === 'ignored' ? [fate.reason] : []))
  const bare = fates.flatMap((fate) => ('bare' in fate && fate.bare ? [BARE] : []))
  const sentences = [
    ...counted(reasons, item, ''),
    ...counted(ignored, item, 'ignored, '),
    ...counted(bare, item, ''),
  ]
  return {
    accepted: count('accepted'),
    duplicates: count('duplicate'),
    ignored: ignored.length,
    rejected: reasons.length,
    message: sentences.join('. '),
  }
}

function counted(reasons: readonly string[], item: string, prefix: string): string[] {
  const byReason = new Map<string, number>()
  for (const reason of reasons) byReason.set(reason, (byReason.get(reason) ?? 0) + 1)
  const listed = [...byReason]
    .slice(0, REASONS_MAX)
    .map(([reason, count]) => `${count} ${item}${count === 1 ? '' : 's'}: ${prefix}${reason}`)
  const more = byReason.size - listed.length
  return [...listed, ...(more > 0 ? [`and ${more} more reasons`] : [])]
}

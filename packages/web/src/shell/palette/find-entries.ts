import { type Entry, GROUPS } from './entry.ts'

const ENTRIES_MAX = 40
/** So that a hundred agents do not hide the page of the same name. */
const OF_ONE_GROUP_MAX = 8

/**
 * The entries that have every word of the query, in the order of the groups, within a group the best
 * match first. An empty query finds the first of each group.
 */
export function findEntries(entries: readonly Entry[], query: string): Entry[] {
  const words = plain(query).split(/\s+/).filter(Boolean)
  const found = entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .map(({ entry }) => entry)
  return GROUPS.flatMap((group) =>
    found.filter((entry) => entry.group === group).slice(0, OF_ONE_GROUP_MAX),
  ).slice(0, ENTRIES_MAX)
}

/** 0 if a word is missing. A label that begins with the query ranks before one that contains it. */
function rankOf({ label, detail = '', words = '' }: Entry, wanted: readonly string[]): number {
  const name = plain(label)
  const rest = plain(`${detail} ${words}`)
  const ranks = wanted.map((word) => {
    if (name.startsWith(word)) return 4
    if (name.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word))) return 3
    if (name.includes(word)) return 2
    return rest.includes(word) ? 1 : 0
  })
  return ranks.includes(0) ? 0 : 1 + ranks.reduce<number>((sum, rank) => sum + rank, 0)
}

/** Lower case without accents, so that "cafe" finds "Café". */
function plain(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

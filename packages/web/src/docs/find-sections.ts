import type { SearchEntry } from './search-index.ts'

const FOUND_MAX = 12
const EXCERPT_LENGTH = 110

export type Found = { entry: SearchEntry; excerpt: string }

/** The sections that have every word of the query, those with it in a heading first. */
export function findSections(entries: readonly SearchEntry[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, rank: rankOf(entry, words) }))
    .filter(({ rank }) => rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, FOUND_MAX)
    .map(({ entry }) => ({ entry, excerpt: excerptOf(entry.text, words) }))
}

function rankOf({ title, heading, text }: SearchEntry, words: readonly string[]): number {
  const names = `${title} ${heading}`.toLowerCase()
  const body = text.toLowerCase()
  const ranks = words.map((word) => {
    if (heading.toLowerCase().startsWith(word)) return 6
    if (heading.toLowerCase().includes(word)) return 4
    if (names.includes(word)) return 3
    return body.includes(word) ? 1 : 0
  })
  return ranks.includes(0) ? 0 : ranks.reduce<number>((sum, rank) => sum + rank, 0)
}

/** The text around the first word that it contains. */
function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase()
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  const from = Math.max(0, Math.min(...places, text.length) - EXCERPT_LENGTH / 2)
  const start = places.length === 0 || from === 0 ? 0 : lower.indexOf(' ', from) + 1
  const excerpt = text.slice(start, start + EXCERPT_LENGTH)
  const isCut = start + EXCERPT_LENGTH < text.length
  return `${start > 0 ? '… ' : ''}${excerpt}${isCut ? '…' : ''}`
}

import { compareCodePoints, DIRECTORY_SORTS, type DirectorySort } from '@touchstone/protocol/score'
import type { EntryFilter, ListedEntry } from './entry.ts'
import { createRanking, type Ranking } from './ranking.ts'
import { createTextBlocks } from './text-blocks.ts'

export type Search = EntryFilter & { text: string | undefined; sort: DirectorySort }

/** An entry as it is now; undefined when it is not listed any more. */
export type ListingChange = { agentId: string; entry: ListedEntry | undefined }

export type Listing = ReturnType<typeof createListing>

/** In place of an organisation: anybody sees it, or nobody, as the place is free. */
const EVERYBODY = 0
const NOBODY = -1

/**
 * All listed entries, held so that any search goes through them once: what is looked at for each
 * one lies close together, and the entries themselves are only touched for the page.
 */
export function createListing() {
  const shelf = createShelf()
  const texts = createTextBlocks()
  const rankings = Object.fromEntries(
    DIRECTORY_SORTS.map((sort) => [sort, createRanking(shelf.comparing[sort], shelf.isTaken)]),
  ) as Record<DirectorySort, Ranking>

  return {
    /** Each agent at most once. */
    apply(changes: readonly ListingChange[]): void {
      const changed: number[] = []
      for (const { agentId, entry } of changes) {
        const place = entry === undefined ? shelf.clear(agentId) : shelf.put(entry)
        if (place === undefined) continue
        changed.push(place)
        if (entry === undefined) texts.set(place)
        else texts.set(place, foldCase(entry.name), foldCase(entry.agentId))
      }
      for (const ranking of Object.values(rankings)) ranking.changed(changed)
    },

    /** How many there are in all, and those from an offset on. */
    find(
      search: Search,
      { offset, limit }: { offset: number; limit: number },
    ): { total: number; items: ListedEntry[] } {
      const { text, sort } = search
      const having = text === undefined ? undefined : texts.matching(foldCase(text))
      const { marks, total } = shelf.matching(search, having)
      const places: number[] = []
      let passed = 0
      for (const place of rankings[sort].ordered()) {
        if (passed >= offset + limit) break
        if (marks[place] === 0) continue
        if (passed >= offset) places.push(place)
        passed += 1
      }
      return { total, items: places.flatMap((place) => shelf.at(place) ?? []) }
    },
  }
}

/** Each agent has a place as long as it is listed; left ones are given to others. */
function createShelf() {
  const places = new Map<string, number>()
  const left: number[] = []
  const entries: (ListedEntry | undefined)[] = []
  const columns = createColumns()
  const { owners, grades, confidences } = columns
  const codeOf = createCodes()

  return {
    at: (place: number): ListedEntry | undefined => entries[place],
    isTaken: (place: number): boolean => entries[place] !== undefined,
    comparing: comparing(columns),

    put(entry: ListedEntry): number {
      const place = places.get(entry.agentId) ?? left.pop() ?? entries.length
      places.set(entry.agentId, place)
      entries[place] = entry
      columns.ids[place] = entry.agentId
      columns.names[place] = foldCase(entry.name)
      columns.scores[place] = entry.score
      columns.trends[place] = entry.trend30d
      columns.checkpoints[place] = entry.checkpointCount
      owners[place] = entry.visibility === 'public' ? EVERYBODY : codeOf(entry.orgId)
      grades[place] = codeOf(entry.grade)
      confidences[place] = codeOf(entry.confidence)
      return place
    },

    clear(agentId: string): number | undefined {
      const place = places.get(agentId)
      if (place === undefined) return undefined
      places.delete(agentId)
      entries[place] = undefined
      owners[place] = NOBODY
      left.push(place)
      return place
    },

    /**
     * One mark per place, of those that already have one where some were marked before. Along the
     * places and not in an order, which would jump about in memory.
     * INVARIANT: private entries are never here, so an entry with an owner is an unlisted one.
     */
    matching(
      { orgId, grade, confidence }: EntryFilter,
      before: Uint8Array | undefined,
    ): { marks: Uint8Array; total: number } {
      const owner = codeOf(orgId)
      const gradeCode = grade === undefined ? undefined : codeOf(grade)
      const confidenceCode = confidence === undefined ? undefined : codeOf(confidence)
      const isWanted = (place: number) =>
        (owners[place] === EVERYBODY || owners[place] === owner) &&
        (gradeCode === undefined || grades[place] === gradeCode) &&
        (confidenceCode === undefined || confidences[place] === confidenceCode)
      const marks = new Uint8Array(entries.length)
      let total = 0
      for (let place = 0; place < marks.length; place += 1) {
        if (before?.[place] === 0 || !isWanted(place)) continue
        marks[place] = 1
        total += 1
      }
      return { marks, total }
    },
  }
}

type Columns = ReturnType<typeof createColumns>

/** What is compared and filtered by; reading it in the entries would take several times as long. */
function createColumns() {
  const [ids, names]: [string[], string[]] = [[], []]
  const [scores, trends, checkpoints]: [number[], number[], number[]] = [[], [], []]
  const [owners, grades, confidences]: [number[], number[], number[]] = [[], [], []]
  return { ids, names, scores, trends, checkpoints, owners, grades, confidences }
}

/** INVARIANT: as `directoryOrder`. */
function comparing(columns: Columns): Record<DirectorySort, (a: number, b: number) => number> {
  const { ids, names, scores, trends, checkpoints } = columns
  const descending = (numbers: readonly number[], a: number, b: number) =>
    (numbers[b] ?? 0) - (numbers[a] ?? 0)
  const ascending = (texts: readonly string[], a: number, b: number) =>
    compareCodePoints(texts[a] ?? '', texts[b] ?? '')
  const score = (a: number, b: number) => descending(scores, a, b) || ascending(ids, a, b)
  return {
    score,
    name: (a, b) => ascending(names, a, b) || score(a, b),
    trend: (a, b) => descending(trends, a, b) || score(a, b),
    checkpoints: (a, b) => descending(checkpoints, a, b) || score(a, b),
  }
}

/** Small numbers for texts that occur again and again. */
function createCodes(): (text: string) => number {
  const codes = new Map<string, number>()
  return (text) => {
    const known = codes.get(text)
    if (known !== undefined) return known
    codes.set(text, codes.size + 1)
    return codes.size
  }
}

/** Both what is sought and what it is sought in, so that case does not matter. */
function foldCase(text: string): string {
  return text.toLowerCase()
}

import { compareCodePoints, DIRECTORY_SORTS, type DirectorySort } from '@touchstone/protocol/score'
import type { EntryFilter, IndexedEntry } from './entry.ts'
import { createRanking, type Ranking } from './ranking.ts'
import { createTextIndex } from './text-index.ts'

export type Search = EntryFilter & { text: string | undefined; sort: DirectorySort }

/** The current state of an entry; undefined if it is no longer listed. */
export type IndexChange = { agentId: string; entry: IndexedEntry | undefined }

export type DirectoryIndex = ReturnType<typeof createDirectoryIndex>

/** Owner codes that stand for no organisation: a public entry, and a free slot. */
const PUBLIC = 0
const FREE_SLOT = -1
/** Below every level: the score was computed before there was assurance. */
const UNASSESSED = -1

/**
 * All listed entries in memory, in columns: a search scans the columns once, with good locality,
 * and touches the entries themselves only for the returned page.
 */
export function createDirectoryIndex() {
  const slots = createSlots()
  const texts = createTextIndex()
  // The cast is safe, because there is an entry for every sort.
  const rankings = Object.fromEntries(
    DIRECTORY_SORTS.map((sort) => [sort, createRanking(slots.comparators[sort], slots.isTaken)]),
  ) as Record<DirectorySort, Ranking>

  return {
    /** `changes` must have each agent at most once. */
    apply(changes: readonly IndexChange[]): void {
      const changed: number[] = []
      for (const { agentId, entry } of changes) {
        const slot = entry === undefined ? slots.clear(agentId) : slots.put(entry)
        if (slot === undefined) continue
        changed.push(slot)
        if (entry === undefined) texts.set(slot)
        else texts.set(slot, foldCase(entry.name), foldCase(entry.agentId))
      }
      for (const ranking of Object.values(rankings)) ranking.invalidate(changed)
    },

    /** The total number of matches, and one page of them. */
    find(
      search: Search,
      { offset, limit }: { offset: number; limit: number },
    ): { total: number; items: IndexedEntry[] } {
      const { text, sort } = search
      const textMatches = text === undefined ? undefined : texts.matching(foldCase(text))
      const { marks, total } = slots.matching(search, textMatches)
      const page: number[] = []
      let matched = 0
      for (const slot of rankings[sort].ordered()) {
        if (matched >= offset + limit) break
        if (marks[slot] === 0) continue
        if (matched >= offset) page.push(slot)
        matched += 1
      }
      return { total, items: page.flatMap((slot) => slots.at(slot) ?? []) }
    },
  }
}

/** Each agent has a slot as long as it is listed; freed slots are reused. */
function createSlots() {
  const slotOf = new Map<string, number>()
  const free: number[] = []
  const entries: (IndexedEntry | undefined)[] = []
  const columns = createColumns()
  const { owners, grades, confidences, assurances } = columns
  const codeOf = createCodes()

  return {
    at: (slot: number): IndexedEntry | undefined => entries[slot],
    isTaken: (slot: number): boolean => entries[slot] !== undefined,
    comparators: createComparators(columns),

    put(entry: IndexedEntry): number {
      const slot = slotOf.get(entry.agentId) ?? free.pop() ?? entries.length
      slotOf.set(entry.agentId, slot)
      entries[slot] = entry
      columns.ids[slot] = entry.agentId
      columns.names[slot] = foldCase(entry.name)
      columns.scores[slot] = entry.score
      columns.trends[slot] = entry.trend30d
      columns.checkpoints[slot] = entry.checkpointCount
      assurances[slot] = entry.assurance ?? UNASSESSED
      owners[slot] = entry.visibility === 'public' ? PUBLIC : codeOf(entry.orgId)
      grades[slot] = codeOf(entry.grade)
      confidences[slot] = codeOf(entry.confidence)
      return slot
    },

    clear(agentId: string): number | undefined {
      const slot = slotOf.get(agentId)
      if (slot === undefined) return undefined
      slotOf.delete(agentId)
      entries[slot] = undefined
      owners[slot] = FREE_SLOT
      free.push(slot)
      return slot
    },

    /**
     * Returns a bitmap of the matching slots; `candidates`, if given, limits the search. Scans in
     * slot order rather than sort order, for locality.
     * INVARIANT: the index has no private agents, so an entry with an owner has the visibility
     * `unlisted`.
     */
    matching(
      { orgId, grade, confidence, assurance }: EntryFilter,
      candidates: Uint8Array | undefined,
    ): { marks: Uint8Array; total: number } {
      const owner = codeOf(orgId)
      const gradeCode = grade === undefined ? undefined : codeOf(grade)
      const confidenceCode = confidence === undefined ? undefined : codeOf(confidence)
      const isWanted = (slot: number) =>
        (owners[slot] === PUBLIC || owners[slot] === owner) &&
        (gradeCode === undefined || grades[slot] === gradeCode) &&
        (confidenceCode === undefined || confidences[slot] === confidenceCode) &&
        (assurance === undefined || (assurances[slot] ?? UNASSESSED) >= assurance)
      const marks = new Uint8Array(entries.length)
      let total = 0
      for (let slot = 0; slot < marks.length; slot += 1) {
        if (candidates?.[slot] === 0 || !isWanted(slot)) continue
        marks[slot] = 1
        total += 1
      }
      return { marks, total }
    },
  }
}

type Columns = ReturnType<typeof createColumns>

/** The fields to compare and filter by; reading them from the entries takes several times as long. */
function createColumns() {
  const [ids, names]: [string[], string[]] = [[], []]
  const [scores, trends, checkpoints]: [number[], number[], number[]] = [[], [], []]
  const assurances: number[] = []
  const [owners, grades, confidences]: [number[], number[], number[]] = [[], [], []]
  return { ids, names, scores, trends, checkpoints, assurances, owners, grades, confidences }
}

/** INVARIANT: must give the same order as `directoryOrder`. */
function createComparators(
  columns: Columns,
): Record<DirectorySort, (a: number, b: number) => number> {
  const { ids, names, scores, trends, checkpoints, assurances } = columns
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
    assurance: (a, b) => descending(assurances, a, b) || score(a, b),
  }
}

/** Interns recurring texts as small integers. */
function createCodes(): (text: string) => number {
  const codes = new Map<string, number>()
  return (text) => {
    const known = codes.get(text)
    if (known !== undefined) return known
    codes.set(text, codes.size + 1)
    return codes.size
  }
}

/** Applied to both query and text, so that search ignores case. */
function foldCase(text: string): string {
  return text.toLowerCase()
}

import {
  type AssuranceLevel,
  DIRECTORY_SORTS,
  directoryOrder,
  type Grade,
} from '@touchstone/protocol/score'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDirectoryIndex, type Search } from './directory-index.ts'
import { entryOf } from './entry.fixture.ts'
import type { IndexedEntry } from './entry.ts'

/** Entries that differ in every sort key, with names beyond ASCII and beyond the BMP. */
const MIXED = [
  entryOf({ agentId: 'a-1', name: 'Zebra', score: 700, trend30d: 5, checkpointCount: 60 }),
  entryOf({ agentId: 'A-1', name: 'zebra', score: 700, trend30d: 5, checkpointCount: 60 }),
  entryOf({ agentId: 'a-2', name: 'Äpfel', score: 910, trend30d: -5, checkpointCount: 60 }),
  entryOf({ agentId: 'a-3', name: 'ÉCLAIR', score: 300, trend30d: 0, checkpointCount: 5000 }),
  entryOf({ agentId: 'a-4', name: '😀 smile', score: 700, trend30d: 7 }),
  entryOf({ agentId: 'a-5', name: '￥ yen', score: 701, trend30d: 7 }),
  entryOf({ agentId: 'a-6', name: 'İstanbul', score: 1000, trend30d: 0 }),
  entryOf({ agentId: 'a-7', name: 'ß', score: 0, trend30d: -40 }),
  entryOf({ agentId: 'a-8', name: '100%_\\', score: 455, checkpointCount: 999 }),
]

const EVERYTHING = { offset: 0, limit: 1000 }

function directoryIndexOf(entries: readonly IndexedEntry[]) {
  const index = createDirectoryIndex()
  index.apply(entries.map((entry) => ({ agentId: entry.agentId, entry })))
  return index
}

const searchOf = (given: Partial<Search> = {}): Search => ({
  orgId: 'org-none',
  text: undefined,
  grade: undefined,
  confidence: undefined,
  assurance: undefined,
  sort: 'score',
  ...given,
})

const idsOf = (entries: readonly IndexedEntry[]) => entries.map((entry) => entry.agentId)

/** A naive search, to compare with. */
function searchNaively(entries: readonly IndexedEntry[], search: Search): IndexedEntry[] {
  const text = search.text?.toLowerCase() ?? ''
  return entries
    .filter((one) => one.visibility === 'public' || one.orgId === search.orgId)
    .filter((one) => search.grade === undefined || one.grade === search.grade)
    .filter(({ assurance }) => (assurance ?? -1) >= (search.assurance ?? -1))
    .filter((one) => search.confidence === undefined || one.confidence === search.confidence)
    .filter((one) => [one.name, one.agentId].some((part) => part.toLowerCase().includes(text)))
    .sort(directoryOrder(search.sort))
}

describe('the directory index', () => {
  it.each(DIRECTORY_SORTS)('pages by %s in the order of the protocol', (sort) => {
    const index = directoryIndexOf(MIXED)
    const wanted = idsOf(MIXED.toSorted(directoryOrder(sort)))
    for (let offset = 0; offset <= MIXED.length; offset += 2) {
      const { total, items } = index.find(searchOf({ sort }), { offset, limit: 2 })
      expect(idsOf(items)).toEqual(wanted.slice(offset, offset + 2))
      expect(total).toBe(MIXED.length)
    }
  })

  it('finds the same entries as a naive search after every change', () => {
    const entry = fc.record({
      number: fc.nat({ max: 9 }),
      name: fc.string({ unit: 'grapheme', maxLength: 3 }).map((name) => name.replaceAll('\0', '0')),
      score: fc.integer({ min: 600, max: 900 }),
      trend30d: fc.integer({ min: -2, max: 2 }),
      checkpointCount: fc.constantFrom(60, 300, 3000),
      assurance: fc.constantFrom<AssuranceLevel | null>(null, 0, 1, 2),
      orgId: fc.constantFrom('org-1', 'org-2'),
      visibility: fc.constantFrom('public', 'unlisted'),
    })
    const step = fc.record({ entry, gone: fc.boolean() })
    const search = fc.record({
      orgId: fc.constantFrom('org-1', 'org-3'),
      text: fc.option(fc.constantFrom('a', 'AGENT-1', '-', 'é'), { nil: undefined }),
      grade: fc.constantFrom<Grade | undefined>(undefined, 'A', 'AA'),
      confidence: fc.constantFrom(undefined, 'medium' as const),
      assurance: fc.constantFrom<AssuranceLevel | undefined>(undefined, 0, 1, 3),
      sort: fc.constantFrom(...DIRECTORY_SORTS),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(step, search)), (steps) => {
        const index = createDirectoryIndex()
        const known = new Map<string, IndexedEntry>()
        for (const [{ entry: given, gone }, asked] of steps) {
          const { number, ...rest } = given
          const one = entryOf({ ...rest, agentId: `Agent-${number}` })
          if (gone) known.delete(one.agentId)
          else known.set(one.agentId, one)
          index.apply([{ agentId: one.agentId, entry: gone ? undefined : one }])
          const expected = searchNaively([...known.values()], asked)
          const found = index.find(asked, EVERYTHING)
          expect(found).toEqual({ total: expected.length, items: expected })
        }
      }),
    )
  })
})

describe('text search', () => {
  it.each([
    ['ZEBRA', ['A-1', 'a-1']],
    ['äPF', ['a-2']],
    ['éclair', ['a-3']],
    ['😀', ['a-4']],
    ['%_\\', ['a-8']],
    ['%', ['a-8']],
    ['A-1', ['A-1', 'a-1']],
    ['a-', ['a-6', 'a-2', 'a-5', 'A-1', 'a-1', 'a-4', 'a-8', 'a-3', 'a-7']],
    ['zebraa-1', []],
    ['zebra a-1', []],
    ['zebra\0a-1', []],
    ['nothing like it', []],
  ])('matches names and ids case-insensitively: %j', (text, wanted) => {
    const { total, items } = directoryIndexOf(MIXED).find(searchOf({ text }), EVERYTHING)
    expect(idsOf(items)).toEqual(wanted)
    expect(total).toBe(wanted.length)
  })
})

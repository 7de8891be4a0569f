import { readFile } from 'node:fs/promises'
import { DIRECTORY_SORTS, directoryOrder, type Grade } from '@touchstone/protocol'
import fc from 'fast-check'
import { sql } from 'kysely'
import pg from 'pg'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabaseUrl, testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { entryOf } from './entry.fixture.ts'
import type { Entry, EntryFilter } from './entry.ts'
import { pageWindow } from './page-window.ts'
import { createDirectoryStore } from './store.ts'

let db: Db

beforeAll(async () => {
  db = (await testDatabase()).db
})

beforeEach(async () => {
  await sql`delete from directory_entry`.execute(db)
})

const everything: EntryFilter = { orgId: 'org-none', grade: undefined, confidence: undefined }
const idsOf = (entries: readonly Entry[]) => entries.map((entry) => entry.agentId)

/** One of each kind of difference, and names beyond ASCII and beyond the first plane. */
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

/** Both ways of searching, page by page, forwards and backwards. */
async function searched(filter: EntryFilter, text: string) {
  const store = createDirectoryStore(db)
  const total = await store.count(filter, text, 'scan')
  expect(await store.count(filter, text, 'index')).toBe(total)
  const all = { sort: 'score', offset: 0, limit: 100 } as const
  const gathered = await store.gather(filter, text, all)
  const window = { fromEnd: false, offset: 0, limit: 100 }
  const walked = await store.walk(filter, text, { sort: 'score', window })
  return { total, gathered, walked }
}

describe('entries', () => {
  it('come back as they were saved, in one statement however many', async () => {
    const store = createDirectoryStore(db)
    await store.save(MIXED)
    const found = await store.listShown('org-none', idsOf(MIXED))
    expect(found.sort(directoryOrder('score'))).toEqual(MIXED.toSorted(directoryOrder('score')))
  })

  it('that did not change are not written again', async () => {
    const store = createDirectoryStore(db)
    await store.save(MIXED)
    const versions = async () =>
      (
        await sql<{ xmin: string }>`select agent_id, xmin::text as xmin from directory_entry
        order by agent_id`.execute(db)
      ).rows
    const before = await versions()
    await store.save(MIXED)
    expect(await versions()).toEqual(before)
    await store.saveFacts(MIXED)
    expect(await versions()).toEqual(before)
    await store.save([entryOf({ agentId: 'a-1', score: 5 })])
    expect(await versions()).not.toEqual(before)
  })

  it('are in the order of the protocol, from either end, in every language', async () => {
    const store = createDirectoryStore(db)
    await store.save(MIXED)
    for (const sort of DIRECTORY_SORTS) {
      const wanted = idsOf(MIXED.toSorted(directoryOrder(sort)))
      const found: string[] = []
      for (let page = 1; page <= MIXED.length; page += 1) {
        const window = pageWindow(MIXED.length, { page, perPage: 1 })
        found.push(...idsOf(await store.walk(everything, undefined, { sort, window })))
        const part = { sort, offset: page - 1, limit: 1 }
        const gathered = await store.gather(everything, '', part)
        expect(idsOf(gathered.entries), sort).toEqual(wanted.slice(page - 1, page))
      }
      expect(found, sort).toEqual(wanted)
    }
  })

  it('with any names are in the order of the protocol', async () => {
    const store = createDirectoryStore(db)
    const names = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), {
      minLength: 2,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(names, async (given) => {
        await sql`delete from directory_entry`.execute(db)
        const clean = given.map((name) => name.replaceAll('\0', '0'))
        const entries = clean.map((name, i) => entryOf({ agentId: `agent-${i}`, name }))
        await store.save(entries)
        const part = { sort: 'name', offset: 0, limit: 100 } as const
        const { entries: found } = await store.gather(everything, '', part)
        expect(idsOf(found)).toEqual(idsOf(entries.toSorted(directoryOrder('name'))))
      }),
      { numRuns: 30 },
    )
  })
})

describe('a text', () => {
  const CASES: readonly (readonly [string, readonly string[]])[] = [
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
    ['nothing like it', []],
  ]

  const finds = async () => {
    await createDirectoryStore(db).save(MIXED)
    for (const [text, wanted] of CASES) {
      const { total, gathered, walked } = await searched(everything, text)
      expect(idsOf(gathered.entries), text).toEqual(wanted)
      expect(idsOf(walked.sort(directoryOrder('score'))), text).toEqual(wanted)
      expect([total, gathered.total], text).toEqual([wanted.length, wanted.length])
    }
  }

  it('is found in names and ids, whatever its case and whichever way', finds)

  it('is found by the index where there is one', async () => {
    await transact(db, async (tx) => {
      await createDirectoryStore(tx).save(MIXED)
      await sql`set local enable_seqscan = off`.execute(tx)
      const plan = await sql<{ 'QUERY PLAN': string }>`explain select 1 from directory_entry
        where name_key like '%zebra%' or lower(agent_id) like '%zebra%'`.execute(tx)
      const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
      expect(text).toContain('directory_by_text')
    })
  })

  it('is found as well on a server that refuses the index', async () => {
    const url = new URL(await freshDatabaseUrl())
    const owner = `plain_${url.pathname.slice(1)}`
    const admin = new pg.Client({ connectionString: url.href })
    await admin.connect()
    // A user that may make tables but no extension, as on a server of somebody else.
    await admin.query(`drop table directory_entry, directory_tally, directory_benchmark`)
    await admin.query('drop function directory_tally_came, directory_tally_went')
    await admin.query('drop type directory_grade, directory_confidence')
    await admin.query('drop extension pg_trgm')
    await admin.query(`create role ${owner}; grant create, usage on schema public to ${owner}`)
    await admin.query(`set role ${owner}`)
    const migration = new URL('../../../../../../migrations/0020_directory.sql', import.meta.url)
    await admin.query(await readFile(migration, 'utf8'))
    const indexes = await admin.query(
      "select indexname from pg_indexes where indexname like 'directory_by%' order by 1",
    )
    await admin.query(`reset role; reassign owned by ${owner} to current_user`)
    await admin.query(`drop owned by ${owner}; drop role ${owner}`)
    await admin.end()
    expect(indexes.rows.map((row) => row.indexname)).toEqual([
      'directory_by_checkpoints',
      'directory_by_name',
      'directory_by_score',
      'directory_by_trend',
    ])
    await transact(db, async (tx) => {
      await sql`drop index directory_by_text`.execute(tx)
      await createDirectoryStore(tx).save(MIXED)
      const found = await createDirectoryStore(tx).gather(everything, 'zebra', {
        ...{ sort: 'score', offset: 0, limit: 10 },
      })
      expect(idsOf(found.entries)).toEqual(['A-1', 'a-1'])
      await sql`create index directory_by_text on directory_entry
        using gin (name_key gin_trgm_ops, lower(agent_id) gin_trgm_ops)`.execute(tx)
    })
  })
})

describe('the tally', () => {
  const VISIBILITIES = ['public', 'unlisted', 'private'] as const

  it('says at any time what counting would say', async () => {
    const store = createDirectoryStore(db)
    const entry = fc.record({
      id: fc.integer({ min: 0, max: 9 }),
      score: fc.integer({ min: 0, max: 1000 }),
      checkpointCount: fc.constantFrom(60, 300, 3000),
      visibility: fc.constantFrom(...VISIBILITIES),
      orgId: fc.constantFrom('org-1', 'org-2'),
    })
    const step = fc.oneof(
      fc.record({ save: fc.uniqueArray(entry, { selector: ({ id }) => id, maxLength: 6 }) }),
      fc.record({ remove: fc.integer({ min: 0, max: 9 }) }),
      fc.record({ compact: fc.constant(true) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        for (const one of steps) {
          if ('save' in one) {
            await store.save(one.save.map(({ id, ...e }) => entryOf({ ...e, agentId: `t-${id}` })))
          } else if ('remove' in one) await store.remove([`t-${one.remove}`])
          else await store.compactTally()
          for (const grade of [undefined, 'AA', 'CCC'] satisfies (Grade | undefined)[]) {
            const filter = { orgId: 'org-1', grade, confidence: undefined }
            expect((await store.tally(filter)).listed).toBe(await store.count(filter, '', 'scan'))
          }
          const medium = { orgId: 'org-2', grade: undefined, confidence: 'medium' } as const
          expect((await store.tally(medium)).listed).toBe(await store.count(medium, '', 'scan'))
        }
      }),
      { numRuns: 25 },
    )
  })

  it('has another mark after every change and after every compaction', async () => {
    const store = createDirectoryStore(db)
    const marks: string[] = []
    const note = async () => void marks.push((await store.tally(everything)).mark)
    await note()
    await store.save([entryOf({ agentId: 'a-1' })])
    await note()
    await store.saveFacts([entryOf({ agentId: 'a-1', name: 'another' })])
    await note()
    await store.compactTally()
    await note()
    await store.remove(['a-1'])
    await note()
    await store.compactTally()
    await note()
    await store.compactTally()
    await note()
    expect(new Set(marks).size).toBe(marks.length)
  })

  it('loses nothing that is added while it is compacted', async () => {
    const store = createDirectoryStore(db)
    await store.save([entryOf({ agentId: 'a-1' })])
    await transact(db, async (tx) => {
      await createDirectoryStore(tx).compactTally()
      await store.save([entryOf({ agentId: 'a-2' })])
    })
    expect((await store.tally(everything)).listed).toBe(2)
  })
})

import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase, waitForWriters } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { entryOf } from './entry.fixture.ts'
import type { IndexedEntry } from './entry.ts'
import { createDirectoryStore } from './store.ts'

let db: Db

beforeAll(async () => {
  db = (await testDatabase()).db
})

beforeEach(async () => {
  await sql`delete from directory_entry`.execute(db)
})

const idsOf = (entries: readonly IndexedEntry[]) => entries.map((entry) => entry.agentId)

const MIXED = [
  entryOf({ agentId: 'A-1', name: 'zebra', score: 700, trend30d: 5, checkpointCount: 60 }),
  entryOf({ agentId: 'a-1', name: '😀 smile', score: 910, trend30d: -5, claimed: true }),
  entryOf({ agentId: 'a-2', name: '100%_\\', score: 0, visibility: 'unlisted' }),
  entryOf({ agentId: 'a-3', name: 'hidden', score: 455, visibility: 'private' }),
]

describe('entries', () => {
  it('are read back as they were saved', async () => {
    const store = createDirectoryStore(db)
    await store.save(MIXED)
    const found = await store.listShown('org-1', idsOf(MIXED))
    expect(found).toHaveLength(MIXED.length)
    for (const entry of MIXED) expect(found).toContainEqual(entry)
  })

  it('are not written again if they did not change', async () => {
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

  it('are shown to their organisation only, and never listed, if they are private', async () => {
    const store = createDirectoryStore(db)
    await store.save(MIXED)
    expect(idsOf(await store.listShown('org-2', ['a-3']))).toEqual([])
    expect(idsOf(await store.listListed('', 10))).toEqual(['A-1', 'a-1', 'a-2'])
    expect(idsOf(await store.listListed('A-1', 1))).toEqual(['a-1'])
    expect(idsOf(await store.listListedAmong(['a-2', 'a-3', 'a-4']))).toEqual(['a-2'])
  })
})

describe('changes', () => {
  const since = async (snapshot: string) => {
    const { complete, agentIds } = await createDirectoryStore(db).changesSince(snapshot)
    return complete ? agentIds.sort() : 'trimmed'
  }

  it('are logged for every insert, update and delete, and for nothing else', async () => {
    const store = createDirectoryStore(db)
    await store.save(MIXED)
    const snapshot = await store.currentSnapshot()
    await store.save(MIXED)
    expect(await since(snapshot)).toEqual([])
    await store.save([entryOf({ agentId: 'a-9' })])
    await store.saveFacts([entryOf({ agentId: 'a-1', visibility: 'private' })])
    await store.remove(['a-2', 'a-none'])
    expect(await since(snapshot)).toEqual(['a-1', 'a-2', 'a-9'])
    expect(await since(await store.currentSnapshot())).toEqual([])
  })

  it('become visible in order of commit, whichever transaction started first', async () => {
    const store = createDirectoryStore(db)
    let between = ''
    await transact(db, async (tx) => {
      await createDirectoryStore(tx).save([entryOf({ agentId: 'slow' })])
      await store.save([entryOf({ agentId: 'quick' })])
      between = await store.currentSnapshot()
      expect(await since(between)).toEqual([])
    })
    expect(await since(between)).toEqual(['slow'])
  })

  it('are kept for one trim, and reported as trimmed to a reader that is further behind', async () => {
    const store = createDirectoryStore(db)
    const first = await store.currentSnapshot()
    await store.save([entryOf({ agentId: 'a-1' })])
    await waitForWriters(db)
    await store.trimChanges()
    expect(await since(first)).toEqual(['a-1'])
    const second = await store.currentSnapshot()
    await store.save([entryOf({ agentId: 'a-2' })])
    await store.trimChanges()
    expect(await since(first)).toBe('trimmed')
    expect(await since(second)).toEqual(['a-2'])
  })

  it('left over from the server that this database was restored from are harmless', async () => {
    const store = createDirectoryStore(db)
    await sql`update directory_change_floor set kept_from = '9000000', next_from = '9000000'
      `.execute(db)
    await sql`insert into directory_change (xid, agent_id) values ('9000000', 'old')`.execute(db)
    const snapshot = await store.currentSnapshot()
    await store.save([entryOf({ agentId: 'a-1' })])
    expect(await since(snapshot)).toEqual(['a-1', 'old'])
    await store.trimChanges()
    expect(await since(await store.currentSnapshot())).toEqual([])
  })
})

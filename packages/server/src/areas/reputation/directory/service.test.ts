import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testDatabase, waitForWriters } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Search } from './directory-index.ts'
import { entryOf } from './entry.fixture.ts'
import type { AgentFacts } from './ports.ts'
import { createDirectoryService, type DirectoryService } from './service.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

let db: Db
let service: DirectoryService
const agents = new Map<string, AgentFacts>()

beforeAll(async () => {
  db = (await testDatabase()).db
})

beforeEach(async () => {
  await sql`delete from directory_entry`.execute(db)
  await sql`delete from directory_benchmark`.execute(db)
  agents.clear()
  service = createDirectoryService({
    db,
    agents: {
      describe: async (_tx, agentIds) => agentIds.flatMap((agentId) => agents.get(agentId) ?? []),
    },
  })
})

function addAgent(agentId: string, facts: Partial<AgentFacts> = {}): void {
  agents.set(agentId, {
    agentId,
    orgId: 'org-1',
    name: `Name of ${agentId}`,
    visibility: 'public',
    claimed: false,
    archived: false,
    ...facts,
  })
}

const put = (...agentIds: string[]) =>
  transact(db, (tx) =>
    service.put(
      tx,
      agentIds.map((agentId) => entryOf({ agentId })),
    ),
  )
const changed = (...agentIds: string[]) => transact(db, (tx) => service.changed(tx, agentIds))
const search = (given: Partial<Search> = {}, page = 1) =>
  service.search(
    {
      orgId: 'org-1',
      text: undefined,
      grade: undefined,
      confidence: undefined,
      assurance: undefined,
      sort: 'score',
      ...given,
    },
    { page, perPage: 20 },
  )
const found = async (given: Partial<Search> = {}) =>
  (await search(given)).items.map(({ agentId, name }) => `${agentId} ${name}`)

describe('directory entries', () => {
  it('combine score and name of every rated agent that is not archived', async () => {
    addAgent('a-1')
    addAgent('a-2', { archived: true })
    await put('a-1', 'a-2', 'a-3')
    expect(await found()).toEqual(['a-1 Name of a-1'])
  })

  it('follow the name, visibility and archival of the agent', async () => {
    addAgent('a-1')
    addAgent('a-2')
    await put('a-1', 'a-2')
    addAgent('a-1', { name: 'Renamed', claimed: true })
    await changed('a-1')
    expect(await found({ text: 'renamed' })).toEqual(['a-1 Renamed'])
    expect(await found({ text: 'name of a-1' })).toEqual([])
    addAgent('a-1', { visibility: 'private' })
    addAgent('a-2', { archived: true })
    await changed('a-1', 'a-2')
    expect(await search()).toMatchObject({ items: [], total: 0 })
    const listed = await service.list('org-1', ['a-1', 'a-2'])
    expect(listed.map(({ entry }) => entry?.visibility)).toEqual(['private', undefined])
  })

  it('are not created by a change of an agent without a published score', async () => {
    addAgent('a-1')
    await changed('a-1')
    expect(await search()).toMatchObject({ total: 0 })
  })

  it('are not found after removal', async () => {
    addAgent('a-1')
    await put('a-1')
    await transact(db, (tx) => service.remove(tx, 'a-1'))
    expect(await search()).toMatchObject({ items: [], total: 0 })
  })
})

describe('search', () => {
  const insertMany = (count: number) =>
    sql`insert into directory_entry (agent_id, org_id, name, visibility, claimed, score, grade,
        tier, confidence, checkpoint_count, trend_30d, integrity_ratio, compliance,
        drift_stability, trace_completeness, coherence_compatibility)
      select 'many-' || i, 'org-1', 'Name ' || i, 'public', true, i % 1000, 'A', 'Reliable', 'low',
        i, 0, 1, 1, 1, 1, 1
      from generate_series(1, ${count}::int) as i`.execute(db)

  it('covers more entries and more simultaneous changes than fit in one batch', async () => {
    await insertMany(5000)
    const top = async (text: string, page: number) => {
      const { total, items } = await search({ text, sort: 'checkpoints' }, page)
      return { total, top: items[0]?.agentId }
    }
    expect(await top('MANY', 1)).toEqual({ total: 5000, top: 'many-5000' })
    expect(await top('many', 250)).toEqual({ total: 5000, top: 'many-20' })
    expect(await top('name 77', 6)).toEqual({ total: 11, top: undefined })
    await sql`update directory_entry set checkpoint_count = 9000 - checkpoint_count`.execute(db)
    expect(await top('many', 1)).toEqual({ total: 5000, top: 'many-1' })
    addAgent('many-1', { visibility: 'private' })
    await changed('many-1')
    expect(await top('many', 1)).toEqual({ total: 4999, top: 'many-2' })
    await sql`delete from directory_entry`.execute(db)
    expect(await search()).toMatchObject({ total: 0 })
  })

  it('sees changes by another process as soon as they are committed, and not before', async () => {
    addAgent('a-1')
    await put('a-1')
    expect(await search()).toMatchObject({ total: 1 })
    const other = createDirectoryService({ db, agents: { describe: async () => [] } })
    await transact(db, async (tx) => {
      await other.remove(tx, 'a-1')
      expect(await search()).toMatchObject({ total: 1 })
    })
    expect(await search()).toMatchObject({ total: 0 })
  })

  it('sees a change that started before, and committed after, a change already seen', async () => {
    await insertMany(3)
    expect(await search()).toMatchObject({ total: 3 })
    await transact(db, async (tx) => {
      await service.remove(tx, 'many-1')
      await transact(db, (later) => service.remove(later, 'many-2'))
      expect(await search()).toMatchObject({ total: 2 })
    })
    expect(await found()).toEqual(['many-3 Name 3'])
  })

  it('never returns a removed entry to concurrent callers', async () => {
    await insertMany(20)
    const removals = Array.from({ length: 10 }, async (_, i) => {
      await transact(db, (tx) => service.remove(tx, `many-${i + 1}`))
      const gone = await search({ text: `many-${i + 1}` })
      expect(gone.items.map(({ agentId }) => agentId)).not.toContain(`many-${i + 1}`)
    })
    await Promise.all(removals)
    expect(await search()).toMatchObject({ total: 10 })
  })

  it('reads all entries again when the change log was trimmed too far', async () => {
    await insertMany(3)
    expect(await search()).toMatchObject({ total: 3 })
    await transact(db, (tx) => service.remove(tx, 'many-1'))
    await waitForWriters(db)
    await service.computeBenchmarks(NOW)
    await service.computeBenchmarks(NOW)
    await service.computeBenchmarks(NOW)
    const left = await sql`select from directory_change`.execute(db)
    expect(left.rows).toHaveLength(0)
    expect(await search()).toMatchObject({ total: 2 })
  })
})

describe('benchmarks', () => {
  it('are zero at first, then cover the public agents as of the last run', async () => {
    expect(await service.benchmarks()).toMatchObject({ totalScored: 0, medianScore: 0 })
    addAgent('a-1')
    addAgent('a-2', { visibility: 'unlisted' })
    addAgent('a-3', { visibility: 'private' })
    await put('a-1', 'a-2', 'a-3')
    expect(await service.benchmarks()).toMatchObject({ totalScored: 0 })
    await service.computeBenchmarks(NOW)
    expect(await service.benchmarks()).toMatchObject({ totalScored: 1, meanScore: 700 })
    expect(await search()).toMatchObject({ total: 2 })
  })
})

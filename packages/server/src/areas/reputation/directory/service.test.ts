import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { entryOf } from './entry.fixture.ts'
import type { AgentFacts } from './ports.ts'
import { createDirectoryService, type DirectoryService, type Search } from './service.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')

let db: Db
let service: DirectoryService
const agents = new Map<string, AgentFacts>()

beforeAll(async () => {
  db = (await testDatabase()).db
})

beforeEach(async () => {
  await sql`delete from directory_entry`.execute(db)
  agents.clear()
  service = createDirectoryService({
    db,
    clock: testClock(),
    agents: {
      describe: async (_tx, agentIds) => agentIds.flatMap((agentId) => agents.get(agentId) ?? []),
    },
  })
})

function know(agentId: string, facts: Partial<AgentFacts> = {}): void {
  agents.set(agentId, {
    agentId,
    ...{ orgId: 'org-1', name: `Name of ${agentId}`, visibility: 'public', claimed: false },
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
      sort: 'score',
      ...given,
    },
    { page, perPage: 20 },
  )
const found = async (given: Partial<Search> = {}) =>
  (await search(given)).items.map(({ agentId, name }) => `${agentId} ${name}`)

describe('what is kept', () => {
  it('is the score with the name of the agent, for agents that are not archived', async () => {
    know('a-1')
    know('a-2', { archived: true })
    await put('a-1', 'a-2', 'a-3')
    expect(await found()).toEqual(['a-1 Name of a-1'])
  })

  it('follows the agent: its name, its visibility, its end', async () => {
    know('a-1')
    know('a-2')
    await put('a-1', 'a-2')
    know('a-1', { name: 'Renamed', claimed: true })
    await changed('a-1')
    expect(await found({ text: 'renamed' })).toEqual(['a-1 Renamed'])
    expect(await found({ text: 'name of a-1' })).toEqual([])
    know('a-1', { visibility: 'private' })
    know('a-2', { archived: true })
    await changed('a-1', 'a-2')
    expect(await search()).toMatchObject({ items: [], total: 0 })
    const listed = await service.list('org-1', ['a-1', 'a-2'])
    expect(listed.map(({ entry }) => entry?.visibility)).toEqual(['private', undefined])
  })

  it('does not begin with a change of an agent that has no published score', async () => {
    know('a-1')
    await changed('a-1')
    expect(await search()).toMatchObject({ total: 0 })
  })

  it('ends when it is removed', async () => {
    know('a-1')
    await put('a-1')
    await transact(db, (tx) => service.remove(tx, 'a-1'))
    expect(await search()).toMatchObject({ items: [], total: 0 })
  })
})

describe('a search', () => {
  it('is right on either side of what counts as common, also when totals are remembered', async () => {
    await sql`insert into directory_entry (find_key, agent_id, org_id, name, name_key, visibility,
        claimed, score, grade, tier, confidence, checkpoint_count, trend_30d, integrity_ratio,
        compliance, drift_stability, trace_completeness, coherence_compatibility)
      select convert_to(lower(name), 'UTF8') || '\\xff'::bytea || convert_to(agent_id, 'UTF8'),
        agent_id, 'org-1', name, lower(name), 'public', true, i % 1000, 'A', 'Reliable', 'low',
        i, 0, 1, 1, 1, 1, 1
      from (select i, 'many-' || i as agent_id, 'Name ' || i as name
        from generate_series(1, 8000) as i) as made`.execute(db)
    const pages = async (text: string, page: number) => {
      const first = await search({ text, sort: 'checkpoints' }, page)
      expect(await search({ text, sort: 'checkpoints' }, page)).toEqual(first)
      return { total: first.total, top: first.items[0]?.agentId }
    }
    expect(await pages('MANY', 1)).toEqual({ total: 8000, top: 'many-8000' })
    expect(await pages('many', 300)).toEqual({ total: 8000, top: 'many-2020' })
    expect(await pages('name 77', 1)).toEqual({ total: 111, top: 'many-7799' })
    expect(await pages('name 77', 6)).toEqual({ total: 111, top: 'many-779' })
    expect(await pages('many', 401)).toEqual({ total: 8000, top: undefined })
    know('many-1', { visibility: 'private' })
    await changed('many-1')
    expect(await pages('many', 400)).toEqual({ total: 7999, top: 'many-20' })
    expect(await search({}, 400)).toMatchObject({ total: 7999 })
  })
})

describe('benchmarks', () => {
  it('are zeros at first, then of public agents as of the last run', async () => {
    expect(await service.benchmarks()).toMatchObject({ totalScored: 0, medianScore: 0 })
    know('a-1')
    know('a-2', { visibility: 'unlisted' })
    know('a-3', { visibility: 'private' })
    await put('a-1', 'a-2', 'a-3')
    expect(await service.benchmarks()).toMatchObject({ totalScored: 0 })
    await service.computeBenchmarks(NOW)
    expect(await service.benchmarks()).toMatchObject({ totalScored: 1, meanScore: 700 })
    expect(await search()).toMatchObject({ total: 2 })
  })
})

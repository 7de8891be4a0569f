import { TRUSTERS_READ_MAX } from '@touchstone/protocol/control'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testDatabase } from '#harness/database.ts'
import type { Db } from '../../../kernel/db.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { createTrustEdgeStore } from './store.ts'
import type { StoredEdge } from './trust-edge.ts'

let db: Db
let store: ReturnType<typeof createTrustEdgeStore>

beforeAll(async () => {
  db = (await testDatabase()).db
  store = createTrustEdgeStore(db)
})

const edgeOf = (sourceAgentId: string, targetAgentId: string, given: Partial<StoredEdge> = {}) => ({
  edgeId: `te-${sourceAgentId}-${targetAgentId}`,
  sourceAgentId,
  targetAgentId,
  trustLevel: 'medium' as const,
  reason: null,
  createdAt: new Date('2026-03-04T12:00:00.000Z'),
  ...given,
})

describe('the store of trust edges', () => {
  it('returns edges as saved, and refuses duplicates', async () => {
    const edge = edgeOf('b', 'a', { trustLevel: 'low', reason: 'Same team' })
    expect(await store.insert(edge)).toBe(true)
    expect(await store.insert({ ...edge, edgeId: 'te-again' })).toBe(false)
    const page = await store.list('b', 'out', { page: 1, perPage: 10 })
    expect(page).toMatchObject({ items: [edge], total: 1 })
  })

  it('deletes only edges from the agent, and returns them', async () => {
    await store.insert(edgeOf('x', 'y'))
    expect(await store.delete('y', { edgeId: 'te-x-y' })).toBeUndefined()
    expect(await store.delete('x', { targetAgentId: 'z' })).toBeUndefined()
    expect(await store.delete('x', { targetAgentId: 'y' })).toMatchObject({ edgeId: 'te-x-y' })
    expect(await store.delete('x', { edgeId: 'te-x-y' })).toBeUndefined()
  })

  it('reads incoming edges by level, then by code point, limited per target', async () => {
    for (const [source, trustLevel] of [
      ['Zoe', 'low'],
      ['ann', 'high'],
      ['Bob', 'high'],
      ['_x', 'medium'],
    ] as const) {
      await store.insert(edgeOf(source, 'hub', { trustLevel }))
    }
    await store.insert(edgeOf('ann', 'other'))
    const found = await store.listInto(['hub', 'other', 'nobody'], 3)
    const into = (target: string) =>
      found.flatMap((one) => (one.targetAgentId === target ? [one.sourceAgentId] : []))
    expect(into('hub')).toEqual(['Bob', 'ann', '_x'])
    expect(into('other')).toEqual(['ann'])
    expect(found).toHaveLength(4)
  })

  it('reads the first of many edges by the index, without sorting the rest', async () => {
    await sql`insert into trust_edge (edge_id, source_agent_id, target_agent_id, trust_rank,
        created_at)
      select 'te-' || n, 'agent-' || n, 'crowd', n % 3, now()
      from generate_series(1, 20000) as n`.execute(db)
    await sql`analyze trust_edge`.execute(db)
    const plan = await sql<{ 'QUERY PLAN': string }>`explain
      select e.source_agent_id, e.trust_rank from unnest(array['crowd']::text[]) as wanted (agent_id)
      cross join lateral (
        select source_agent_id, trust_rank from trust_edge
        where target_agent_id = wanted.agent_id
        order by trust_rank, source_agent_id limit 51) as e`.execute(db)
    const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
    expect(text).toContain('trust_edge_into')
    expect(text).not.toContain('Sort')
    expect(await store.listInto(['crowd'], TRUSTERS_READ_MAX)).toHaveLength(TRUSTERS_READ_MAX)
  })

  it("erases an agent's edges in both directions", async () => {
    await store.insert(edgeOf('gone', 'kept'))
    await store.insert(edgeOf('kept', 'gone'))
    await store.deleteOfAgent(toAgentId('gone'))
    expect((await store.list('kept', 'both', { page: 1, perPage: 10 })).total).toBe(0)
  })
})

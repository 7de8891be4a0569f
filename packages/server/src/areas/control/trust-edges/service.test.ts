import { beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { SYSTEM_ACTOR } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'
import { createTrustEdgeService, type TrustEdgeService } from './service.ts'

let db: Db
let edges: TrustEdgeService

beforeAll(async () => {
  db = (await testDatabase()).db
  edges = createTrustEdgeService({
    db,
    clock: testClock(),
    audit: { record: async () => undefined },
    agents: {
      lockOpen: async () => ({ orgId: 'org-1' }),
      describe: async (_, agentIds) =>
        agentIds.map((agentId) => ({
          agentId,
          orgId: 'org-1',
          visibility: 'public',
          archived: false,
        })),
    },
  })
})

async function trust(sourceAgentId: string, targetAgentId: string, level = 'medium') {
  const trustLevel = level === 'high' || level === 'low' ? level : 'medium'
  await edges.create({ sourceAgentId, targetAgentId, trustLevel, reason: null }, SYSTEM_ACTOR)
}

describe('reach', () => {
  it('follows edges backwards for three hops, visiting each agent once', async () => {
    for (const [source, target] of [
      ['b', 'a'],
      ['c', 'b'],
      ['d', 'c'],
      ['e', 'd'],
      ['a', 'b'],
      ['c', 'a'],
    ] as const) {
      await trust(source, target)
    }
    expect(await edges.reach(db, 'a')).toEqual([
      { agentId: 'b', hop: 1 },
      { agentId: 'c', hop: 1 },
      { agentId: 'd', hop: 2 },
      { agentId: 'e', hop: 3 },
    ])
    expect(await edges.reach(db, 'e')).toEqual([])
  })

  it('stops at fifty agents, highest trust first', async () => {
    for (let n = 1; n <= 60; n += 1) {
      const level = n <= 30 ? 'low' : n <= 50 ? 'medium' : 'high'
      await trust(`x${String(n).padStart(2, '0')}`, 'hub', level)
    }
    const reached = await edges.reach(db, 'hub')
    expect(reached).toHaveLength(50)
    expect(reached[0]?.agentId).toBe('x51')
    expect(reached.at(-1)?.agentId).toBe('x20')
  })
})

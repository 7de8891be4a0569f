import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { cardOf } from './facts.fixture.ts'
import { createFacts, type FactsDeps } from './facts-service.ts'

function world(fails = false) {
  const reads: (readonly string[])[] = []
  const cardReads: unknown[] = []
  const versions = { current: 1 }
  const deps: FactsDeps = {
    clock: testClock(),
    agents: {
      async standings(agentIds) {
        reads.push(agentIds)
        await new Promise(setImmediate)
        if (fails) throw new Error('down')
        return agentIds
          .filter((agentId) => agentId !== 'nobody')
          .map((agentId) => ({
            agentId,
            orgId: 'org-1',
            visibility: 'public' as const,
            archived: false,
            contained: false,
            cardVersion: versions.current,
          }))
      },
      orgsOf: async () => new Map(),
      keep: async (_tx, agentIds) => agentIds,
    },
    cards: {
      async declared(wanted) {
        cardReads.push(wanted)
        return new Map(wanted.map(({ agentId }) => [agentId, cardOf()]))
      },
    },
    checkpoints: { conduct: async () => [] },
    scores: { standings: async () => new Map() },
  }
  return { ...createFacts(deps), reads, cardReads, versions }
}

describe('facts', () => {
  it('are read once for all who ask together, each agent once', async () => {
    const { readShared, reads } = world()
    const [first, second] = await Promise.all([readShared(['b', 'a']), readShared(['a', 'nobody'])])
    expect(reads).toEqual([['a', 'b', 'nobody']])
    expect(first?.now).toBe(second?.now)
    expect([...(first?.byAgent.keys() ?? [])]).toEqual(['a', 'b'])
  })

  it('are read for everybody, however many ask', async () => {
    const { readShared, reads } = world()
    const asked = Array.from({ length: 350 }, (_, n) => readShared([`agent-${n}`]))
    const read = await Promise.all(asked)
    expect(read.every(({ byAgent }, n) => byAgent.has(`agent-${n}`))).toBe(true)
    expect(Math.max(...reads.map((ids) => ids.length))).toBeLessThanOrEqual(100)
  })

  it('that cannot be read fail for all who asked, and for nobody later', async () => {
    const { readShared } = world(true)
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.allSettled([readShared(['a']), readShared(['b'])])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    }
  })

  it('hold a card that was read before, until there is another one', async () => {
    const { read, cardReads, versions } = world()
    expect((await read(['a'])).byAgent.get('a')?.card).toEqual(cardOf())
    expect((await read(['a', 'b'])).byAgent.get('b')?.card).toEqual(cardOf())
    versions.current = 2
    await read(['a'])
    const [a, b] = ['a', 'b'].map((agentId) => ({ agentId, version: 1 }))
    expect(cardReads).toEqual([[a], [b], [{ agentId: 'a', version: 2 }]])
  })

  it('of agents without any evidence are empty', async () => {
    const { byAgent } = await world().read(['a'])
    expect(byAgent.get('a')).toMatchObject({
      analysedCheckpoints: 0,
      merkleRoot: null,
      violations: [],
      violationDates: [],
    })
  })
})

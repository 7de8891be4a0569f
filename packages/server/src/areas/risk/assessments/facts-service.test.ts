import { describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { cardOf } from './facts.fixture.ts'
import { createFactsService, type FactsDeps } from './facts-service.ts'

function world(fails = false) {
  const reads: (readonly string[])[] = []
  const cardReads: unknown[] = []
  const versions = { current: 1 }
  const deps: FactsDeps = {
    clock: testClock(),
    agents: {
      async listStates(agentIds) {
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
      lockExisting: async (_tx, agentIds) => agentIds,
    },
    cards: {
      async declared(wanted) {
        cardReads.push(wanted)
        return new Map(wanted.map(({ agentId }) => [agentId, cardOf()]))
      },
    },
    checkpoints: { checkpointHistory: async () => [] },
    scores: { currentScores: async () => new Map() },
  }
  return { ...createFactsService(deps), reads, cardReads, versions }
}

describe('facts', () => {
  it('are read in one batch for calls that arrive during a read, without duplicates', async () => {
    const { readShared, reads } = world()
    const running = [readShared(['c']), readShared(['d'])]
    const [first, second] = await Promise.all([readShared(['b', 'a']), readShared(['a', 'nobody'])])
    await Promise.all(running)
    expect(reads).toEqual([['c'], ['d'], ['a', 'b', 'nobody']])
    expect(first?.now).toBe(second?.now)
    expect([...(first?.byAgent.keys() ?? [])]).toEqual(['a', 'b'])
  })

  it('are read in several batches when there are many calls', async () => {
    const { readShared, reads } = world()
    const asked = Array.from({ length: 350 }, (_, n) => readShared([`agent-${n}`]))
    const read = await Promise.all(asked)
    expect(read.every(({ byAgent }, n) => byAgent.has(`agent-${n}`))).toBe(true)
    expect(Math.max(...reads.map((ids) => ids.length))).toBeLessThanOrEqual(100)
  })

  it('reject every call of a failed batch, and later calls are read again', async () => {
    const { readShared } = world(true)
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.allSettled([readShared(['a']), readShared(['b'])])
      expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    }
  })

  it('contain a cached card until it has a new version', async () => {
    const { read, cardReads, versions } = world()
    expect((await read(['a'])).byAgent.get('a')?.card).toEqual(cardOf())
    expect((await read(['a', 'b'])).byAgent.get('b')?.card).toEqual(cardOf())
    versions.current = 2
    await read(['a'])
    const [a, b] = ['a', 'b'].map((agentId) => ({ agentId, version: 1 }))
    expect(cardReads).toEqual([[a], [b], [{ agentId: 'a', version: 2 }]])
  })

  it('are empty for agents without evidence', async () => {
    const { byAgent } = await world().read(['a'])
    expect(byAgent.get('a')).toMatchObject({
      analysedCheckpoints: 0,
      merkleRoot: null,
      violations: [],
      violationDates: [],
    })
  })
})

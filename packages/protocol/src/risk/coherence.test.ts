import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CARD_A, CARD_B, CARD_C, holderOf } from './cards.fixture.ts'
import { pairCoherence, type ValueHolder } from './coherence.ts'
import { fleetCoherence } from './fleet-coherence.ts'

const words = (text: string) => text.split(' ').filter((word) => word !== '')
const holder = (agentId: string, declared: string, conflicts = ''): ValueHolder => ({
  agentId,
  declared: words(declared),
  conflictsWith: words(conflicts),
})

describe('pairCoherence', () => {
  const a = holder('a', 'benefit transparency minimal', 'hype')
  const fair = holder('b', 'benefit transparency fairness')
  const hyped = holder('b', 'benefit transparency hype', 'minimal')

  it('gives the share of matched values', () => {
    expect(pairCoherence(a, fair)).toEqual({
      scoreE4: 5000,
      compatible: false,
      matched: ['benefit', 'transparency'],
      unmatched: ['fairness', 'minimal'],
      conflicts: [],
    })
  })

  it('considers the required values only', () => {
    const required = pairCoherence(a, fair, ['benefit', 'transparency'])
    expect(required).toMatchObject({ scoreE4: 10_000, compatible: true, unmatched: [] })
  })

  it('subtracts half of the share of conflicts, whatever is required', () => {
    expect(pairCoherence(a, hyped)).toMatchObject({
      scoreE4: 3750,
      compatible: false,
      conflicts: [
        { declaredBy: 'a', opposedBy: 'b', value: 'minimal' },
        { declaredBy: 'b', opposedBy: 'a', value: 'hype' },
      ],
    })
    expect(pairCoherence(a, hyped, ['benefit']).scoreE4).toBe(0)
  })

  it('is 0 for two cards without values', () => {
    expect(pairCoherence(holder('a', ''), holder('b', ''))).toMatchObject({
      scoreE4: 0,
      compatible: false,
    })
  })
})

describe('fleetCoherence', () => {
  const fleet = fleetCoherence([CARD_C, CARD_A, CARD_B].map(holderOf))

  it('gives the published pair scores and their mean', () => {
    expect(fleet.pairs.map(({ agentA, agentB, scoreE4 }) => [agentA, agentB, scoreE4])).toEqual([
      ['a', 'b', 5000],
      ['a', 'c', 3200],
      ['b', 'c', 7500],
    ])
    expect(fleet).toMatchObject({ fleetScoreE4: 5233, minPairScoreE4: 3200, maxPairScoreE4: 7500 })
  })

  it('summarises each agent over its pairs', () => {
    expect(fleet.agents).toEqual([
      {
        agentId: 'a',
        meanScoreE4: 4100,
        compatibleCount: 0,
        conflictCount: 2,
        clusterId: 0,
        isOutlier: true,
      },
      {
        agentId: 'b',
        meanScoreE4: 6250,
        compatibleCount: 1,
        conflictCount: 0,
        clusterId: 1,
        isOutlier: false,
      },
      {
        agentId: 'c',
        meanScoreE4: 5350,
        compatibleCount: 1,
        conflictCount: 2,
        clusterId: 1,
        isOutlier: false,
      },
    ])
  })

  it('lists outliers with their deviation and the values in conflict', () => {
    expect(fleet.outliers).toEqual([
      {
        agentId: 'a',
        agentMeanScoreE4: 4100,
        fleetMeanScoreE4: 5233,
        deviation: 1.2855,
        primaryConflicts: ['data_hoarding', 'privacy'],
      },
    ])
  })

  it('clusters compatible agents', () => {
    expect(fleet.clusters).toEqual([
      {
        clusterId: 0,
        agentIds: ['a'],
        internalCoherenceE4: 10_000,
        sharedValues: ['accuracy', 'privacy', 'transparency'],
        distinguishingValues: ['privacy'],
      },
      {
        clusterId: 1,
        agentIds: ['b', 'c'],
        internalCoherenceE4: 7500,
        sharedValues: ['accuracy', 'speed', 'transparency'],
        distinguishingValues: ['speed'],
      },
    ])
  })

  it('lists at most a hundred divergent values, most divergent first, and counts all', () => {
    const own = (agentId: string) => Array.from({ length: 50 }, (_, n) => `own_${agentId}_${n}`)
    const many = ['a', 'b', 'c'].map((id) => holder(id, own(id).join(' '), 'own_a_49 own_c_49'))
    const { divergences, divergenceCount } = fleetCoherence(many)
    expect(divergenceCount).toBe(150)
    expect(divergences).toHaveLength(100)
    expect(divergences.slice(0, 3).map(({ value }) => value)).toEqual([
      'own_a_49',
      'own_c_49',
      'own_a_0',
    ])
  })

  it('reports divergent values, most divergent first', () => {
    expect(fleet.divergenceCount).toBe(3)
    expect(fleet.divergences).toEqual([
      {
        value: 'data_hoarding',
        declaring: ['c'],
        missing: ['a', 'b'],
        conflicting: ['a'],
        impactE4: 10_000,
      },
      {
        value: 'privacy',
        declaring: ['a'],
        missing: ['b', 'c'],
        conflicting: ['c'],
        impactE4: 10_000,
      },
      {
        value: 'speed',
        declaring: ['b', 'c'],
        missing: ['a'],
        conflicting: [],
        impactE4: 3333,
      },
    ])
  })

  it('has no outlier if all agents are equally close', () => {
    const alike = ['a', 'b', 'c'].map((id) => holder(id, 'honesty'))
    expect(fleetCoherence(alike).outliers).toEqual([])
  })

  it('agrees with the pair check on every pair, and does not depend on the order', () => {
    const anyValues = fc.uniqueArray(fc.constantFrom('p', 'q', 'r', 's', 't'))
    const anyHolders = fc.array(fc.tuple(anyValues, anyValues), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(anyHolders, (all) => {
        const holders = all.map(([declared, conflictsWith], at) => ({
          agentId: `agent-${at}`,
          declared,
          conflictsWith,
        }))
        const { pairs } = fleetCoherence(holders)
        expect(fleetCoherence(holders.toReversed())).toEqual(fleetCoherence(holders))
        for (const { agentA, agentB, ...pair } of pairs) {
          const [a, b] = [agentA, agentB].map((id) => holders.find((h) => h.agentId === id))
          if (a === undefined || b === undefined) throw new Error('no such agent')
          const { matched, conflicts, ...checked } = pairCoherence(a, b)
          expect(pair).toMatchObject({
            scoreE4: checked.scoreE4,
            compatible: checked.compatible,
            matched: matched.length,
            conflicts: conflicts.length,
          })
        }
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toE4 } from './fixed-point.ts'
import {
  createDraw,
  drawPermutation,
  exactValues,
  publishedAttribution,
  publishedValues,
  shapleySeed,
  shapleyValues,
} from './shapley.ts'
import { concentrationE4 } from './team-findings.ts'
import { createTeamGame } from './team-game.ts'

const everywhere = () => 100
const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
const ids = (count: number) =>
  Array.from({ length: count }, (_, at) => `agent-${String(at + 1).padStart(2, '0')}`)

describe('two agents', () => {
  const two = { risks: [651, 4224], reputations: [950, 750], pairE4: () => 8000 }
  const game = createTeamGame({ ...two, reachPercent: everywhere, mission: null })

  it('have exactly the published pillars and contagion', () => {
    expect([game.damage(0, 1), game.damage(1, 0)]).toEqual([9765, 80_256])
    expect(game.pillars()).toEqual({
      aggregateRisk: 312_290,
      coherence: 800_000,
      structuralRisk: 62_633,
      teamCoherence: 800_655,
    })
  })

  it('share the team coherence as published', () => {
    const values = shapleyValues(game, { agentIds: ['a', 'b'], actionType: 'data_access' })
    expect(values).toMatchObject({ method: 'exact', permutations: 0, stdErrorMicro: 0 })
    expect(publishedValues(values, 8007)).toEqual([4539, 3468])
    expect(publishedAttribution(values, 8007)).toEqual([461, 1532])
    expect(concentrationE4([461, 1532])).toBe(2888)
  })

  it('are compared with the card of their team too', () => {
    const mission = createTeamGame({ ...two, reachPercent: everywhere, mission: [9000, 8500] })
    expect(mission.pillars()).toMatchObject({ coherence: 822_500, teamCoherence: 810_780 })
  })
})

describe('thirteen agents', () => {
  const agentIds = ids(13)
  const indices = agentIds.map((_, at) => at)
  const game = createTeamGame({
    risks: indices.map((i) => 1000 + 150 * i),
    reputations: indices.map((i) => 900 - 20 * i),
    pairE4: (i, j) => 9500 - 300 * Math.abs(i - j),
    reachPercent: everywhere,
    mission: null,
  })
  const named = { agentIds, actionType: 'multi_agent_coordination' }

  it('have exactly the published pillars', () => {
    expect(game.pillars()).toEqual({
      aggregateRisk: 197_247,
      coherence: 766_126,
      structuralRisk: 79_474,
      teamCoherence: 815_714,
    })
  })

  it('are permuted in the published order', () => {
    const seed = shapleySeed(game, named)
    expect(seed).toBe(0x5ca9ef44)
    const draw = createDraw(seed)
    expect([draw(), draw(), draw()]).toEqual([1231725412, 3183710471, 864143414])
    expect(drawPermutation(13, createDraw(seed))).toEqual([
      4, 9, 12, 6, 1, 7, 0, 10, 5, 3, 2, 11, 8,
    ])
  })

  it('are sampled until the error is small, with the published values', () => {
    const values = shapleyValues(game, named)
    expect(values).toMatchObject({ method: 'sampled', permutations: 482 * 13 })
    expect(values.stdErrorMicro).toBeCloseTo(499.85, 2)
    expect(publishedValues(values, 8157)).toEqual([
      558, 621, 664, 690, 713, 720, 715, 701, 669, 631, 567, 496, 412,
    ])
  })

  it('have the published exact values if all coalitions are evaluated', () => {
    expect(publishedValues(exactValues(game), 8157)).toEqual([
      557, 618, 661, 693, 713, 721, 716, 699, 670, 628, 572, 501, 408,
    ])
  })
})

const anyGame = (size: { min: number; max: number }) =>
  fc.integer(size).chain((count) =>
    fc
      .record({
        risks: fc.array(fc.integer({ min: 0, max: 10_000 }), {
          minLength: count,
          maxLength: count,
        }),
        pairs: fc.array(fc.integer({ min: 0, max: 10_000 }), { minLength: 7, maxLength: 7 }),
        reach: fc.constantFrom(25, 50, 100),
      })
      .map(({ risks, pairs, reach }) =>
        createTeamGame({
          risks,
          reputations: risks.map((riskE4) => riskE4 % 1001),
          pairE4: (i, j) => pairs[(i * j + i + j) % 7] ?? 0,
          reachPercent: () => reach,
          mission: null,
        }),
      ),
  )

describe('efficiency', () => {
  it.each([
    ['evaluated exactly', { min: 2, max: 7 }, 60],
    ['evaluated exactly at the limit', { min: 12, max: 12 }, 3],
    ['sampled', { min: 13, max: 15 }, 5],
  ])('the values of any team sum to its coherence when %s', (_, size, numRuns) => {
    fc.assert(
      fc.property(anyGame(size), (game) => {
        const { teamCoherence } = game.pillars()
        const coherenceE4 = toE4(teamCoherence)
        const values = shapleyValues(game, { agentIds: ids(game.size), actionType: 'data_access' })
        expect(sum(values.numerators)).toBe(teamCoherence * values.denominator)
        expect(sum(publishedValues(values, coherenceE4))).toBe(coherenceE4)
        expect(sum(publishedAttribution(values, coherenceE4))).toBe(10_000 - coherenceE4)
      }),
      { numRuns },
    )
  })
})

describe('a team of fifty with a high variance', () => {
  it('stops before exceeding 20000 permutations', () => {
    const indices = ids(50).map((_, at) => at)
    const game = createTeamGame({
      risks: indices.map((i) => (i * 7919) % 10_000),
      reputations: indices.map((i) => (i * 331) % 1001),
      pairE4: (i, j) => (i * j * 4099 + i + j) % 10_001,
      reachPercent: everywhere,
      mission: null,
    })
    const values = shapleyValues(game, { agentIds: ids(50), actionType: 'data_access' })
    expect(values.permutations).toBeLessThanOrEqual(20_000)
    expect(values.permutations % 50).toBe(0)
    expect(sum(values.numerators)).toBe(game.pillars().teamCoherence * values.denominator)
  })
})

describe('concentration', () => {
  it.each([
    ['even', [500, 500, 500], 0],
    ['carried by one', [900, 0, -200], 10_000],
    ['nothing to carry', [0, -10, 0], 0],
  ])('is at its extreme if the risk is %s', (_, attribution, e4) => {
    expect(concentrationE4(attribution)).toBe(e4)
  })
})

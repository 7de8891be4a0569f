import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AlignmentCard } from '../cards/card.ts'
import { cardOf } from '../risk/cards.fixture.ts'
import { findFaultLines } from './fault-lines.ts'
import { type Forecast, forecastByRules } from './forecast.ts'
import { THREE, TWO } from './team.fixture.ts'

const forecastOf = (cards: readonly AlignmentCard[], memberCount = cards.length): Forecast =>
  forecastByRules({ ...findFaultLines(cards), memberCount })

describe('forecastByRules', () => {
  const three = forecastOf(THREE)

  it('gives the failure modes of the team of three', () => {
    expect(
      three.failureModes.map(({ mode, probabilityE4, severity }) => [
        mode,
        probabilityE4 / 10_000,
        severity,
      ]),
    ).toEqual([
      ['value_override', 0.7111, 'critical'],
      ['escalation_conflict', 0.4559, 'high'],
      ['coordination_deadlock', 0.4445, 'critical'],
      ['trust_erosion', 0.286, 'medium'],
    ])
    expect(three).toMatchObject({ overallRiskLevel: 'critical', confidenceE4: 6000 })
  })

  it('names the lines, the agents, and whether mitigation is available', () => {
    const [override, escalation, deadlock, erosion] = three.failureModes
    expect(override).toEqual({
      mode: 'value_override',
      description:
        '2 fault line(s) on data_hoarding, privacy can lead to value override among agent-a, agent-c.',
      probabilityE4: 7111,
      severity: 'critical',
      triggeredBy: ['fl-a993f0dd10ab', 'fl-0a6d77717c6d'],
      affectedAgents: ['agent-a', 'agent-c'],
      mitigationAvailable: true,
    })
    expect(escalation?.affectedAgents).toEqual(['agent-a', 'agent-b', 'agent-c'])
    expect(deadlock?.affectedAgents).toEqual(['agent-a', 'agent-c'])
    expect(erosion?.triggeredBy).toHaveLength(5)
  })

  it('gives the failure modes of the team of two', () => {
    const two = forecastOf(TWO)
    expect(two.failureModes).toMatchObject([
      { mode: 'capability_gap', probabilityE4: 2500, severity: 'high', affectedAgents: ['y'] },
      { mode: 'trust_erosion', probabilityE4: 3000, severity: 'medium' },
    ])
    expect(two.overallRiskLevel).toBe('medium')
  })

  it('halves the impact of eased lines', () => {
    const { lines, ...rest } = findFaultLines(TWO)
    const eased = new Set(lines.map(({ id }) => id))
    expect(forecastByRules({ ...rest, lines, memberCount: 2, eased })).toMatchObject({
      failureModes: [
        { mode: 'capability_gap', probabilityE4: 1250, severity: 'high' },
        { mode: 'trust_erosion', probabilityE4: 3000 },
      ],
      overallRiskLevel: 'medium',
    })
  })

  it('is less confident the more members have no card', () => {
    expect(forecastOf(TWO, 3).confidenceE4).toBe(4000)
  })

  it('predicts nothing for agents that agree', () => {
    const same = ['a', 'b'].map((id) => cardOf(id, { declared: 'care', bounded: 'run' }))
    expect(forecastOf(same)).toEqual({
      failureModes: [],
      overallRiskLevel: 'low',
      confidenceE4: 6000,
    })
  })

  it('predicts no deadlock if only one side rejects, nor if an agent rejects itself', () => {
    const modesOf = (cards: readonly AlignmentCard[]) =>
      forecastOf(cards).failureModes.map(({ mode }) => mode)
    const a = cardOf('a', { declared: 'care', bounded: 'run' })
    const b = cardOf('b', { declared: 'speed', conflicts: 'care', bounded: 'run' })
    expect(modesOf([a, b])).not.toContain('coordination_deadlock')
    const torn = cardOf('c', { declared: 'care', conflicts: 'care', bounded: 'run' })
    expect(modesOf([torn])).not.toContain('coordination_deadlock')
  })

  it('offers no mitigation if incompatible agents share no actions', () => {
    const a = cardOf('a', { declared: 'care', bounded: 'run' })
    const b = cardOf('b', { declared: 'speed', conflicts: 'care', bounded: 'walk' })
    expect(forecastOf([a, b]).failureModes[0]).toMatchObject({
      mode: 'value_override',
      mitigationAvailable: false,
    })
  })

  it('names at most twenty in a sentence, and all of them in the lists', () => {
    const many = Array.from({ length: 30 }, (_, at) =>
      cardOf(`m${String(at).padStart(2, '0')}`, { declared: `own${at}`, bounded: 'run' }),
    )
    const gap = forecastOf(many).failureModes.find(({ mode }) => mode === 'capability_gap')
    expect(gap?.description).toMatch(/^30 fault line\(s\) on own0, .* and 10 more can lead to /)
    expect(gap?.affectedAgents).toHaveLength(30)
    expect(gap?.triggeredBy).toHaveLength(30)
  })

  it('never grows when a line is eased, and stays a probability', () => {
    const values = fc.uniqueArray(fc.constantFrom('va', 'vb', 'vc', 'vd'), { minLength: 1 })
    const said = fc.record({ declared: values, conflicts: values })
    fc.assert(
      fc.property(fc.array(said, { minLength: 2, maxLength: 12 }), (all) => {
        const cards = all.map(({ declared, conflicts }, at) =>
          cardOf(`agent-${at}`, {
            declared: declared.join(' '),
            conflicts: conflicts.filter((value) => !declared.includes(value)).join(' '),
            bounded: 'run',
          }),
        )
        const input = { ...findFaultLines(cards), memberCount: cards.length }
        const before = forecastByRules(input)
        const eased = new Set(input.lines.slice(0, 1).map(({ id }) => id))
        const after = forecastByRules({ ...input, eased })
        for (const [at, { probabilityE4 }] of before.failureModes.entries()) {
          expect(probabilityE4).toBeLessThanOrEqual(10_000)
          expect(after.failureModes[at]?.probabilityE4).toBeLessThanOrEqual(probabilityE4)
        }
      }),
    )
  })
})

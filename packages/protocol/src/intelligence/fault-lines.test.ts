import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AlignmentCard } from '../cards/card.ts'
import { cardOf } from '../risk/cards.fixture.ts'
import { findFaultLines, summariseFaultLines } from './fault-lines.ts'
import { THREE, TWO } from './team.fixture.ts'

const linesOf = (cards: readonly AlignmentCard[]) => findFaultLines(cards).lines
const lineOn = (value: string, cards: readonly AlignmentCard[]) =>
  linesOf(cards).find((line) => line.value === value)

describe('findFaultLines', () => {
  const found = findFaultLines(THREE.toReversed())

  it('finds the lines of the team of three, in order', () => {
    expect(
      found.lines.map(({ id, value, classification, severity, impactE4 }) => [
        id,
        value,
        classification,
        severity,
        impactE4 / 10_000,
      ]),
    ).toEqual([
      ['fl-a993f0dd10ab', 'data_hoarding', 'incompatible', 'critical', 0.6667],
      ['fl-0a6d77717c6d', 'privacy', 'incompatible', 'critical', 0.6667],
      ['fl-554ae4c2ddfa', 'accuracy', 'priority_mismatch', 'high', 0.4444],
      ['fl-266acd3d70bf', 'speed', 'priority_mismatch', 'high', 0.4444],
      ['fl-94ae23255ca3', 'transparency', 'priority_mismatch', 'medium', 0.2222],
    ])
    expect(found.lines.map(({ affectsCapabilities }) => affectsCapabilities)).toEqual(
      Array.from({ length: 5 }, () => ['search']),
    )
    expect(found).toMatchObject({ fleetScoreE4: 5233, agentIds: ['agent-a', 'agent-b', 'agent-c'] })
    expect(found.pairs.map(({ scoreE4 }) => scoreE4)).toEqual([5000, 3200, 7500])
  })

  it('can be summarised by class and severity', () => {
    expect(summariseFaultLines(found.lines)).toEqual({
      total: 5,
      resolvable: 0,
      priority_mismatch: 3,
      incompatible: 2,
      criticalCount: 2,
    })
  })

  it('names the agents on each side and a resolution', () => {
    const [hoarding, , , speed] = found.lines
    expect(hoarding).toMatchObject({
      declaring: ['agent-c'],
      missing: ['agent-a', 'agent-b'],
      conflicting: ['agent-a'],
      resolutionHint: 'agent-a rejects "data_hoarding", declared by agent-c; a person must decide.',
    })
    expect(speed).toMatchObject({
      declaring: ['agent-b', 'agent-c'],
      missing: ['agent-a'],
      rankedHigh: ['agent-c'],
      rankedLow: ['agent-b'],
      resolutionHint: 'Give "speed" the same priority on agent-b, agent-c.',
    })
  })

  it('finds the one line of the team of two', () => {
    expect(findFaultLines(TWO)).toMatchObject({
      fleetScoreE4: 5000,
      lines: [
        {
          value: 'speed',
          classification: 'resolvable',
          severity: 'high',
          impactE4: 5000,
          resolutionHint: 'Declare "speed" on y, or drop it from the team.',
          affectsCapabilities: ['run'],
        },
      ],
    })
  })

  it('finds no line in a team of one, unless it rejects what it declares', () => {
    const one = cardOf('x', { declared: 'care speed', bounded: 'run' })
    expect(findFaultLines([one])).toMatchObject({ fleetScoreE4: 10_000, lines: [], pairs: [] })
    const torn = cardOf('x', { declared: 'care speed', conflicts: 'care', bounded: 'run' })
    expect(linesOf([torn])).toMatchObject([
      { value: 'care', classification: 'incompatible', impactE4: 5000, severity: 'critical' },
    ])
  })

  it('ignores the order of values on a card whose hierarchy is contextual', () => {
    const first = cardOf('a', { declared: 'care speed truth', bounded: 'run' })
    const last = cardOf('b', { declared: 'truth speed care', bounded: 'run' })
    expect(lineOn('care', [first, last])?.classification).toBe('priority_mismatch')
    const flat = { ...last, values: { ...last.values, hierarchy: 'contextual' as const } }
    expect(linesOf([first, flat])).toEqual([])
  })

  it('orders values by stated priority before their position', () => {
    const definitions = { truth: { description: 'first', priority: 90 } }
    const first = cardOf('a', { declared: 'care speed truth', bounded: 'run' })
    const stated = { ...first, agent_id: 'b', values: { ...first.values, definitions } }
    expect(lineOn('truth', [first, stated])).toMatchObject({ rankedHigh: ['b'], rankedLow: ['a'] })
  })

  it('counts only pairs of agents with actions, and ignores explanations of actions', () => {
    const x = cardOf('x', { declared: 'care speed', bounded: 'run' })
    const y = cardOf('y', { declared: 'care', bounded: '' })
    expect(linesOf([x, y])).toMatchObject([{ impactE4: 2500, affectsCapabilities: [] }])
    const z = cardOf('y', { declared: 'care', bounded: 'run:slowly' })
    expect(linesOf([x, z])).toMatchObject([{ impactE4: 5000, affectsCapabilities: ['run'] }])
  })

  it('rounds half up exactly', () => {
    // Sixteen agents without shared actions: 1/16/2 = 0.03125.
    const cards = Array.from({ length: 16 }, (_, at) =>
      cardOf(`g${at}`, { declared: at === 0 ? 'care' : 'care speed', bounded: `act${at}` }),
    )
    expect(lineOn('speed', cards)?.impactE4).toBe(313)
  })

  it('does not depend on the order of the cards, and keeps every number in its range', () => {
    const values = fc.uniqueArray(fc.constantFrom('va', 'vb', 'vc', 'vd', 've'), { minLength: 1 })
    const actions = fc.uniqueArray(fc.constantFrom('run', 'walk', 'fly'))
    const said = fc.record({ declared: values, conflicts: values, bounded: actions })
    const team = fc.array(said, { minLength: 1, maxLength: 40 }).map((all) =>
      all.map(({ declared, conflicts, bounded }, at) =>
        cardOf(`agent-${at}`, {
          declared: declared.join(' '),
          conflicts: conflicts.filter((value) => !declared.includes(value)).join(' '),
          bounded: bounded.join(' '),
        }),
      ),
    )
    fc.assert(
      fc.property(team, (cards) => {
        const lines = linesOf(cards)
        expect(linesOf(cards.toReversed())).toEqual(lines)
        expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
        for (const line of lines) {
          expect(line.impactE4).toBeGreaterThan(0)
          expect(line.impactE4).toBeLessThanOrEqual(10_000)
          expect(line.declaring.length + line.missing.length).toBe(cards.length)
        }
      }),
    )
  })
})

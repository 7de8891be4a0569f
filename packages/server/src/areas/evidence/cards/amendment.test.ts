import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CardVersion, changedFields, sameCard } from './amendment.ts'

const version = (card: object, conscienceValues: readonly unknown[] = []): CardVersion => ({
  card: { ...card },
  conscienceValues,
})
const fields = (before: CardVersion, after: CardVersion) =>
  changedFields(before, after).map((change) => change.field)

describe('changedFields', () => {
  it('lists the changed member with both values, as in the example', () => {
    expect(
      changedFields(
        version({ autonomy_envelope: { bounded_actions: ['search'], forbidden_actions: ['x'] } }),
        version({
          autonomy_envelope: { forbidden_actions: ['x'], bounded_actions: ['search', 'web_fetch'] },
        }),
      ),
    ).toEqual([
      {
        field: 'autonomy_envelope.bounded_actions',
        previousValue: ['search'],
        newValue: ['search', 'web_fetch'],
      },
    ])
  })

  it('reads an absent member as null, in both directions', () => {
    const without = version({ values: {} })
    const having = version({ values: { hierarchy: 'weighted' }, expires_at: 'later' })
    expect(changedFields(without, having)).toEqual([
      { field: 'expires_at', previousValue: null, newValue: 'later' },
      { field: 'values.hierarchy', previousValue: null, newValue: 'weighted' },
    ])
    expect(fields(having, without)).toEqual(['expires_at', 'values.hierarchy'])
  })

  it('ignores the order of keys', () => {
    const one = version({ extensions: { a: { x: 1, y: 2 } } })
    const two = version({ extensions: { a: { y: 2, x: 1 } } })
    expect(fields(one, two)).toEqual([])
    expect(sameCard(one, two)).toBe(true)
  })

  it('never lists ids or the date of issue', () => {
    const one = version({ card_id: 'ac-1', agent_id: 'a', issued_at: 't1', aap_version: '0.1.0' })
    const two = version({ card_id: 'ac-2', agent_id: 'a', issued_at: 't2', aap_version: '0.1.0' })
    expect(fields(one, two)).toEqual([])
    expect(sameCard(one, two)).toBe(true)
  })

  it('has one entry per member, and one for all conscience values', () => {
    const one = version({ extensions: { a: 1, b: 2 }, principal: { type: 'human' } }, [
      { name: 'x' },
    ])
    const two = version({ extensions: { b: 3, c: 4 }, aap_version: '0.5.0' }, [])
    expect(fields(one, two)).toEqual([
      'aap_version',
      'conscience_values',
      'principal.type',
      'extensions.a',
      'extensions.b',
      'extensions.c',
    ])
  })

  it('treats an unknown top-level member as a change without an amendment', () => {
    const one = version({ colour: 'red' })
    const two = version({ colour: 'blue' })
    expect(fields(one, two)).toEqual([])
    expect(sameCard(one, two)).toBe(false)
  })

  it('finds no change between a card and itself, and the same fields in both directions', () => {
    const blocks = fc.record(
      {
        values: fc.dictionary(fc.string(), fc.jsonValue()),
        extensions: fc.dictionary(fc.string(), fc.jsonValue()),
        expires_at: fc.string(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(blocks, blocks, (one, two) => {
        expect(fields(version(one), version(one))).toEqual([])
        expect(fields(version(one), version(two))).toEqual(fields(version(two), version(one)))
        if (sameCard(version(one), version(two))) {
          expect(fields(version(one), version(two))).toEqual([])
        }
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loosens } from './loosening.ts'

const BOUNDED = 'autonomy_envelope.bounded_actions'
const FORBIDDEN = 'autonomy_envelope.forbidden_actions'
const TRIGGERS = 'autonomy_envelope.escalation_triggers'
const LIMIT = 'autonomy_envelope.max_autonomous_value'
const trigger = (condition: string, action = 'escalate', reason = 'r') => {
  return { condition, action, reason }
}
const usd = (amount: number) => ({ amount, currency: 'USD' })

describe('loosens', () => {
  it.each([
    [FORBIDDEN, ['a', 'b'], ['b'], true],
    [FORBIDDEN, ['a'], null, true],
    [FORBIDDEN, ['a'], ['b', 'a'], false],
    [BOUNDED, ['a'], ['a', 'b'], true],
    [BOUNDED, ['a', 'b'], ['a'], false],
    ['values.conflicts_with', ['x'], [], true],
    ['values.conflicts_with', null, ['x'], false],
    ['conscience_values', [{ type: 'FEAR', name: 'n', content: 'c' }], [], true],
    ['conscience_values', [], [{ type: 'FEAR', name: 'n', content: 'c' }], false],
    [TRIGGERS, [trigger('pii')], [], true],
    [TRIGGERS, [trigger('pii', 'deny')], [trigger('pii')], true],
    [TRIGGERS, [trigger('pii')], [trigger('pii', 'deny', 'other')], false],
    [TRIGGERS, [trigger('pii', 'log')], [], false],
    [LIMIT, usd(5), usd(6), true],
    [LIMIT, usd(5), { amount: 5, currency: 'EUR' }, true],
    [LIMIT, usd(5), null, true],
    [LIMIT, usd(6), usd(5), false],
    [LIMIT, null, usd(5), false],
    ['audit_commitment.retention_days', 30, 31, false],
  ])('%s from %j to %j: %s', (field, previous, next, expected) => {
    expect(loosens(field, previous, next)).toBe(expected)
  })

  it('is true in one direction of any change of a list, and in none without a change', () => {
    const lists = fc.uniqueArray(fc.string(), { maxLength: 5 })
    fc.assert(
      fc.property(lists, lists, fc.constantFrom(FORBIDDEN, BOUNDED), (one, other, field) => {
        const same = [...one].sort().join('\0') === [...other].sort().join('\0')
        expect(loosens(field, one, other) || loosens(field, other, one)).toBe(
          !same || one.length !== other.length,
        )
        expect(loosens(field, one, one)).toBe(false)
      }),
    )
  })
})

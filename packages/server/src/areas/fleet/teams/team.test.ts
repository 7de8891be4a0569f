import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { acceptName, MEMBERS_MAX, nameKey, planAddition } from './team.ts'

describe('team name', () => {
  it('is trimmed and must then have 1 to 100 characters', () => {
    expect(acceptName('  Billing ')).toBe('Billing')
    expect(acceptName('   ')).toBeUndefined()
    expect(acceptName('🦊'.repeat(100))).toBe('🦊'.repeat(100))
    expect(acceptName('x'.repeat(101))).toBeUndefined()
  })

  it('is compared without regard to case and Unicode composition', () => {
    expect(nameKey(' BILLING')).toBe(nameKey('billing '))
    expect(nameKey('Caf\u00e9')).toBe(nameKey('CAFE\u0301'))
    expect(nameKey('a b')).not.toBe(nameKey('ab'))
  })
})

describe('planAddition', () => {
  it('separates new agents from present members, without duplicates', () => {
    expect(planAddition(['a', 'b'], ['c', 'b', 'c', 'd'])).toEqual({
      fits: true,
      added: ['c', 'd'],
      alreadyMembers: ['b'],
    })
  })

  it('adds no agent when not all fit', () => {
    const members = Array.from({ length: MEMBERS_MAX - 1 }, (_, n) => `agent-${n}`)
    expect(planAddition(members, ['x'])).toMatchObject({ fits: true, added: ['x'] })
    expect(planAddition(members, ['x', 'y'])).toEqual({ fits: false, count: MEMBERS_MAX + 1 })
    expect(planAddition([...members, 'x'], ['x', 'agent-3'])).toMatchObject({ added: [] })
  })

  it('never exceeds the limit and accounts for every requested agent', () => {
    const ids = fc.array(fc.integer({ min: 0, max: 80 }).map(String), { maxLength: 80 })
    fc.assert(
      fc.property(ids, ids, (present, wanted) => {
        const members = [...new Set(present)].slice(0, MEMBERS_MAX)
        const plan = planAddition(members, wanted)
        if (!plan.fits) return
        expect(members.length + plan.added.length).toBeLessThanOrEqual(MEMBERS_MAX)
        expect(new Set([...plan.added, ...plan.alreadyMembers])).toEqual(new Set(wanted))
      }),
    )
  })
})

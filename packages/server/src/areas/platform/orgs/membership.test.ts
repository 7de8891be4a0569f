import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ROLES } from '../../../access.ts'
import { isLastOwner, primaryOwner, type Seat } from './membership.ts'

const seats = fc.uniqueArray(
  fc.record({
    userId: fc.integer({ min: 1, max: 20 }).map((n) => `user-${n}`),
    role: fc.constantFrom(...ROLES),
    roleSince: fc.date({ min: new Date(0), max: new Date(1e12), noInvalidDate: true }),
  }),
  { selector: (seat) => seat.userId, minLength: 1 },
)
const owners = (list: readonly Seat[]) => list.filter((seat) => seat.role === 'owner')

describe('isLastOwner', () => {
  it('is true exactly when removing this person would leave no owner', () => {
    fc.assert(
      fc.property(seats, (list) => {
        for (const { userId } of list) {
          const others = list.filter((seat) => seat.userId !== userId)
          const isLast = owners(list).length > 0 && owners(others).length === 0
          expect(isLastOwner(list, userId)).toBe(isLast)
        }
      }),
    )
  })
})

describe('primaryOwner', () => {
  it('stays the same while they are an owner, otherwise becomes the longest-serving owner', () => {
    fc.assert(
      fc.property(seats, fc.constantFrom('user-1', 'user-2', 'gone'), (list, current) => {
        const next = primaryOwner(list, current)
        const all = owners(list)
        if (all.length === 0 || all.some((seat) => seat.userId === current)) {
          expect(next).toBe(current)
          return
        }
        const chosen = all.find((seat) => seat.userId === next)
        for (const other of all) {
          expect(chosen?.roleSince.getTime()).toBeLessThanOrEqual(other.roleSince.getTime())
        }
      }),
    )
  })
})

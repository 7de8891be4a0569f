import { describe, expect, it } from 'vitest'
import { keyRefusal, OPERATIONS, ROLES, roleAllows, SCOPES } from '../../../access.ts'
import { ceilingOf, isUnderCeiling, KEY_ROLES } from './ceiling.ts'

describe('the ceiling of a key', () => {
  it('never lets a key do what its creator may not', () => {
    for (const creator of ROLES) {
      expect(isUnderCeiling(ceilingOf(creator), creator)).toBe(true)
      for (const role of KEY_ROLES) {
        const gains = OPERATIONS.filter(
          (operation) =>
            keyRefusal({ role, scopes: SCOPES }, operation) === undefined &&
            !roleAllows(creator, operation),
        )
        if (isUnderCeiling(role, creator)) expect(gains, `${role} by ${creator}`).toEqual([])
      }
    }
  })
})

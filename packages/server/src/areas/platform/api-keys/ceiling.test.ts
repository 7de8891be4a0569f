import { describe, expect, it } from 'vitest'
import { keyRefusal, OPERATIONS, ROLES, roleAllows, SCOPES } from '../../../access.ts'
import { ceilingOf, isUnderCeiling, KEY_ROLES } from './ceiling.ts'

describe('the role ceiling of an API key', () => {
  it('never gives a key a permission that its creator lacks', () => {
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

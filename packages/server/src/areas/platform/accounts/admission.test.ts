import { describe, expect, it } from 'vitest'
import { admit } from './admission.ts'

describe('admit', () => {
  it.each([
    ['invite', true, false, 'first'],
    ['invite', true, true, 'first'],
    ['invite', false, true, 'invited'],
    ['invite', false, false, 'refused'],
    ['open', true, false, 'first'],
    ['open', false, false, 'free'],
    ['open', false, true, 'invited'],
    ['closed', true, false, 'refused'],
    ['closed', false, true, 'refused'],
  ] as const)(
    'in mode %s, first account %s, invitation %s: %s',
    (mode, isFirst, hasInvitation, expected) => {
      expect(admit({ mode, isFirst, hasInvitation })).toBe(expected)
    },
  )
})

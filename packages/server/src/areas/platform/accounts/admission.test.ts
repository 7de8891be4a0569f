import { describe, expect, it } from 'vitest'
import { admit, provesEmail } from './admission.ts'

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
  ] as const)('in mode %s, first %s, invited %s: %s', (mode, isFirst, hasInvitation, expected) => {
    expect(admit({ mode, isFirst, hasInvitation })).toBe(expected)
  })
})

describe('provesEmail', () => {
  const adminEmails = ['root@example.com']

  it('takes an invitation as proof of the address', () => {
    expect(provesEmail({ invited: true, email: 'a@example.com', adminEmails })).toBe(true)
    expect(provesEmail({ invited: false, email: 'a@example.com', adminEmails })).toBe(false)
  })

  it('never takes it as proof of an administrator address, whose token the inviter saw', () => {
    expect(provesEmail({ invited: true, email: 'root@example.com', adminEmails })).toBe(false)
  })
})

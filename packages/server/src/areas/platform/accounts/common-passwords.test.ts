import { describe, expect, it } from 'vitest'
import { isCommon } from './common-passwords.ts'
import { assertUncommon, COMMON_PASSWORDS, commonPasswords } from './common-passwords-service.ts'

const list = new Set(['password', 'dragon', 'iloveyou', '1q2w3e4r5t6y', '123456', 'qwerty'])

describe('isCommon', () => {
  it.each([
    '1q2w3e4r5t6y',
    '1Q2W3E4R5T6Y',
    'Password1234',
    '!!Dragon2026',
    'passwordpassword',
    'dragondragon',
    '123456123456',
    'Qwertyqwerty1',
    'ｐａｓｓｗｏｒｄ1234',
  ])('refuses %s', (password) => {
    expect(isCommon(password, list)).toBe(true)
  })

  it.each([
    'correct horse battery',
    'a brand new password',
    'password of dragons',
    '739105password482',
    'dragonpassword',
    '',
    '------------',
  ])('accepts %s', (password) => {
    expect(isCommon(password, list)).toBe(false)
  })
})

describe('the list', () => {
  it('has the 10,000 commonest passwords', () => {
    const common = commonPasswords()
    expect(common.size).toBe(COMMON_PASSWORDS)
    for (const known of ['123456', 'password', 'qwerty', 'dragon', 'letmein', 'monkey']) {
      expect(common.has(known), known).toBe(true)
    }
  })

  it('refuses with the field and what would be right', () => {
    expect(() => assertUncommon('new_password', 'Password1234')).toThrow(
      expect.objectContaining({ status: 400, message: expect.stringContaining('new_password: ') }),
    )
    expect(() => assertUncommon('password', 'correct horse battery')).not.toThrow()
  })
})

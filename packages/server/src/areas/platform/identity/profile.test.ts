import { describe, expect, it } from 'vitest'
import { isPlatformAdmin, mergeProfile, readProfile } from './profile.ts'

describe('readProfile', () => {
  it('lower-cases and trims the address', () => {
    expect(readProfile({ email: ' A@Example.COM ', email_verified: true, name: 'A' })).toEqual({
      email: 'a@example.com',
      emailVerified: true,
      name: 'A',
    })
  })

  it('leaves out invalid fields', () => {
    expect(readProfile({ email: 'nobody', email_verified: 'true', name: '\u0000' })).toEqual({})
  })
})

describe('mergeProfile', () => {
  const before = { email: 'a@example.com', emailVerified: true, name: 'A' }

  it('keeps fields that a token does not contain', () => {
    expect(mergeProfile(before, {})).toEqual(before)
  })

  it('does not carry the verification of one address over to another', () => {
    expect(mergeProfile(before, { email: 'b@example.com' }).emailVerified).toBe(false)
  })

  it('becomes unverified when the issuer says so', () => {
    expect(mergeProfile(before, { emailVerified: false }).emailVerified).toBe(false)
  })

  it('is never verified without an address', () => {
    const nobody = { email: null, emailVerified: false, name: null }
    expect(mergeProfile(nobody, { emailVerified: true }).emailVerified).toBe(false)
  })
})

describe('isPlatformAdmin', () => {
  const admins = ['root@example.com']
  const person = {
    issuer: 'https://id.example',
    isFirst: false,
    email: 'root@example.com',
    emailVerified: true,
  }

  it('is true for a listed address only if it is verified', () => {
    expect(isPlatformAdmin(person, admins)).toBe(true)
    expect(isPlatformAdmin({ ...person, emailVerified: false }, admins)).toBe(false)
    expect(isPlatformAdmin({ ...person, email: 'other@example.com' }, admins)).toBe(false)
  })

  it('is true for the first local account', () => {
    const first = { issuer: 'local', isFirst: true, email: null, emailVerified: false }
    expect(isPlatformAdmin(first, [])).toBe(true)
  })

  it('is never true for a person from the single sign-on of an organisation', () => {
    for (const issuer of ['saml:org-1', 'oidc:org-1']) {
      expect(isPlatformAdmin({ ...person, issuer }, admins)).toBe(false)
    }
  })
})

import { isPlainText } from './claims.ts'

/** What is known of a person beyond the opaque id. */
export type Profile = { email: string | null; emailVerified: boolean; name: string | null }

/** What a sign-in says about a person; a field it does not mention is absent. */
export type ProfileClaims = { email?: string; emailVerified?: boolean; name?: string }

const EMAIL_LENGTH_MAX = 254
const NAME_LENGTH_MAX = 200

export function readProfile(claims: Readonly<Record<string, unknown>>): ProfileClaims {
  const { email, email_verified: verified, name } = claims
  const address = typeof email === 'string' ? email.trim().toLowerCase() : undefined
  return {
    ...(isEmail(address) ? { email: address } : {}),
    ...(typeof verified === 'boolean' ? { emailVerified: verified } : {}),
    ...(isPlainText(name, NAME_LENGTH_MAX) ? { name } : {}),
  }
}

/**
 * A token that does not mention a field leaves it as it was, except that a new address is never
 * verified by the old one's word.
 */
export function mergeProfile(before: Profile, claims: ProfileClaims): Profile {
  const email = claims.email ?? before.email
  const kept = email === before.email && before.emailVerified
  return {
    email,
    emailVerified: email !== null && (claims.emailVerified ?? kept),
    name: claims.name ?? before.name,
  }
}

export function sameProfile(a: Profile, b: Profile): boolean {
  return a.email === b.email && a.emailVerified === b.emailVerified && a.name === b.name
}

/** People of one organisation's own SAML provider; its operator is a tenant, not us. */
export function isTenantIssuer(issuer: string): boolean {
  return issuer.startsWith('saml:')
}

/**
 * The first local account, and verified addresses the operator listed (04 §2.3). An organisation's
 * SAML provider can assert any address, so its word never makes a platform administrator.
 */
export function isPlatformAdmin(
  person: { issuer: string; isFirst: boolean; email: string | null; emailVerified: boolean },
  adminEmails: readonly string[],
): boolean {
  if (isTenantIssuer(person.issuer)) return false
  if (person.isFirst) return true
  return person.emailVerified && person.email !== null && adminEmails.includes(person.email)
}

function isEmail(value: string | undefined): value is string {
  return isPlainText(value, EMAIL_LENGTH_MAX) && /^[^\s@]+@[^\s@]+$/.test(value)
}

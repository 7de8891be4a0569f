import { isPlainText } from './claims.ts'

/** Personal data of a person, apart from the opaque id. */
export type Profile = { email: string | null; emailVerified: boolean; name: string | null }

/** Profile fields of a sign-in; a field the token does not contain is absent. */
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
 * A field the token does not contain keeps its value, except that a new address does not inherit
 * the old one's verification.
 */
export function mergeProfile(before: Profile, claims: ProfileClaims): Profile {
  const email = claims.email ?? before.email
  const wasVerified = email === before.email && before.emailVerified
  return {
    email,
    emailVerified: email !== null && (claims.emailVerified ?? wasVerified),
    name: claims.name ?? before.name,
  }
}

export function sameProfile(a: Profile, b: Profile): boolean {
  return a.email === b.email && a.emailVerified === b.emailVerified && a.name === b.name
}

/**
 * The organisation whose own identity provider, of SAML or OpenID Connect, this issuer is. A tenant
 * operates it, not the platform, so its users can access only this organisation (spec: platform
 * §4.3).
 */
export function tenantOfIssuer(issuer: string): string | undefined {
  return /^(?:saml|oidc):(.+)$/.exec(issuer)?.[1]
}

/**
 * Platform administrators are the first local account and people with a verified address the
 * operator listed (spec: platform §2.3). An organisation's provider can assert any address, so
 * it never makes a platform administrator.
 */
export function isPlatformAdmin(
  person: { issuer: string; isFirst: boolean; email: string | null; emailVerified: boolean },
  adminEmails: readonly string[],
): boolean {
  if (tenantOfIssuer(person.issuer) !== undefined) return false
  if (person.isFirst) return true
  return person.emailVerified && person.email !== null && adminEmails.includes(person.email)
}

function isEmail(value: string | undefined): value is string {
  return isPlainText(value, EMAIL_LENGTH_MAX) && /^[^\s@]+@[^\s@]+$/.test(value)
}

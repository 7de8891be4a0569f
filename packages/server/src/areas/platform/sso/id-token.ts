import { isJsonObject } from '@touchstone/protocol/base'
import { domainOf, toAddress } from './domains.ts'

/**
 * Checks of the claims of an ID token whose signature was verified (OpenID Connect Core 1.0
 * §3.1.3.7), and the person they describe.
 */
export type Claims = Readonly<Record<string, unknown>>

export type ExpectedClaims = { issuer: string; clientId: string; nonce: string; now: Date }

export type ClaimsRefusal =
  | 'unreadable'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'wrong_nonce'
  | 'not_current'
  | 'no_lasting_name'

export type PersonRefusal = 'no_email' | 'email_unverified' | 'domain_not_allowed'

export type OidcPerson = { email: string; name: string | null; groups: string[] }

/** spec: platform §4.3. */
const SKEW_SECONDS = 60
/** OpenID Connect Core 1.0 §2. */
const SUBJECT_LENGTH_MAX = 255
const NAME_LENGTH_MAX = 200
/** More groups than any provider puts into a token. */
const GROUPS_MAX = 1_000

/** Undefined if every claim is as expected. */
export function refuseClaims(claims: Claims, expected: ExpectedClaims): ClaimsRefusal | undefined {
  const { iss, aud, azp, exp, iat, nbf, nonce, sub } = claims
  if (iss !== expected.issuer) return 'wrong_issuer'
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  if (!audiences.includes(expected.clientId)) return 'wrong_audience'
  // With several audiences the token must say that it was issued to this client.
  if (azp === undefined ? audiences.length > 1 : azp !== expected.clientId) return 'wrong_audience'
  if (!isTime(exp) || !isTime(iat) || (nbf !== undefined && !isTime(nbf))) return 'unreadable'
  const now = expected.now.getTime() / 1000
  const starts = Math.max(iat, nbf ?? iat)
  if (exp <= now - SKEW_SECONDS || starts > now + SKEW_SECONDS) return 'not_current'
  if (nonce !== expected.nonce) return 'wrong_nonce'
  return isPlainText(sub, SUBJECT_LENGTH_MAX) ? undefined : 'no_lasting_name'
}

/** Whether the ID token lacks something that the UserInfo endpoint may add. */
export function needsUserinfo(
  claims: Claims,
  wanted: { groupsClaim: string | undefined },
): boolean {
  const lacksGroups = wanted.groupsClaim !== undefined && claims[wanted.groupsClaim] === undefined
  return addressOf(claims) === undefined || lacksGroups
}

/**
 * The claims of the UserInfo answer where the ID token has none. The address and its verification
 * come from the same source. `undefined` for an answer about somebody else (OpenID Connect Core 1.0
 * §5.3.2).
 */
export function withUserinfo(claims: Claims, userinfo: unknown): Claims | undefined {
  if (!isJsonObject(userinfo) || userinfo['sub'] !== claims['sub']) return undefined
  const source = addressOf(claims) === undefined ? userinfo : claims
  const { email, email_verified: emailVerified } = source
  return { ...userinfo, ...claims, email, email_verified: emailVerified }
}

export function personOf(
  claims: Claims,
  expected: { allowedDomains: readonly string[]; groupsClaim: string },
): { ok: true; person: OidcPerson } | { ok: false; refusal: PersonRefusal } {
  const email = addressOf(claims)
  if (email === undefined) return { ok: false, refusal: 'no_email' }
  // Some providers send the text "false".
  if (String(claims['email_verified']) === 'false') {
    return { ok: false, refusal: 'email_unverified' }
  }
  if (!expected.allowedDomains.includes(domainOf(email) ?? '')) {
    return { ok: false, refusal: 'domain_not_allowed' }
  }
  const groups = groupsOf(claims[expected.groupsClaim])
  return { ok: true, person: { email, name: nameOf(claims), groups } }
}

/** Numbers of groups are accepted as text, a single group without a list. */
function groupsOf(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value]
  return list
    .filter((group) => typeof group === 'string' || typeof group === 'number')
    .slice(0, GROUPS_MAX)
    .map(String)
}

function nameOf(claims: Claims): string | null {
  const { name, given_name: given, family_name: family } = claims
  if (isPlainText(name, NAME_LENGTH_MAX)) return name
  const parts = [given, family].filter((part) => isPlainText(part, NAME_LENGTH_MAX))
  return parts.join(' ').slice(0, NAME_LENGTH_MAX) || null
}

function addressOf(claims: Claims): string | undefined {
  const { email } = claims
  return typeof email === 'string' ? toAddress(email) : undefined
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isPlainText(value: unknown, lengthMax: number): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= lengthMax &&
    !/[\p{Cc}\p{Cs}]/u.test(value)
  )
}

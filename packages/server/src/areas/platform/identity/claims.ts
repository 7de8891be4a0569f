import { isJsonObject } from '@touchstone/protocol/base'

// Checks of a session token's header and claims before any key is looked up (spec: platform §2.3).

/** The accepted algorithms, each with the only kind of key that can verify it. */
const KEY_KINDS = {
  RS256: { kty: 'RSA', crv: undefined },
  PS256: { kty: 'RSA', crv: undefined },
  ES256: { kty: 'EC', crv: 'P-256' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
} as const

export type Algorithm = keyof typeof KEY_KINDS

export const SKEW_SECONDS = 60
const LIFETIME_SECONDS_MAX = 24 * 60 * 60
const SUBJECT_LENGTH_MAX = 255
const KID_LENGTH_MAX = 255

/** A public key as an issuer publishes it (RFC 7517). */
export type PublicJwk = {
  readonly kty: string
  readonly kid: string
  readonly crv?: string
  readonly alg?: string
  readonly use?: string
  readonly key_ops?: readonly string[]
  readonly n?: string
  readonly e?: string
  readonly x?: string
  readonly y?: string
}

export type TokenHeader = { alg: Algorithm; kid: string }

export type TokenClaims = {
  iss: string
  sub: string
  /** Seconds since 1970, as in the token. */
  iat: number
  exp: number
  raw: Readonly<Record<string, unknown>>
}

/** Refuses `none` and shared-secret algorithms, because they are not in KEY_KINDS. */
export function readHeader(header: unknown): TokenHeader | undefined {
  if (!isJsonObject(header)) return undefined
  const { alg, kid } = header
  if (!isAlgorithm(alg) || !isPlainText(kid, KID_LENGTH_MAX)) return undefined
  return { alg, kid }
}

/**
 * The claims, if all required ones are present and the times are valid, allowing for clock skew.
 */
export function readClaims(payload: unknown, now: Date): TokenClaims | undefined {
  if (!isJsonObject(payload)) return undefined
  const { iss, sub, aud, iat, exp } = payload
  if (typeof iss !== 'string' || !isPlainText(sub, SUBJECT_LENGTH_MAX) || aud === undefined) {
    return undefined
  }
  if (!isTime(iat) || !isTime(exp)) return undefined
  const seconds = now.getTime() / 1000
  const inTime = exp > seconds - SKEW_SECONDS && iat <= seconds + SKEW_SECONDS
  const lifetime = exp - iat
  if (!inTime || lifetime <= 0 || lifetime > LIFETIME_SECONDS_MAX) return undefined
  return { iss, sub, iat, exp, raw: payload }
}

/** The key with the header's id, if it is a signature key of the algorithm's kind. */
export function findKey(keys: readonly PublicJwk[], header: TokenHeader): PublicJwk | undefined {
  return keys.find((key) => key.kid === header.kid && fits(key, header.alg))
}

function fits(key: PublicJwk, alg: Algorithm): boolean {
  const kind = KEY_KINDS[alg]
  return (
    key.kty === kind.kty &&
    (kind.crv === undefined || key.crv === kind.crv) &&
    (key.alg === undefined || key.alg === alg) &&
    (key.use === undefined || key.use === 'sig') &&
    (key.key_ops === undefined || key.key_ops.includes('verify'))
  )
}

/** The keys of a JWKS document; drops private parts and skips malformed entries. */
export function readKeySet(document: unknown): PublicJwk[] | undefined {
  if (!isJsonObject(document) || !Array.isArray(document['keys'])) return undefined
  return document['keys'].flatMap((key: unknown) => {
    const jwk = readKey(key)
    return jwk === undefined ? [] : [jwk]
  })
}

const TEXT_FIELDS = ['crv', 'alg', 'use', 'n', 'e', 'x', 'y'] as const

function readKey(key: unknown): PublicJwk | undefined {
  if (!isJsonObject(key)) return undefined
  const { kty, kid, key_ops: keyOps } = key
  if (typeof kty !== 'string' || !isPlainText(kid, KID_LENGTH_MAX)) return undefined
  const texts = TEXT_FIELDS.filter((field) => typeof key[field] === 'string')
  return {
    kty,
    kid,
    ...Object.fromEntries(texts.map((field) => [field, key[field]])),
    ...(Array.isArray(keyOps) ? { key_ops: keyOps.map(String) } : {}),
  }
}

/** Text that can be stored and compared unchanged: no control characters, no lone surrogates. */
export function isPlainText(value: unknown, lengthMax: number): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= lengthMax &&
    !/[\p{Cc}\p{Cs}]/u.test(value)
  )
}

function isAlgorithm(value: unknown): value is Algorithm {
  return typeof value === 'string' && Object.hasOwn(KEY_KINDS, value)
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

import { decodeJwt, decodeProtectedHeader, type JWK, jwtVerify } from 'jose'
import type { Clock } from '../../../kernel/clock.ts'
import {
  type PublicJwk,
  readClaims,
  readHeader,
  SKEW_SECONDS,
  type TokenClaims,
  type TokenHeader,
} from './claims.ts'
import type { KeySets, TrustedIssuer } from './issuer-client.ts'
import type { OwnKeys } from './ports.ts'

/** A token that passed every check; `isOwn` if this service issued it. */
export type VerifiedToken = { isOwn: boolean; claims: TokenClaims }

export type TokenVerifier = { verify(token: string): Promise<VerifiedToken | undefined> }

/** The audience of tokens we issue ourselves (spec: platform §2.4). */
const OWN_AUDIENCE = 'touchstone'

type Source = {
  isOwn: boolean
  audience: string[]
  find(header: TokenHeader): Promise<PublicJwk | undefined>
}

export function createTokenVerifier(deps: {
  clock: Clock
  /** The issuer of our own tokens: the base URL. */
  ownIssuer: string
  ownKeys: OwnKeys
  issuers: readonly TrustedIssuer[]
  keySets: KeySets
}): TokenVerifier {
  const sourceOf = (issuer: string): Source | undefined => {
    if (issuer === deps.ownIssuer) {
      return {
        isOwn: true,
        audience: [OWN_AUDIENCE],
        find: (header) => ownKey(deps.ownKeys, header),
      }
    }
    const trusted = deps.issuers.filter((candidate) => candidate.issuer === issuer)
    const first = trusted[0]
    return (
      first && {
        isOwn: false,
        audience: trusted.map((candidate) => candidate.audience),
        find: (header) => deps.keySets.find(first, header),
      }
    )
  }

  return {
    async verify(token) {
      const now = deps.clock.now()
      const parts = decode(token, now)
      if (parts === undefined) return undefined
      const source = sourceOf(parts.claims.iss)
      if (source === undefined) return undefined
      // Keys come only from this source; jku, x5u, x5c and jwk in the header are never read.
      const key = await source.find(parts.header)
      if (key === undefined) return undefined
      const genuine = await isGenuine(token, { key, alg: parts.header.alg, now, source, parts })
      return genuine ? { isOwn: source.isOwn, claims: parts.claims } : undefined
    },
  }
}

async function ownKey(keys: OwnKeys, header: TokenHeader): Promise<PublicJwk | undefined> {
  return header.alg === 'EdDSA' ? keys.find(header.kid) : undefined
}

type Parts = { header: TokenHeader; claims: TokenClaims }

/** Decodes without verifying, so that no key is fetched for a token that cannot pass. */
function decode(token: string, now: Date): Parts | undefined {
  try {
    const header = readHeader(decodeProtectedHeader(token))
    const claims = readClaims(decodeJwt(token), now)
    return header && claims && { header, claims }
  } catch {
    return undefined
  }
}

async function isGenuine(
  token: string,
  check: { key: PublicJwk; alg: string; now: Date; source: Source; parts: Parts },
): Promise<boolean> {
  try {
    // The cast is safe, because importing an invalid key throws and so rejects the token.
    await jwtVerify(token, check.key as JWK, {
      algorithms: [check.alg],
      issuer: check.parts.claims.iss,
      audience: check.source.audience,
      clockTolerance: SKEW_SECONDS,
      currentDate: check.now,
      requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp'],
    })
    return true
  } catch {
    // A forged token or a broken key of the issuer: the token is refused either way.
    return false
  }
}

import type { Clock } from '../../../kernel/clock.ts'
import { findKey, type PublicJwk, readKeySet, type TokenHeader } from './claims.ts'
import type { FetchJson } from './fetch-json.ts'
import { isUsable, type KeySetTimes, planLookup } from './key-set-plan.ts'

/** One outside issuer whose tokens the operator accepts. */
export type TrustedIssuer = {
  issuer: string
  audience: string
  /** Found by discovery when absent. */
  jwksUri: string | undefined
}

export type KeySets = {
  /** The issuer's key for this header, or `undefined` when it has none or cannot be reached. */
  find(issuer: TrustedIssuer, header: TokenHeader): Promise<PublicJwk | undefined>
}

/** Discovery and keys together; a request never waits longer for an issuer. */
const FETCH_MS_MAX = 5000

type Entry = KeySetTimes & { keys: readonly PublicJwk[]; pending: Promise<void> | undefined }

/** The key sets of outside issuers, fetched when needed and shared by all requests. */
export function createKeySets(deps: {
  clock: Clock
  fetchJson: FetchJson
  onError(err: unknown): void
}): KeySets {
  const entries = new Map<string, Entry>()
  const now = () => deps.clock.now().getTime()

  const entryOf = (issuer: TrustedIssuer): Entry => {
    const known = entries.get(issuer.issuer)
    if (known !== undefined) return known
    const entry: Entry = {
      keys: [],
      fetchedAt: undefined,
      failedAt: undefined,
      soughtAt: undefined,
      pending: undefined,
    }
    entries.set(issuer.issuer, entry)
    return entry
  }

  const refresh = async (entry: Entry, issuer: TrustedIssuer): Promise<void> => {
    const signal = AbortSignal.timeout(FETCH_MS_MAX)
    try {
      entry.keys = await fetchKeys(deps.fetchJson, issuer, signal)
      entry.fetchedAt = now()
      entry.failedAt = undefined
    } catch (err) {
      entry.failedAt = now()
      deps.onError(new Error(`The keys of ${issuer.issuer} could not be fetched`, { cause: err }))
    } finally {
      entry.pending = undefined
    }
  }

  return {
    async find(issuer, header) {
      const entry = entryOf(issuer)
      const known = findKey(entry.keys, header)
      const plan = planLookup(entry, known !== undefined, now())
      if (plan === 'use') return known
      if (plan === 'refuse') return undefined
      // Only a set that is fresh otherwise is fetched for the key id's sake.
      if (known === undefined && entry.fetchedAt !== undefined) entry.soughtAt = now()
      entry.pending ??= refresh(entry, issuer)
      await entry.pending
      return isUsable(entry, now()) ? findKey(entry.keys, header) : undefined
    },
  }
}

async function fetchKeys(
  fetchJson: FetchJson,
  issuer: TrustedIssuer,
  signal: AbortSignal,
): Promise<PublicJwk[]> {
  const uri = issuer.jwksUri ?? (await discover(fetchJson, issuer.issuer, signal))
  const keys = readKeySet(await fetchJson(uri, signal))
  if (keys === undefined) throw new Error('not a JWKS document')
  return keys
}

/** OpenID Connect Discovery 1.0 §4: the document must name the very issuer it was asked for. */
async function discover(
  fetchJson: FetchJson,
  issuer: string,
  signal: AbortSignal,
): Promise<string> {
  const document = await fetchJson(
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    signal,
  )
  const { issuer: named, jwks_uri: uri } = Object(document) as Record<string, unknown>
  if (named !== issuer) throw new Error('the discovery document names another issuer')
  if (typeof uri !== 'string' || new URL(uri).protocol !== new URL(issuer).protocol) {
    throw new Error('the discovery document names no usable jwks_uri')
  }
  return uri
}

import { fetch, type Response } from 'undici'
import type { Clock } from '../../../kernel/clock.ts'
import { findKey, type PublicJwk, readKeySet, type TokenHeader } from './claims.ts'
import { isUsable, type KeySetTimes, planLookup } from './key-set-plan.ts'

/** One outside issuer whose tokens the operator accepts. */
export type TrustedIssuer = {
  issuer: string
  audience: string
  /** If absent, found by OpenID Connect discovery. */
  jwksUri: string | undefined
}

export type KeySets = {
  /** The issuer's key for this header, or `undefined` if it has none or cannot be reached. */
  find(issuer: TrustedIssuer, header: TokenHeader): Promise<PublicJwk | undefined>
}

/** Timeout of discovery and key fetch together; no request waits longer for an issuer. */
const FETCH_MS_MAX = 5000
const BYTES_MAX = 256 * 1024
const REDIRECTS_MAX = 3

type Entry = KeySetTimes & { keys: readonly PublicJwk[]; pending: Promise<void> | undefined }

/** Cache of outside issuers' key sets, fetched on demand and shared by all requests. */
export function createKeySets(deps: { clock: Clock; onError(err: unknown): void }): KeySets {
  const entries = new Map<string, Entry>()
  const now = () => deps.clock.nowMs()

  const entryOf = (issuer: TrustedIssuer): Entry => {
    const existing = entries.get(issuer.issuer)
    if (existing !== undefined) return existing
    const entry: Entry = {
      keys: [],
      fetchedAt: undefined,
      failedAt: undefined,
      unknownKidFetchedAt: undefined,
      pending: undefined,
    }
    entries.set(issuer.issuer, entry)
    return entry
  }

  const refresh = async (entry: Entry, issuer: TrustedIssuer): Promise<void> => {
    const signal = AbortSignal.timeout(FETCH_MS_MAX)
    try {
      entry.keys = await fetchKeys(issuer, signal)
      entry.fetchedAt = now()
      entry.failedAt = undefined
    } catch (err) {
      entry.failedAt = now()
      deps.onError(new Error(`cannot fetch the keys of ${issuer.issuer}`, { cause: err }))
    } finally {
      entry.pending = undefined
    }
  }

  return {
    async find(issuer, header) {
      const entry = entryOf(issuer)
      const cached = findKey(entry.keys, header)
      const plan = planLookup(entry, cached !== undefined, now())
      if (plan === 'use') return cached
      if (plan === 'refuse') return undefined
      // The first fetch of a key set is not one that an unknown key id caused.
      if (cached === undefined && entry.fetchedAt !== undefined) entry.unknownKidFetchedAt = now()
      entry.pending ??= refresh(entry, issuer)
      await entry.pending
      return isUsable(entry, now()) ? findKey(entry.keys, header) : undefined
    },
  }
}

async function fetchKeys(issuer: TrustedIssuer, signal: AbortSignal): Promise<PublicJwk[]> {
  const uri = issuer.jwksUri ?? (await discover(issuer.issuer, signal))
  const keys = readKeySet(await fetchJson(uri, signal))
  if (keys === undefined) throw new Error('not a JWKS document')
  return keys
}

/** OpenID Connect Discovery 1.0 §4: the document's issuer must match the requested one exactly. */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const document = await fetchJson(
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    signal,
  )
  // The cast is safe: Object() gives an object for any JSON value, and both fields are checked.
  const { issuer: named, jwks_uri: uri } = Object(document) as Record<string, unknown>
  if (named !== issuer) {
    throw new Error("the discovery document's issuer differs from the configured one")
  }
  if (typeof uri !== 'string' || new URL(uri).protocol !== new URL(issuer).protocol) {
    throw new Error("the discovery document has no jwks_uri with the issuer's scheme")
  }
  return uri
}

/**
 * For addresses the operator configured. Follows redirects itself, because none may change the
 * scheme, and limits the size after decompression.
 */
async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  let target = new URL(url)
  for (let hop = 0; hop <= REDIRECTS_MAX; hop += 1) {
    assertHttp(target)
    const response = await fetch(target, {
      signal,
      redirect: 'manual',
      headers: { accept: 'application/json' },
    })
    const next = redirectTarget(response, target)
    if (next === undefined) return readJson(response, target)
    await response.body?.cancel()
    if (next.protocol !== target.protocol) {
      throw new Error(`${target.origin} redirects to another scheme`)
    }
    target = next
  }
  throw new Error(`${target.origin} redirects too often`)
}

function assertHttp(target: URL): void {
  if (target.protocol === 'https:' || target.protocol === 'http:') return
  throw new Error(`${target.protocol} is not http: or https:`)
}

function redirectTarget(response: Response, from: URL): URL | undefined {
  const location = response.headers.get('location')
  if (response.status < 300 || response.status >= 400 || location === null) return undefined
  return new URL(location, from)
}

async function readJson(response: Response, from: URL): Promise<unknown> {
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel()
    throw new Error(`${from.origin} answered ${response.status}`)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.length
    // Throwing out of the loop cancels the rest of the body.
    if (bytes > BYTES_MAX) throw new Error(`${from.origin} answered more than ${BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

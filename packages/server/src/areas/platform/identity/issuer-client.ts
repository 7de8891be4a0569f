import { fetch, type Response } from 'undici'
import type { Clock } from '../../../kernel/clock.ts'
import { findKey, type PublicJwk, readKeySet, type TokenHeader } from './claims.ts'
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
const BYTES_MAX = 256 * 1024
const REDIRECTS_MAX = 3

type Entry = KeySetTimes & { keys: readonly PublicJwk[]; pending: Promise<void> | undefined }

/** The key sets of outside issuers, fetched when needed and shared by all requests. */
export function createKeySets(deps: { clock: Clock; onError(err: unknown): void }): KeySets {
  const entries = new Map<string, Entry>()
  const now = () => deps.clock.nowMs()

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
      entry.keys = await fetchKeys(issuer, signal)
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

async function fetchKeys(issuer: TrustedIssuer, signal: AbortSignal): Promise<PublicJwk[]> {
  const uri = issuer.jwksUri ?? (await discover(issuer.issuer, signal))
  const keys = readKeySet(await fetchJson(uri, signal))
  if (keys === undefined) throw new Error('not a JWKS document')
  return keys
}

/** OpenID Connect Discovery 1.0 §4: the document must name the very issuer it was asked for. */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
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

/**
 * For addresses the operator configured. Redirects are followed by hand, because one must not lead
 * to another scheme, and the size is counted after decompression.
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
  throw new Error(`${target.protocol} is not a scheme to fetch from`)
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
    // Leaving the loop cancels the rest of the body.
    if (bytes > BYTES_MAX) throw new Error(`${from.origin} answered more than ${BYTES_MAX} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

import { isJsonObject } from '@touchstone/protocol/base'
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Discovery, discoveryUrl, ID_TOKEN_ALGORITHMS, readDiscovery } from './discovery.ts'
import type { Claims } from './id-token.ts'
import type { Outbound, OutboundCall } from './ports.ts'

/** spec: platform §4.3. */
const LIMITS = { timeoutMs: 10 * SECOND_MS, maxBytes: 256 * 1024 }
/** Key sets and discovery documents are cached as those of other issuers (spec: platform §2.3). */
const CACHE_MS = 10 * MINUTE_MS
const CACHE_ENTRIES_MAX = 200

export type OidcClient = ReturnType<typeof createOidcClient>

export type TokenRequest = {
  discovery: Discovery
  clientId: string
  clientSecret: string | null
  code: string
  codeVerifier: string
  redirectUri: string
}

export type FetchedDiscovery =
  | { ok: true; discovery: Discovery }
  /** Undefined reason: the provider could not be reached. */
  | { ok: false; reason: string | undefined }

export type FetchedTokens =
  | { ok: true; idToken: string; accessToken: string | undefined }
  | { ok: false; refusal: 'provider_unreachable' | 'token_refused' }

/** Speaks OpenID Connect with providers that tenants configured, through the guarded egress. */
export function createOidcClient(deps: { clock: Clock; outbound: Outbound }) {
  const limits = { clock: deps.clock, entriesMax: CACHE_ENTRIES_MAX, ttlMs: CACHE_MS }
  const documents = createCache<unknown>(limits)
  const keySets = createCache<JSONWebKeySet>(limits)

  const fetchJson = async (
    call: Pick<OutboundCall, 'url' | 'method' | 'headers' | 'body'>,
  ): Promise<{ status: number; json: unknown } | undefined> => {
    const headers = { accept: 'application/json', ...call.headers }
    // The exact error would let a caller probe the network, so nothing of it is kept.
    const answer = await deps.outbound
      .request({ ...call, ...LIMITS, headers })
      .catch(() => undefined)
    return answer && { status: answer.status, json: parseJson(answer.body) }
  }

  const getJson = async (url: string, headers: Record<string, string> = {}): Promise<unknown> => {
    const answer = await fetchJson({ url, method: 'GET', headers })
    return answer?.status === 200 ? answer.json : undefined
  }

  const fetchKeys = async (jwksUri: string): Promise<JSONWebKeySet | undefined> => {
    const keys = toKeySet(await getJson(jwksUri))
    if (keys !== undefined) keySets.set(jwksUri, keys)
    return keys
  }

  return {
    /** `isFresh` reads the provider's document again even if it is cached. */
    async discover(
      expected: { issuer: string; hasSecret: boolean },
      { isFresh }: { isFresh: boolean },
    ): Promise<FetchedDiscovery> {
      const cached = isFresh ? undefined : documents.get(expected.issuer)
      const document = cached ?? (await getJson(discoveryUrl(expected.issuer)))
      if (document === undefined) return { ok: false, reason: undefined }
      const outcome = readDiscovery(document, expected)
      if (!outcome.valid) return { ok: false, reason: outcome.reason }
      documents.set(expected.issuer, document)
      return { ok: true, discovery: outcome.discovery }
    },

    /** Exchanges an authorization code at the token endpoint (RFC 6749 §4.1.3, RFC 7636 §4.5). */
    async redeem(request: TokenRequest): Promise<FetchedTokens> {
      const { headers, body } = tokenCall(request)
      const answer = await fetchJson({
        url: request.discovery.tokenEndpoint,
        method: 'POST',
        headers,
        body,
      })
      if (answer === undefined || answer.status >= 500) {
        return { ok: false, refusal: 'provider_unreachable' }
      }
      if (answer.status !== 200 || !isJsonObject(answer.json)) {
        return { ok: false, refusal: 'token_refused' }
      }
      const { id_token: idToken, access_token: accessToken } = answer.json
      if (typeof idToken !== 'string') return { ok: false, refusal: 'token_refused' }
      return {
        ok: true,
        idToken,
        accessToken: typeof accessToken === 'string' ? accessToken : undefined,
      }
    },

    /** The claims, if one of the provider's keys signed them with an accepted algorithm. */
    async verify(idToken: string, jwksUri: string): Promise<Claims | undefined> {
      const cached = keySets.get(jwksUri)
      const claims = cached && (await verifiedClaims(idToken, cached))
      if (claims !== undefined) return claims
      // The provider may have rotated its keys since they were cached.
      const fresh = await fetchKeys(jwksUri)
      return fresh && (await verifiedClaims(idToken, fresh))
    },

    /** The UserInfo answer, or `undefined` if there is none. */
    userinfo: (url: string, accessToken: string): Promise<unknown> =>
      getJson(url, { authorization: `Bearer ${accessToken}` }),
  }
}

function tokenCall(request: TokenRequest): { headers: Record<string, string>; body: string } {
  const { discovery, clientId, clientSecret } = request
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' }
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code: request.code,
    redirect_uri: request.redirectUri,
    code_verifier: request.codeVerifier,
  })
  if (discovery.tokenAuth === 'client_secret_basic' && clientSecret !== null) {
    // RFC 6749 §2.3.1: both parts are form-encoded before they are joined.
    const credentials = [clientId, clientSecret].map(formEncode).join(':')
    headers['authorization'] = `Basic ${Buffer.from(credentials).toString('base64')}`
  } else {
    form.set('client_id', clientId)
    if (clientSecret !== null) form.set('client_secret', clientSecret)
  }
  return { headers, body: form.toString() }
}

function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

/** The key comes only from the provider's key set; keys in the token's header are never read. */
async function verifiedClaims(token: string, keys: JSONWebKeySet): Promise<Claims | undefined> {
  try {
    const { payload } = await compactVerify(token, createLocalJWKSet(keys), {
      algorithms: [...ID_TOKEN_ALGORITHMS],
    })
    const claims = parseJson(payload)
    return isJsonObject(claims) ? claims : undefined
  } catch {
    // A forged token, an algorithm that is not accepted or a broken key: refused either way.
    return undefined
  }
}

function toKeySet(document: unknown): JSONWebKeySet | undefined {
  if (!isJsonObject(document) || !Array.isArray(document['keys'])) return undefined
  const keys = document['keys'].filter(isJwk)
  return { keys }
}

function isJwk(value: unknown): value is JSONWebKeySet['keys'][number] {
  return isJsonObject(value) && typeof value['kty'] === 'string'
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

import { createHash } from 'node:crypto'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newToken } from '../../../kernel/ids.ts'
import type { AdmissionService, Identity } from './admission-service.ts'
import type { OidcConfig } from './config-store.ts'
import type { Discovery } from './discovery.ts'
import { type Claims, needsUserinfo, personOf, refuseClaims, withUserinfo } from './id-token.ts'
import { oidcSubject } from './issuer.ts'
import type { OidcClient } from './oidc-client.ts'
import type { Origin, Secrets } from './ports.ts'
import type { Refusal } from './refusal.ts'
import { createSsoStore, type PendingRequest } from './store.ts'

export type OidcDeps = {
  db: Db
  clock: Clock
  baseUrl: string
  secrets: Secrets
  client: OidcClient
  admission: AdmissionService
}

/** The query of the provider's redirect to us; every field is unchecked text. */
export type Callback = {
  code: string | undefined
  state: string | undefined
  error: string | undefined
  iss: string | undefined
}

export type Started =
  | { ok: true; url: string; request: Pick<PendingRequest, 'requestId' | 'nonce' | 'codeVerifier'> }
  | { ok: false; refusal: Refusal }

export function redirectUriOf(baseUrl: string, orgId: string): string {
  return `${baseUrl}/v1/auth/sso/${orgId}/callback`
}

export function secretPurpose(orgId: string): string {
  return `sso client secret of ${orgId}`
}

/** The authorization code flow of OpenID Connect Core 1.0 §3.1 with PKCE (RFC 7636). */
export function createOidcSignIn(deps: OidcDeps) {
  const discover = async (
    config: OidcConfig,
  ): Promise<{ ok: true; discovery: Discovery } | { ok: false; refusal: Refusal }> => {
    const { issuer, clientSecret } = config.provider
    const expected = { issuer, hasSecret: clientSecret !== null }
    const found = await deps.client.discover(expected, { isFresh: false })
    if (found.ok) return found
    const isReachable = found.reason !== undefined
    return { ok: false, refusal: isReachable ? 'provider_invalid' : 'provider_unreachable' }
  }

  return {
    async start(config: OidcConfig): Promise<Started> {
      const found = await discover(config)
      if (!found.ok) return found
      const request = { requestId: newToken(''), nonce: newToken(''), codeVerifier: newToken('') }
      const url = new URL(found.discovery.authorizationEndpoint)
      const query = {
        response_type: 'code',
        client_id: config.provider.clientId,
        redirect_uri: redirectUriOf(deps.baseUrl, config.orgId),
        scope: config.provider.scopes.join(' '),
        state: request.requestId,
        nonce: request.nonce,
        code_challenge: createHash('sha256').update(request.codeVerifier).digest('base64url'),
        code_challenge_method: 'S256',
      }
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
      return { ok: true, url: url.href, request }
    },

    /** Returns the dashboard's URL with a one-time code, or why the sign-in is refused. */
    async accept(
      config: OidcConfig,
      callback: Callback,
      by: { browserHash: string | undefined; origin: Origin },
    ): Promise<{ ok: true; url: string } | { ok: false; refusal: Refusal }> {
      const { orgId, provider } = config
      const { origin } = by
      const request = await transact(deps.db, (tx) =>
        createSsoStore(tx).takeRequest(
          { orgId, requestId: callback.state ?? '', provider: provider.issuer },
          deps.clock.now(),
        ),
      )
      // Nothing of an unknown sign-in is recorded: anybody can call this address.
      if (request === undefined) return { ok: false, refusal: 'request_unknown' }
      const outcome =
        request.browserHash === by.browserHash
          ? await identify(deps, { config, callback, request, discover })
          : failed('other_browser')
      if (!outcome.ok) {
        const refused = { orgId, refusal: outcome.refusal, origin }
        if (outcome.isAuthentic) await deps.admission.recordRefusal(refused)
        else await deps.admission.recordFailure(refused)
        return { ok: false, refusal: outcome.refusal }
      }
      const { identity } = outcome
      const url = await transact(deps.db, (tx) =>
        deps.admission.admit(tx, { config, identity, request, origin }),
      )
      return { ok: true, url }
    },
  }
}

type Identified =
  | { ok: true; identity: Identity }
  /** Authentic: the provider signed what is refused. */
  | { ok: false; refusal: Refusal; isAuthentic: boolean }

type Answered = {
  config: OidcConfig
  callback: Callback
  request: PendingRequest
  discover(
    config: OidcConfig,
  ): Promise<{ ok: true; discovery: Discovery } | { ok: false; refusal: Refusal }>
}

async function identify(deps: OidcDeps, answered: Answered): Promise<Identified> {
  const { config, callback, request } = answered
  const { provider } = config
  const found = await answered.discover(config)
  if (!found.ok) return failed(found.refusal)
  const { discovery } = found
  // RFC 9207: a response of another provider must not reach this one's token endpoint.
  const isNamed = callback.iss !== undefined
  if (isNamed ? callback.iss !== provider.issuer : discovery.namesIssuer) {
    return failed('wrong_issuer')
  }
  if (callback.error !== undefined) return failed('provider_refused')
  if (!callback.code) return failed('unreadable')
  const tokens = await deps.client.redeem({
    discovery,
    clientId: provider.clientId,
    clientSecret:
      provider.clientSecret === null
        ? null
        : deps.secrets.open(provider.clientSecret, secretPurpose(config.orgId)),
    code: callback.code,
    codeVerifier: request.codeVerifier ?? '',
    redirectUri: redirectUriOf(deps.baseUrl, config.orgId),
  })
  if (!tokens.ok) return failed(tokens.refusal)
  const claims = await deps.client.verify(tokens.idToken, discovery.jwksUri)
  if (claims === undefined) return failed('signature_invalid')
  const refusal = refuseClaims(claims, {
    issuer: provider.issuer,
    clientId: provider.clientId,
    nonce: request.nonce ?? '',
    now: deps.clock.now(),
  })
  if (refusal !== undefined) return { ok: false, refusal, isAuthentic: true }
  return readPerson(deps, config, { claims, discovery, accessToken: tokens.accessToken })
}

/** The person of a verified ID token, with the UserInfo endpoint's help if something is missing. */
async function readPerson(
  deps: OidcDeps,
  config: OidcConfig,
  found: { claims: Claims; discovery: Discovery; accessToken: string | undefined },
): Promise<Identified> {
  const { claims, discovery, accessToken } = found
  const groupsClaim = config.roleMapping.length === 0 ? undefined : config.groupsClaim
  let known = claims
  if (
    needsUserinfo(claims, { groupsClaim }) &&
    discovery.userinfoEndpoint !== undefined &&
    accessToken !== undefined
  ) {
    const userinfo = await deps.client.userinfo(discovery.userinfoEndpoint, accessToken)
    // Going on without the groups would take the role of an administrator away.
    if (userinfo === undefined) return failed('provider_unreachable')
    const merged = withUserinfo(claims, userinfo)
    if (merged === undefined) return { ok: false, refusal: 'unreadable', isAuthentic: true }
    known = merged
  }
  const read = personOf(known, config)
  if (!read.ok) return { ok: false, refusal: read.refusal, isAuthentic: true }
  const subject = oidcSubject(config.provider.issuer, String(claims['sub']))
  return { ok: true, identity: { subject, ...read.person } }
}

function failed(refusal: Refusal): Identified & { ok: false } {
  return { ok: false, refusal, isAuthentic: false }
}

import { personActor } from '../../../audit.ts'
import { later, MINUTE_MS } from '../../../kernel/clock.ts'
import { transact } from '../../../kernel/db.ts'
import { newToken, tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { type AdmissionDeps, createAdmissionService } from './admission-service.ts'
import { browserCookie, readBrowser } from './browser.ts'
import {
  createConfigStore,
  type OidcConfig,
  type SamlConfig,
  type SsoConfig,
} from './config-store.ts'
import { domainOf } from './domains.ts'
import type { OidcClient } from './oidc-client.ts'
import { type Callback, createOidcSignIn } from './oidc-sign-in-service.ts'
import { type SignInPage, signInPage } from './page.ts'
import type { Device, Origin, Plans, Secrets, TokenSet, Tokens } from './ports.ts'
import { type Refusal, refusalStatus, refusalText } from './refusal.ts'
import { type LoginStep, serviceProviderMetadata, serviceProviderOf } from './saml.ts'
import { createSamlSignIn } from './saml-sign-in-service.ts'
import { createSsoStore } from './store.ts'

/** spec: platform §4.3. */
const REQUEST_MS = 10 * MINUTE_MS

export type SignInDeps = AdmissionDeps & { secrets: Secrets; tokens: Tokens; plans: Plans }

export type { SignInPage }

/** A request of a browser that is signing in: where it comes from and what cookies it sent. */
export type Browser = Device & { cookies: string | undefined }

/** `refused` is a page for people. */
export type Return = { kind: 'redirect'; url: string } | { kind: 'refused'; page: SignInPage }
export type Login = (LoginStep & { cookie: string }) | { kind: 'refused'; page: SignInPage }

type Outcome = { ok: true; url: string } | { ok: false; refusal: Refusal }

/** The sign-in flow from the dashboard's button to tokens. */
export function createSignInService(deps: SignInDeps & { client: OidcClient }) {
  const configs = createConfigStore(deps.db)
  const admission = createAdmissionService(deps)
  const saml = createSamlSignIn({ ...deps, admission })
  const oidc = createOidcSignIn({ ...deps, admission })

  /** The configuration, unless the organisation is deleted or its plan lacks single sign-on. */
  const findActive = async (orgId: string): Promise<SsoConfig | undefined> => {
    const config = await configs.findOpen(orgId)
    return config !== undefined && (await deps.plans.includesSso(orgId)) ? config : undefined
  }

  const refused = (
    orgId: string,
    refusal: Refusal,
    origin: Origin,
  ): { kind: 'refused'; page: SignInPage } => {
    const status = refusalStatus(refusal)
    const retryUrl = `/v1/auth/sso/${encodeURIComponent(orgId)}/login`
    const page = signInPage({
      status,
      text: refusalText(refusal),
      code: refusal,
      requestId: origin.requestId,
      retryUrl: status === 404 ? undefined : retryUrl,
    })
    return { kind: 'refused', page }
  }

  const toReturn = (orgId: string, outcome: Outcome, origin: Origin): Return =>
    outcome.ok ? { kind: 'redirect', url: outcome.url } : refused(orgId, outcome.refusal, origin)

  return {
    /** The organisation that has claimed the domain of the address, if any. */
    async checkDomain(
      email: string,
    ): Promise<{ orgId: string; loginUrl: string; enforced: boolean } | undefined> {
      const domain = domainOf(email)
      const orgId = domain && (await configs.findOrgOfDomain(domain))
      const config = orgId && (await findActive(orgId))
      if (!config) return undefined
      const loginUrl = `${deps.baseUrl}/v1/auth/sso/${config.orgId}/login`
      return { orgId: config.orgId, loginUrl, enforced: config.enforced }
    },

    /**
     * Available before single sign-on is configured, because the identity provider may need it
     * first.
     */
    async metadata(orgId: string): Promise<string> {
      if (!(await deps.plans.includesSso(orgId))) throw notConfigured()
      return serviceProviderMetadata(serviceProviderOf(deps.baseUrl, orgId))
    },

    async login(
      orgId: string,
      options: { returnTo: string | null; state: string | null },
      browser: Browser,
    ): Promise<Login> {
      const config = await findActive(orgId)
      if (config === undefined) return refused(orgId, 'not_configured', browser.origin)
      const started = await start(config, { saml, oidc })
      if (!started.ok) return refused(orgId, started.refusal, browser.origin)
      // A second sign-in of the same browser must not break the first.
      const secret = readBrowser(deps.baseUrl, browser.cookies) ?? newToken('')
      const request = {
        ...options,
        ...started.request,
        orgId,
        browserHash: tokenHash(secret),
        expiresAt: later(deps.clock.now(), REQUEST_MS),
      }
      await transact(deps.db, (tx) => createSsoStore(tx).insertRequest(request))
      return { ...started.step, cookie: browserCookie(deps.baseUrl, secret) }
    },

    /** The response of a SAML provider, which the browser posts. */
    async accept(orgId: string, samlResponse: string, browser: Browser): Promise<Return> {
      const { origin } = browser
      const config = await findActive(orgId)
      if (!isSaml(config)) return refused(orgId, 'not_configured', origin)
      return toReturn(orgId, await saml.accept(config, samlResponse, origin), origin)
    },

    /** The response of an OpenID Connect provider, in the query of its redirect. */
    async callback(orgId: string, callback: Callback, browser: Browser): Promise<Return> {
      const { origin } = browser
      const config = await findActive(orgId)
      if (!isOidc(config)) return refused(orgId, 'not_configured', origin)
      const secret = readBrowser(deps.baseUrl, browser.cookies)
      const browserHash = secret === undefined ? undefined : tokenHash(secret)
      return toReturn(orgId, await oidc.accept(config, callback, { browserHash, origin }), origin)
    },

    async exchange(code: string, browser: Browser): Promise<TokenSet> {
      const { origin } = browser
      const taken = await transact(deps.db, (tx) =>
        createSsoStore(tx).takeCode(tokenHash(code), deps.clock.now()),
      )
      if (taken === undefined) throw invalidCode()
      const { orgId, userId } = taken
      const secret = readBrowser(deps.baseUrl, browser.cookies)
      if (secret === undefined || tokenHash(secret) !== taken.browserHash) {
        await admission.recordRefusal({ orgId, refusal: 'other_browser', origin })
        throw new Problem('unauthorized', refusalText('other_browser'), CHALLENGE)
      }
      const tokens = await deps.tokens.tokensFor(userId, browser).catch((err: unknown) => {
        // The account was erased after the code was issued.
        throw err instanceof Problem && err.code === 'not_found' ? invalidCode() : err
      })
      const actor = personActor(userId, origin)
      const target = { type: 'user', id: userId }
      await transact(deps.db, (tx) =>
        deps.audit.record(tx, { orgId, action: 'sso.signed_in', actor, target }),
      )
      return tokens
    },
  }
}

type Started =
  | {
      ok: true
      step: LoginStep
      request: {
        requestId: string
        provider: string
        nonce: string | null
        codeVerifier: string | null
      }
    }
  | { ok: false; refusal: Refusal }

async function start(
  config: SsoConfig,
  by: { saml: ReturnType<typeof createSamlSignIn>; oidc: ReturnType<typeof createOidcSignIn> },
): Promise<Started> {
  if (isOidc(config)) {
    const started = await by.oidc.start(config)
    if (!started.ok) return started
    const request = { ...started.request, provider: config.provider.issuer }
    return { ok: true, step: { kind: 'redirect', url: started.url }, request }
  }
  if (!isSaml(config)) return { ok: false, refusal: 'not_configured' }
  const { step, requestId } = await by.saml.start(config)
  const { entityId: provider } = config.provider
  return { ok: true, step, request: { requestId, provider, nonce: null, codeVerifier: null } }
}

function isSaml(config: SsoConfig | undefined): config is SamlConfig {
  return config?.provider.protocol === 'saml'
}

function isOidc(config: SsoConfig | undefined): config is OidcConfig {
  return config?.provider.protocol === 'oidc'
}

export function notConfigured(): Problem {
  return new Problem('not_found', refusalText('not_configured'))
}

const CHALLENGE = { headers: { 'www-authenticate': 'Bearer' } }

function invalidCode(): Problem {
  return new Problem(
    'unauthorized',
    'The code is invalid, used or expired. Sign in again.',
    CHALLENGE,
  )
}

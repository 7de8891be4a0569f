import { type Audit, personActor, SYSTEM_ACTOR } from '../../../audit.ts'
import { type Clock, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newToken, tokenHash } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Identity } from './assertion.ts'
import { domainOf } from './domains.ts'
import { issuerOf } from './issuer.ts'
import type { Memberships, Origin, People, Plans, TokenSet, Tokens } from './ports.ts'
import { type Refusal, refusalText } from './refusal.ts'
import {
  type LoginStep,
  loginStep,
  readResponse,
  serviceProviderMetadata,
  serviceProviderOf,
} from './saml.ts'
import { createSsoStore, type PendingRequest, type SsoConfig } from './store.ts'

/** spec: platform §4.3. */
const REQUEST_MS = 10 * MINUTE_MS
const CODE_MS = 60 * SECOND_MS

export type SignInDeps = {
  db: Db
  clock: Clock
  audit: Audit
  baseUrl: string
  people: People
  memberships: Memberships
  tokens: Tokens
  plans: Plans
}

/** The sign-in flow from the dashboard's button to tokens. */
export function createSignInService(deps: SignInDeps) {
  const store = createSsoStore(deps.db)
  return {
    /** The organisation that has claimed the domain of the address, if any. */
    async checkDomain(
      email: string,
    ): Promise<{ orgId: string; loginUrl: string; enforced: boolean } | undefined> {
      const domain = domainOf(email)
      const orgId = domain && (await store.findOrgOfDomain(domain))
      const config = orgId && (await findActive(deps, orgId))
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
    ): Promise<LoginStep> {
      const config = await getActive(deps, orgId)
      // An xs:ID starts with a letter or an underscore.
      const requestId = newToken('_')
      const expiresAt = later(deps.clock.now(), REQUEST_MS)
      const step = await loginStep(
        serviceProviderOf(deps.baseUrl, orgId),
        config.provider,
        requestId,
      )
      await transact(deps.db, (tx) =>
        createSsoStore(tx).insertRequest({ ...options, requestId, orgId, expiresAt }),
      )
      return step
    },

    /**
     * Accepts the identity provider's response and returns the dashboard's URL with a one-time
     * code.
     */
    async accept(orgId: string, samlResponse: string, origin: Origin): Promise<string> {
      const config = await getActive(deps, orgId)
      const read = await readResponse(samlResponse, {
        sp: serviceProviderOf(deps.baseUrl, orgId),
        provider: config.provider,
        allowedDomains: config.allowedDomains,
        now: deps.clock.now(),
      })
      if (!read.ok) {
        if (read.authentic) await recordRefusal(deps, { orgId, refusal: read.refusal, origin })
        throw refused(read.refusal)
      }
      const { identity } = read
      const admitted = await transact(deps.db, (tx) =>
        admit(deps, tx, { config, identity, origin }),
      )
      if (typeof admitted === 'string') {
        await recordRefusal(deps, { orgId, refusal: admitted, origin })
        throw refused(admitted)
      }
      return dashboardUrl(deps.baseUrl, admitted)
    },

    async exchange(code: string): Promise<TokenSet> {
      const taken = await transact(deps.db, (tx) =>
        createSsoStore(tx).takeCode(tokenHash(code), deps.clock.now()),
      )
      if (taken === undefined) throw invalidCode()
      return deps.tokens.tokensFor(taken.userId).catch((err: unknown) => {
        // The account was erased after the code was issued.
        throw err instanceof Problem && err.code === 'not_found' ? invalidCode() : err
      })
    },
  }
}

type Admitted = { code: string; request: PendingRequest }

/**
 * Uses up assertion and request, finds or creates the person and adds them to the organisation if
 * they are not a member. A person whom an administrator removed becomes a member again if they can
 * still sign in: with single sign-on the identity provider decides who belongs, so people must be
 * removed there.
 */
async function admit(
  deps: SignInDeps,
  tx: Db,
  input: { config: SsoConfig; identity: Identity; origin: Origin },
): Promise<Admitted | Refusal> {
  const { identity, origin } = input
  const { orgId, defaultRole } = input.config
  const store = createSsoStore(tx)
  const now = deps.clock.now()
  if (!(await store.useAssertion(orgId, identity.assertionId, identity.expiresAt))) {
    return 'replayed'
  }
  const request = await store.takeRequest(orgId, identity.inResponseTo, now)
  if (request === undefined) return 'request_unknown'
  const { userId } = await deps.people.findOrCreate(tx, {
    issuer: issuerOf(orgId),
    subject: identity.nameId,
    email: identity.email,
    // The organisation runs the provider and only claims the domain, so the address is unverified.
    emailVerified: false,
    name: identity.name,
    origin,
  })
  const actor = personActor(userId, origin)
  const target = { type: 'user', id: userId }
  if (await joinOnce(deps, tx, { orgId, userId, role: defaultRole })) {
    const changes = { role: { from: null, to: defaultRole } }
    await deps.audit.record(tx, { orgId, action: 'sso.member_joined', actor, target, changes })
  }
  await deps.audit.record(tx, { orgId, action: 'sso.signed_in', actor, target })
  const code = newToken('tso_')
  const expiresAt = later(now, CODE_MS)
  await store.insertCode({ codeHash: tokenHash(code), orgId, userId, expiresAt })
  return { code, request }
}

/** Returns false if the person is a member already, whose role then stays unchanged. */
async function joinOnce(
  deps: SignInDeps,
  tx: Db,
  seat: Parameters<Memberships['join']>[1],
): Promise<boolean> {
  try {
    await deps.memberships.join(tx, seat)
    return true
  } catch (err) {
    if (err instanceof Problem && err.code === 'conflict') return false
    throw err
  }
}

/**
 * Call only for assertions that the identity provider signed, so that strangers cannot fill the
 * log.
 */
async function recordRefusal(
  deps: SignInDeps,
  input: { orgId: string; refusal: Refusal; origin: Origin },
): Promise<void> {
  await transact(deps.db, (tx) =>
    deps.audit.record(tx, {
      orgId: input.orgId,
      action: 'sso.sign_in_refused',
      actor: { ...SYSTEM_ACTOR, ...input.origin },
      target: { type: 'sso', id: input.orgId },
      changes: { reason: { from: null, to: input.refusal } },
    }),
  )
}

function dashboardUrl(baseUrl: string, { code, request }: Admitted): string {
  const query = new URLSearchParams({
    code,
    ...(request.returnTo === null ? {} : { return_to: request.returnTo }),
    ...(request.state === null ? {} : { state: request.state }),
  })
  return `${baseUrl}/sign-in/sso?${query}`
}

/** The configuration, unless the organisation is deleted or its plan lacks single sign-on. */
async function findActive(deps: SignInDeps, orgId: string): Promise<SsoConfig | undefined> {
  const config = await createSsoStore(deps.db).findOpen(orgId)
  return config !== undefined && (await deps.plans.includesSso(orgId)) ? config : undefined
}

async function getActive(deps: SignInDeps, orgId: string): Promise<SsoConfig> {
  const config = await findActive(deps, orgId)
  if (config === undefined) throw notConfigured()
  return config
}

export function notConfigured(): Problem {
  return new Problem('not_found', 'Single sign-on is not configured for this organisation.')
}

function invalidCode(): Problem {
  return new Problem('unauthorized', 'The code is invalid, used or expired. Sign in again.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function refused(refusal: Refusal): Problem {
  return new Problem('forbidden', refusalText(refusal))
}

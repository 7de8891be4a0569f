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

/** 04 §4.3. */
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

/** From a click on the dashboard's button to tokens. */
export function createSignInService(deps: SignInDeps) {
  const store = createSsoStore(deps.db)
  return {
    /** The organisation an address signs in to, if its domain is one's own. */
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

    /** Also before anything is set up: the identity provider may want to know us first. */
    async metadata(orgId: string): Promise<string> {
      if (!(await deps.plans.includesSso(orgId))) throw notConfigured()
      return serviceProviderMetadata(serviceProviderOf(deps.baseUrl, orgId))
    },

    async login(
      orgId: string,
      wishes: { returnTo: string | null; state: string | null },
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
        createSsoStore(tx).insertRequest({ ...wishes, requestId, orgId, expiresAt }),
      )
      return step
    },

    /** From the identity provider's answer to the dashboard's address with a one-time code. */
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
      if (taken === undefined) throw codeOver()
      return deps.tokens.tokensFor(taken.userId).catch((err: unknown) => {
        // The account was erased within the code's minute.
        throw err instanceof Problem && err.code === 'not_found' ? codeOver() : err
      })
    },
  }
}

type Arrival = { code: string; request: PendingRequest }

/**
 * Lets the person in: assertion and request are used up, the person is found or made, and a seat
 * is taken if there is none. Whoever was removed by an administrator but still passes the identity
 * provider sits again: with single sign-on the provider says who belongs, so people are kept out
 * there.
 */
async function admit(
  deps: SignInDeps,
  tx: Db,
  input: { config: SsoConfig; identity: Identity; origin: Origin },
): Promise<Arrival | Refusal> {
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
    // The domain is the organisation's claim and the provider is its own, so nobody proved it.
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

/** False when the person had a seat; its role then stays what it is. */
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

/** Only of what the identity provider signed: strangers must not be able to fill the log. */
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

function dashboardUrl(baseUrl: string, { code, request }: Arrival): string {
  const query = new URLSearchParams({
    code,
    ...(request.returnTo === null ? {} : { return_to: request.returnTo }),
    ...(request.state === null ? {} : { state: request.state }),
  })
  return `${baseUrl}/sign-in/sso?${query}`
}

/** Set up, in a living organisation whose plan includes it. */
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
  return new Problem('not_found', 'This organisation has no single sign-on.')
}

function codeOver(): Problem {
  return new Problem('unauthorized', 'The code is wrong, used or expired. Sign in again.', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function refused(refusal: Refusal): Problem {
  return new Problem('forbidden', refusalText(refusal))
}

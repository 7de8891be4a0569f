import { createHash } from 'node:crypto'
import {
  type Actor,
  type Audit,
  changesBetween,
  personActor,
  SYSTEM_ACTOR,
} from '../../../kernel/audit.ts'
import { type Clock, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, isUniqueViolation, transact } from '../../../kernel/db.ts'
import { newToken, tokenHash } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Identity } from './assertion.ts'
import { domainOf, toDomain } from './domains.ts'
import { createEnforcement } from './enforcement.ts'
import { type IdentityProvider, type MetadataOutcome, readMetadata } from './metadata.ts'
import type { Memberships, Origin, Outbound, People, Plans, TokenSet, Tokens } from './ports.ts'
import { type Refusal, refusalText } from './refusal.ts'
import {
  type LoginStep,
  loginStep,
  readResponse,
  type ServiceProvider,
  serviceProviderMetadata,
} from './saml.ts'
import { createSsoStore, type PendingRequest, type SsoConfig, type SsoFields } from './store.ts'
import { decodeUtf8 } from './xml.ts'

/** 04 §4.3. */
const METADATA_LIMITS = { timeoutMs: 10 * SECOND_MS, maxBytes: 1024 * 1024 }
const REQUEST_MS = 10 * MINUTE_MS
const CODE_MS = 60 * SECOND_MS

export type SsoDeps = {
  db: Db
  clock: Clock
  audit: Audit
  notices: Notices
  baseUrl: string
  outbound: Outbound
  people: People
  memberships: Memberships
  tokens: Tokens
  plans: Plans
}

export type SsoView = { config: SsoConfig; sp: ServiceProvider }

export type SsoService = ReturnType<typeof createSsoService>

export function createSsoService(deps: SsoDeps) {
  const enforcement = createEnforcement(deps)
  return {
    ...configuration(deps, enforcement.forget),
    ...signIn(deps),

    /** Which of these organisations accept no other sign-in than their own, owners excepted. */
    enforcedOrgs: enforcement.enforcedOrgs,

    /** A deleted organisation keeps its domains until it is erased, so that it can come back. */
    async erase(tx: Db, orgId: string): Promise<void> {
      const store = createSsoStore(tx)
      await store.delete(orgId)
      await store.deleteAssertionsOf(orgId)
    },

    /** Requests, codes and used assertions that are past their time; returns how many. */
    purge: (now: Date): Promise<number> =>
      transact(deps.db, (tx) => createSsoStore(tx).deleteExpired(now)),
  }
}

function configuration(deps: SsoDeps, forget: (orgId: string) => void) {
  const store = createSsoStore(deps.db)
  return {
    async find(orgId: string): Promise<SsoView | undefined> {
      const config = await store.find(orgId)
      return config && { config, sp: spOf(deps, orgId) }
    },

    async configure(input: { orgId: string; actor: Actor; fields: SsoFields }): Promise<SsoView> {
      const allowedDomains = toDomains(input.fields.allowedDomains)
      const outcome = await fetchMetadata(deps, input.fields.metadataUrl)
      if (!outcome.valid) throw new Problem('invalid_request', outcome.reason)
      const fields = { ...input.fields, allowedDomains }
      const config = await domainConflict(() =>
        transact(deps.db, (tx) => save(deps, tx, { ...input, fields, provider: outcome.provider })),
      )
      forget(input.orgId)
      return { config, sp: spOf(deps, input.orgId) }
    },

    async remove(orgId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const before = await createSsoStore(tx).lock(orgId)
        if (before === undefined) throw notConfigured()
        await createSsoStore(tx).delete(orgId)
        await deps.notices.publish(tx, 'sso', orgId)
        await deps.audit.record(tx, {
          orgId,
          action: 'sso.removed',
          actor,
          target: { type: 'sso', id: orgId },
          changes: { entity_id: { from: before.provider.entityId, to: null } },
        })
      })
      forget(orgId)
    },

    /** Stores nothing. */
    async test(
      orgId: string,
      given: string | undefined,
    ): Promise<{ metadataUrl: string; error: string | null }> {
      const metadataUrl = given ?? (await store.find(orgId))?.metadataUrl
      if (metadataUrl === undefined) {
        throw new Problem('invalid_request', 'metadata_url: is required while none is stored')
      }
      const outcome = await fetchMetadata(deps, metadataUrl)
      return { metadataUrl, error: outcome.valid ? null : outcome.reason }
    },
  }
}

async function fetchMetadata(deps: SsoDeps, url: string): Promise<MetadataOutcome> {
  await deps.outbound.assertAllowed(url)
  const bytes = await deps.outbound.get(url, METADATA_LIMITS).catch((err: unknown) => {
    if (err instanceof Problem) throw err
    // What exactly failed would map the network for whoever types addresses here.
    return undefined
  })
  if (bytes === undefined) {
    const reason =
      'The metadata could not be fetched: it must answer 200 within 10 seconds, with at most 1 MiB.'
    return { valid: false, reason }
  }
  const text = decodeUtf8(bytes)
  if (text === undefined) return { valid: false, reason: 'The metadata is not UTF-8 text.' }
  return readMetadata(text, deps.clock.now())
}

async function save(
  deps: SsoDeps,
  tx: Db,
  input: { orgId: string; actor: Actor; fields: SsoFields; provider: IdentityProvider },
): Promise<SsoConfig> {
  const store = createSsoStore(tx)
  const { orgId, fields, provider } = input
  const before = await store.lock(orgId)
  const now = deps.clock.now()
  const after = { ...fields, orgId, provider, createdAt: before?.createdAt ?? now, updatedAt: now }
  await store.save(after)
  await deps.notices.publish(tx, 'sso', orgId)
  await deps.audit.record(tx, {
    orgId,
    action: before === undefined ? 'sso.configured' : 'sso.updated',
    actor: input.actor,
    target: { type: 'sso', id: orgId },
    changes: changesBetween(before === undefined ? {} : auditFields(before), auditFields(after)),
  })
  return after
}

function auditFields(config: SsoConfig): Record<string, unknown> {
  return {
    metadata_url: config.metadataUrl,
    idp_name: config.idpName,
    default_role: config.defaultRole,
    allowed_domains: config.allowedDomains.join(' '),
    enforced: config.enforced,
    entity_id: config.provider.entityId,
    sso_url: config.provider.ssoUrl,
    certificates_sha256: config.provider.certificates.map(fingerprint).join(' '),
  }
}

function fingerprint(der: string): string {
  return createHash('sha256').update(Buffer.from(der, 'base64')).digest('hex')
}

function signIn(deps: SsoDeps) {
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
      return serviceProviderMetadata(spOf(deps, orgId))
    },

    async login(
      orgId: string,
      wishes: { returnTo: string | null; state: string | null },
    ): Promise<LoginStep> {
      const config = await getActive(deps, orgId)
      // An xs:ID starts with a letter or an underscore.
      const requestId = newToken('_')
      const expiresAt = later(deps.clock.now(), REQUEST_MS)
      const step = await loginStep(spOf(deps, orgId), config.provider, requestId)
      await transact(deps.db, (tx) =>
        createSsoStore(tx).insertRequest({ ...wishes, requestId, orgId, expiresAt }),
      )
      return step
    },

    /** From the identity provider's answer to the dashboard's address with a one-time code. */
    async accept(orgId: string, samlResponse: string, origin: Origin): Promise<string> {
      const config = await getActive(deps, orgId)
      const read = await readResponse(samlResponse, {
        sp: spOf(deps, orgId),
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
      if (taken !== undefined) return deps.tokens.tokensFor(taken.userId)
      throw new Problem('unauthorized', 'The code is wrong, used or expired. Sign in again.', {
        headers: { 'www-authenticate': 'Bearer' },
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
  deps: SsoDeps,
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
  deps: SsoDeps,
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
  deps: SsoDeps,
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

/** People of this issuer reach the one organisation only (04 §4.3). */
function issuerOf(orgId: string): string {
  return `saml:${orgId}`
}

function spOf(deps: SsoDeps, orgId: string): ServiceProvider {
  const base = `${deps.baseUrl}/v1/auth/sso/${orgId}`
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs` }
}

/** Set up, in a living organisation whose plan includes it. */
async function findActive(deps: SsoDeps, orgId: string): Promise<SsoConfig | undefined> {
  const config = await createSsoStore(deps.db).find(orgId)
  return config !== undefined && (await deps.plans.includesSso(orgId)) ? config : undefined
}

async function getActive(deps: SsoDeps, orgId: string): Promise<SsoConfig> {
  const config = await findActive(deps, orgId)
  if (config === undefined) throw notConfigured()
  return config
}

/** Sorted, so that two organisations never lock each other's domains crosswise. */
function toDomains(given: readonly string[]): string[] {
  const domains = given.map((text) => {
    const domain = toDomain(text)
    if (domain !== undefined) return domain
    throw new Problem('invalid_request', 'allowed_domains: each must be a mail domain.')
  })
  return [...new Set(domains)].sort()
}

async function domainConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    if (!isUniqueViolation(err, 'sso_domain_pkey')) throw err
    const message = 'One of allowed_domains belongs to another organisation.'
    throw new Problem('conflict', message, { cause: err })
  }
}

function notConfigured(): Problem {
  return new Problem('not_found', 'This organisation has no single sign-on.')
}

function refused(refusal: Refusal): Problem {
  return new Problem('forbidden', refusalText(refusal))
}

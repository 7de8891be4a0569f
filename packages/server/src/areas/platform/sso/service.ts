import { createHash } from 'node:crypto'
import { type Actor, changesBetween } from '../../../audit.ts'
import { SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, isUniqueViolation, transact } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import { toDomain } from './domains.ts'
import { createEnforcement, SSO_TOPIC } from './enforcement-service.ts'
import { issuerOf } from './issuer.ts'
import { type IdentityProvider, type MetadataOutcome, readMetadata } from './metadata.ts'
import type { Outbound } from './ports.ts'
import { type ServiceProvider, serviceProviderOf } from './saml.ts'
import { createSignInService, notConfigured, type SignInDeps } from './sign-in-service.ts'
import { createSsoStore, type SsoConfig, type SsoFields } from './store.ts'
import { decodeUtf8 } from './xml.ts'

/** spec: platform §4.3. */
const METADATA_LIMITS = { timeoutMs: 10 * SECOND_MS, maxBytes: 1024 * 1024 }

export type SsoDeps = SignInDeps & { notices: Notices; outbound: Outbound }

export type SsoView = { config: SsoConfig; sp: ServiceProvider }

export type SsoService = ReturnType<typeof createSsoService>

export function createSsoService(deps: SsoDeps) {
  const enforcement = createEnforcement(deps)
  const configuration = createConfigurationMethods(deps, enforcement.forget)
  const signIns = createSignInService(deps)
  return {
    find: configuration.find,
    configure: configuration.configure,
    remove: configuration.remove,
    test: configuration.test,

    checkDomain: signIns.checkDomain,
    metadata: signIns.metadata,
    login: signIns.login,
    accept: signIns.accept,
    exchange: signIns.exchange,

    /**
     * The organisations among these that accept only their own single sign-on, except for owners.
     */
    enforcedOrgs: enforcement.enforcedOrgs,

    close: lifecycle.close,
    reopen: lifecycle.reopen,
    erase: lifecycle.erase,

    /** Deletes expired requests, codes and used assertions; returns how many. */
    purge: (now: Date): Promise<number> =>
      transact(deps.db, (tx) => createSsoStore(tx).deleteExpired(now)),
  }
}

/**
 * Reactions to the deletion, restoration and erasure of an organisation. A deleted organisation
 * keeps its configuration and domains until it is erased, so that it can be restored, but nobody
 * can sign in with them.
 */
const lifecycle = {
  close: (tx: Db, orgId: OrgId): Promise<void> => createSsoStore(tx).setClosed(orgId, true),

  reopen: (tx: Db, orgId: OrgId): Promise<void> => createSsoStore(tx).setClosed(orgId, false),

  async erase(tx: Db, orgId: OrgId): Promise<void> {
    const store = createSsoStore(tx)
    await store.delete(orgId)
    await store.deleteAssertionsOf(orgId)
  },
}

function createConfigurationMethods(deps: SsoDeps, evict: (orgId: string) => void) {
  const store = createSsoStore(deps.db)
  return {
    async find(orgId: string): Promise<SsoView | undefined> {
      const config = await store.find(orgId)
      return config && { config, sp: serviceProviderOf(deps.baseUrl, orgId) }
    },

    async configure(input: { orgId: string; actor: Actor; fields: SsoFields }): Promise<SsoView> {
      const allowedDomains = toDomains(input.fields.allowedDomains)
      const outcome = await fetchMetadata(deps, input.fields.metadataUrl)
      if (!outcome.valid) throw new Problem('invalid_request', outcome.reason)
      const fields = { ...input.fields, allowedDomains }
      const config = await domainConflict(() =>
        transact(deps.db, (tx) => save(deps, tx, { ...input, fields, provider: outcome.provider })),
      )
      evict(input.orgId)
      return { config, sp: serviceProviderOf(deps.baseUrl, input.orgId) }
    },

    async remove(orgId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const before = await createSsoStore(tx).lock(orgId)
        if (before === undefined) throw notConfigured()
        await createSsoStore(tx).delete(orgId)
        await deps.tokens.revokeIssuer(tx, issuerOf(orgId))
        await deps.notices.publish(tx, SSO_TOPIC, orgId)
        await deps.audit.record(tx, {
          orgId,
          action: 'sso.removed',
          actor,
          target: { type: 'sso', id: orgId },
          changes: { entity_id: { from: before.provider.entityId, to: null } },
        })
      })
      evict(orgId)
    },

    /** Checks the metadata without storing anything. */
    async test(
      orgId: string,
      given: string | undefined,
    ): Promise<{ metadataUrl: string; error: string | null }> {
      const metadataUrl = given ?? (await store.find(orgId))?.metadataUrl
      if (metadataUrl === undefined) {
        throw new Problem('invalid_request', 'metadata_url: is required because none is stored')
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
    // The exact error would let a caller probe the network, so it is not returned.
    return undefined
  })
  if (bytes === undefined) {
    const reason =
      'The metadata could not be fetched: the URL must answer 200 within 10 seconds with at most 1 MiB.'
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
  await deps.notices.publish(tx, SSO_TOPIC, orgId)
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

/** Sorted, so that two organisations that claim the same domains cannot deadlock. */
function toDomains(given: readonly string[]): string[] {
  const domains = given.map((text) => {
    const domain = toDomain(text)
    if (domain !== undefined) return domain
    throw new Problem(
      'invalid_request',
      'allowed_domains: each must be an e-mail domain such as example.com.',
    )
  })
  return [...new Set(domains)].sort()
}

async function domainConflict<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    if (!isUniqueViolation(err, 'sso_domain_pkey')) throw err
    const message = 'allowed_domains: one of them belongs to another organisation.'
    throw new Problem('conflict', message, { cause: err })
  }
}

import { createHash } from 'node:crypto'
import { type Actor, changesBetween } from '../../../audit.ts'
import { SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, isUniqueViolation, transact } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  type CommonFields,
  createConfigStore,
  type OidcProvider,
  type SamlProvider,
  type SsoConfig,
} from './config-store.ts'
import { ISSUER_LENGTH_MAX, isIssuer } from './discovery.ts'
import { toDomain } from './domains.ts'
import { SSO_TOPIC } from './enforcement-service.ts'
import { issuerOf } from './issuer.ts'
import { type MetadataOutcome, readMetadata } from './metadata.ts'
import type { OidcClient } from './oidc-client.ts'
import { redirectUriOf, secretPurpose } from './oidc-sign-in-service.ts'
import type { Outbound } from './ports.ts'
import { type ServiceProvider, serviceProviderOf } from './saml.ts'
import { notConfigured, type SignInDeps } from './sign-in-service.ts'
import { decodeUtf8 } from './xml.ts'

/** spec: platform §4.3. */
const METADATA_LIMITS = { timeoutMs: 10 * SECOND_MS, maxBytes: 1024 * 1024 }

export type SamlFields = { protocol: 'saml'; metadataUrl: string }
export type OidcFields = {
  protocol: 'oidc'
  issuer: string
  clientId: string
  /** Undefined keeps the stored one, null removes it (a public client). */
  clientSecret: string | null | undefined
  scopes: readonly string[]
}
export type SsoFields = CommonFields & { connection: SamlFields | OidcFields }

export type SsoView = { config: SsoConfig; sp: ServiceProvider; redirectUri: string }

export type TestTarget = { metadataUrl: string } | { issuer: string }
export type Tested = { target: TestTarget; error: string | null }

export type ConfigDeps = SignInDeps & { notices: Notices; outbound: Outbound }

type Deps = ConfigDeps & { client: OidcClient; evict(orgId: string): void }

export function createConfigService(deps: Deps) {
  const store = createConfigStore(deps.db)
  const toView = (config: SsoConfig): SsoView => ({
    config,
    sp: serviceProviderOf(deps.baseUrl, config.orgId),
    redirectUri: redirectUriOf(deps.baseUrl, config.orgId),
  })
  return {
    async find(orgId: string): Promise<SsoView | undefined> {
      const config = await store.find(orgId)
      return config && toView(config)
    },

    async configure(input: { orgId: string; actor: Actor; fields: SsoFields }): Promise<SsoView> {
      const { connection, ...given } = input.fields
      const common = { ...given, allowedDomains: toDomains(given.allowedDomains) }
      const toProvider =
        connection.protocol === 'saml'
          ? await samlProvider(deps, connection)
          : await oidcProvider(deps, input.orgId, connection)
      const config = await domainConflict(() =>
        transact(deps.db, (tx) => save(deps, tx, { ...input, common, toProvider })),
      )
      deps.evict(input.orgId)
      return toView(config)
    },

    async remove(orgId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const before = await createConfigStore(tx).lock(orgId)
        if (before === undefined) throw notConfigured()
        await createConfigStore(tx).delete(orgId)
        await deps.tokens.revokeIssuer(tx, issuerOf(before.provider.protocol, orgId))
        await deps.notices.publish(tx, SSO_TOPIC, orgId)
        await deps.audit.record(tx, {
          orgId,
          action: 'sso.removed',
          actor,
          target: { type: 'sso', id: orgId },
          changes: { provider: { from: nameOf(before), to: null } },
        })
      })
      deps.evict(orgId)
    },

    /** Checks a provider without storing anything: the given one, otherwise the stored one. */
    async test(orgId: string, given: TestTarget | undefined): Promise<Tested> {
      const stored = await store.find(orgId)
      const target = given ?? (stored && targetOf(stored))
      if (target === undefined) {
        throw new Problem(
          'invalid_request',
          'metadata_url or issuer: one is required because no configuration is stored.',
        )
      }
      if ('metadataUrl' in target) {
        const outcome = await fetchMetadata(deps, target.metadataUrl)
        return { target, error: outcome.valid ? null : outcome.reason }
      }
      const known = stored?.provider
      const hasSecret = known?.protocol === 'oidc' && known.clientSecret !== null
      return { target, error: await refuseIssuer(deps, { issuer: target.issuer, hasSecret }) }
    },
  }
}

function targetOf({ provider }: SsoConfig): TestTarget {
  return provider.protocol === 'saml'
    ? { metadataUrl: provider.metadataUrl }
    : { issuer: provider.issuer }
}

type Provider = SamlProvider | OidcProvider
/** The stored configuration decides about a secret that the request leaves out. */
type ToProvider = (before: SsoConfig | undefined) => Provider

async function samlProvider(deps: Deps, fields: SamlFields): Promise<ToProvider> {
  const outcome = await fetchMetadata(deps, fields.metadataUrl)
  if (!outcome.valid) throw new Problem('invalid_request', outcome.reason)
  return () => ({ ...outcome.provider, protocol: 'saml', metadataUrl: fields.metadataUrl })
}

async function oidcProvider(deps: Deps, orgId: string, fields: OidcFields): Promise<ToProvider> {
  const { issuer, clientId, clientSecret, scopes } = fields
  const hasSecret = clientSecret !== null
  const error = await refuseIssuer(deps, { issuer, hasSecret })
  if (error !== null) throw new Problem('invalid_request', `issuer: ${error}`)
  const given =
    typeof clientSecret === 'string'
      ? deps.secrets.seal(clientSecret, secretPurpose(orgId))
      : clientSecret
  return (before) => {
    const kept = given === undefined ? keptSecret(before, fields) : given
    return { protocol: 'oidc', issuer, clientId, clientSecret: kept, scopes }
  }
}

/** A secret is never sent to another provider than the one that it was given for. */
function keptSecret(before: SsoConfig | undefined, fields: OidcFields): string | null {
  const known = before?.provider
  const { issuer, clientId } = fields
  if (known?.protocol === 'oidc' && known.issuer === issuer && known.clientId === clientId) {
    return known.clientSecret
  }
  const message =
    'client_secret: is required for a new issuer or client_id; null for a public client.'
  throw new Problem('invalid_request', message)
}

/** Why the provider cannot be used, or null. Throws if its addresses are not allowed. */
async function refuseIssuer(
  deps: Deps,
  expected: { issuer: string; hasSecret: boolean },
): Promise<string | null> {
  if (!isIssuer(expected.issuer)) {
    return `Must be a URL of at most ${ISSUER_LENGTH_MAX} characters without query and fragment.`
  }
  await deps.outbound.assertAllowed(expected.issuer, 'issuer')
  const found = await deps.client.discover(expected, { isFresh: true })
  if (!found.ok) {
    return (
      found.reason ??
      'The discovery document could not be fetched: /.well-known/openid-configuration must answer 200 with JSON within 10 seconds.'
    )
  }
  const { tokenEndpoint, jwksUri, userinfoEndpoint } = found.discovery
  for (const url of [tokenEndpoint, jwksUri, userinfoEndpoint]) {
    if (url !== undefined) await deps.outbound.assertAllowed(url, 'issuer')
  }
  return null
}

async function fetchMetadata(deps: Deps, url: string): Promise<MetadataOutcome> {
  await deps.outbound.assertAllowed(url, 'metadata_url')
  const answer = await deps.outbound
    .request({ url, method: 'GET', ...METADATA_LIMITS })
    // The exact error would let a caller probe the network, so it is not returned.
    .catch(() => undefined)
  if (answer?.status !== 200) {
    const reason =
      'The metadata could not be fetched: the URL must answer 200 within 10 seconds with at most 1 MiB.'
    return { valid: false, reason }
  }
  const text = decodeUtf8(answer.body)
  if (text === undefined) return { valid: false, reason: 'The metadata is not UTF-8 text.' }
  return readMetadata(text, deps.clock.now())
}

async function save(
  deps: Deps,
  tx: Db,
  input: { orgId: string; actor: Actor; common: CommonFields; toProvider: ToProvider },
): Promise<SsoConfig> {
  const store = createConfigStore(tx)
  const { orgId, common } = input
  const before = await store.lock(orgId)
  const now = deps.clock.now()
  const provider = input.toProvider(before)
  const after = { ...common, orgId, provider, createdAt: before?.createdAt ?? now, updatedAt: now }
  await store.save(after)
  if (before !== undefined && before.provider.protocol !== provider.protocol) {
    await deps.tokens.revokeIssuer(tx, issuerOf(before.provider.protocol, orgId))
  }
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
    protocol: config.provider.protocol,
    idp_name: config.idpName,
    default_role: config.defaultRole,
    role_mapping: config.roleMapping.map(({ group, role }) => `${group}: ${role}`).join(', '),
    groups_claim: config.groupsClaim,
    allowed_domains: config.allowedDomains.join(' '),
    enforced: config.enforced,
    ...auditProvider(config.provider),
  }
}

function auditProvider(provider: Provider): Record<string, unknown> {
  if (provider.protocol === 'saml') {
    return {
      metadata_url: provider.metadataUrl,
      entity_id: provider.entityId,
      sso_url: provider.ssoUrl,
      certificates_sha256: provider.certificates.map(fingerprint).join(' '),
    }
  }
  return {
    issuer: provider.issuer,
    client_id: provider.clientId,
    // Its hash, which says that it changed; a secret itself never enters the log.
    client_secret_sha256:
      provider.clientSecret === null
        ? null
        : createHash('sha256').update(provider.clientSecret).digest('hex'),
    scopes: provider.scopes.join(' '),
  }
}

function nameOf({ provider }: SsoConfig): string {
  return provider.protocol === 'saml' ? provider.entityId : provider.issuer
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

import { Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Email, Nullable } from '../../../http/wire.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { OidcFields, SamlFields, SsoView, Tested, TestTarget } from './config-service.ts'
import { ISSUER_LENGTH_MAX } from './discovery.ts'
import { JOINING_ROLES } from './roles.ts'

/** An outbound URL has at most 2048 characters (spec: platform §5.2). */
const MetadataUrl = Type.String({ minLength: 1, maxLength: 2048 })
const JoiningRole = NamedEnum('JoiningRole', [...JOINING_ROLES])

const Issuer = Type.String({ minLength: 1, maxLength: ISSUER_LENGTH_MAX })
const RoleMapping = Type.Array(
  NamedObject('SsoRoleMapping', {
    group: Type.String({ minLength: 1, maxLength: 256 }),
    role: JoiningRole,
  }),
  { maxItems: 100, description: 'the highest role of a person’s groups wins, at every sign-in' },
)

export const SsoSettings = NamedObject('SsoSettings', {
  protocol: Type.Optional(NamedEnum('SsoProtocol', ['saml', 'oidc'], { default: 'saml' })),
  metadata_url: Type.Optional(MetadataUrl),
  issuer: Type.Optional(Issuer),
  client_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' }),
  ),
  client_secret: Type.Optional(
    Nullable(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        pattern: '^[\\x20-\\x7e]+$',
        description: 'never answered; if absent, the stored one is kept; null for a public client',
      }),
    ),
  ),
  scopes: Type.Optional(
    Type.Array(
      Type.String({ minLength: 1, maxLength: 100, pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]+$' }),
      {
        maxItems: 20,
        description: 'openid is always requested; default openid, email and profile',
      },
    ),
  ),
  idp_name: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  default_role: Type.Optional(JoiningRole),
  role_mapping: Type.Optional(RoleMapping),
  groups_claim: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      default: 'groups',
      description: 'the claim or SAML attribute that lists a person’s groups',
    }),
  ),
  allowed_domains: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    minItems: 1,
    maxItems: 20,
    description: 'e-mail domains; each belongs to at most one organisation',
  }),
  enforced: Type.Optional(Type.Boolean({ default: false })),
})

const common = {
  configured: Type.Literal(true),
  org_id: Type.String(),
  idp_name: Nullable(Type.String()),
  default_role: JoiningRole,
  role_mapping: RoleMapping,
  groups_claim: Type.String(),
  allowed_domains: Type.Array(Type.String()),
  enforced: Type.Boolean(),
  created_at: Type.String(),
  updated_at: Type.String(),
}

const SamlConfigured = NamedObject('SamlConfiguration', {
  ...common,
  protocol: Type.Literal('saml'),
  metadata_url: Type.String(),
  entity_id: Type.String({ description: 'the entity id of the identity provider' }),
  sso_url: Type.String(),
  certificate_expires_at: Type.String({
    description: 'when the last known signing certificate expires; sign-in fails after that',
  }),
  acs_url: Type.String(),
  sp_entity_id: Type.String({ description: 'the entity id of this service' }),
})

const OidcConfigured = NamedObject('OidcConfiguration', {
  ...common,
  protocol: Type.Literal('oidc'),
  issuer: Type.String(),
  client_id: Type.String(),
  has_client_secret: Type.Boolean(),
  scopes: Type.Array(Type.String()),
  redirect_uri: Type.String({ description: 'to be registered at the identity provider' }),
})

export const SsoConfigured = Type.Union([SamlConfigured, OidcConfigured], {
  title: 'SsoConfiguration',
  description: 'The SSO configuration',
})
export const SsoState = Type.Union(
  [
    SamlConfigured,
    OidcConfigured,
    NamedObject('SsoNotConfigured', { configured: Type.Literal(false) }),
  ],
  { title: 'SsoState', description: 'The SSO configuration, if there is one' },
)
export const SsoRemoved = NamedObject(
  'RemovedSso',
  {
    removed: Type.Literal(true),
    note: Type.String(),
  },
  { description: 'The configuration is removed' },
)

export const SsoTest = NamedObject('SsoTest', {
  metadata_url: Type.Optional(MetadataUrl),
  issuer: Type.Optional(Issuer),
})
export const SsoTested = NamedObject('SsoTestResult', {
  valid: Type.Boolean(),
  error: Nullable(Type.String()),
  metadata_url: Nullable(Type.String()),
  issuer: Nullable(Type.String()),
})

export const DomainQuery = Type.Object({ email: Email })
export const DomainAnswer = NamedObject(
  'SsoDomain',
  {
    sso: Type.Boolean({ description: 'whether this address signs in with single sign-on' }),
    org_id: Nullable(Type.String()),
    login_url: Nullable(Type.String()),
    enforced: Type.Boolean({ description: 'whether the organisation accepts only single sign-on' }),
  },
  { description: 'How the address signs in' },
)

export const LoginQuery = Type.Object({
  return_to: Type.Optional(
    Type.String({
      maxLength: 512,
      // A path on this host: a second slash or a backslash would name another host.
      pattern: '^/(?![/\\\\])[^\\\\\\x00-\\x20\\x7f]*$',
      description: 'a path of the dashboard, returned with the code',
    }),
  ),
  state: Type.Optional(
    Type.String({
      maxLength: 128,
      pattern: '^[\\x21-\\x7e]+$',
      description: 'returned with the code, so that the caller can recognise its own sign-in',
    }),
  ),
})

/** The base64 of 96 KiB of XML; responses of real providers are far smaller. */
export const ACS_BODY_BYTES_MAX = 256 * 1024
export const AcsForm = NamedObject('SamlResponseForm', {
  SAMLResponse: Type.String({ minLength: 1, maxLength: 128 * 1024 }),
  RelayState: Type.Optional(Type.String({ maxLength: 1024, description: 'not used' })),
})

/** Every field is unchecked text of whoever calls; a wrong one is answered with a page. */
export const CallbackQuery = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 8192 })),
  state: Type.Optional(Type.String({ maxLength: 1024 })),
  error: Type.Optional(Type.String({ maxLength: 1024 })),
  iss: Type.Optional(Type.String({ maxLength: 2048 })),
})

export const Exchange = NamedObject('SsoCode', { code: Type.String({ maxLength: 100 }) })

/** The XML, a page and two redirects: none of them is JSON. */
export const Metadata = {
  description: 'The SAML metadata',
  content: { 'application/samlmetadata+xml': { schema: Type.String() } },
}
export const LoginPage = {
  description: 'A page that submits itself, for the POST binding',
  content: { 'text/html': { schema: Type.String() } },
}
export const SignInFailed = {
  description: 'A page that says why the sign-in failed and what to do',
  content: { 'text/html': { schema: Type.String() } },
}
export const ToProvider = Type.Null({ description: 'Redirect to the identity provider' })
export const ToDashboard = Type.Null({ description: 'Redirect to the dashboard, with a code' })

type Settings = Type.Static<typeof SsoSettings>

/** The fields of the protocol; those of the other one are refused rather than ignored. */
export function toConnection(body: Settings): SamlFields | OidcFields {
  const { protocol = 'saml', metadata_url: metadataUrl, issuer, client_id: clientId } = body
  const foreign =
    protocol === 'oidc'
      ? (['metadata_url'] as const)
      : (['issuer', 'client_id', 'client_secret', 'scopes'] as const)
  for (const field of foreign) {
    if (body[field] !== undefined) throw invalidField(field, `must be absent for ${protocol}.`)
  }
  if (protocol === 'saml') {
    if (metadataUrl === undefined) throw invalidField('metadata_url', 'is required for saml.')
    return { protocol, metadataUrl }
  }
  if (issuer === undefined) throw invalidField('issuer', 'is required for oidc.')
  if (clientId === undefined) throw invalidField('client_id', 'is required for oidc.')
  const scopes = [...new Set(['openid', ...(body.scopes ?? ['email', 'profile'])])]
  return { protocol, issuer, clientId, clientSecret: body.client_secret, scopes }
}

export function toTestTarget(body: Type.Static<typeof SsoTest>): TestTarget | undefined {
  const { metadata_url: metadataUrl, issuer } = body
  if (metadataUrl !== undefined && issuer !== undefined) {
    throw invalidField('issuer', 'must be absent if metadata_url is given.')
  }
  if (metadataUrl !== undefined) return { metadataUrl }
  return issuer === undefined ? undefined : { issuer }
}

function invalidField(field: string, rule: string): Problem {
  return new Problem('invalid_request', `${field}: ${rule}`)
}

export function toTested({ target, error }: Tested) {
  return {
    valid: error === null,
    error,
    metadata_url: 'metadataUrl' in target ? target.metadataUrl : null,
    issuer: 'issuer' in target ? target.issuer : null,
  }
}

export function toSso({ config, sp, redirectUri }: SsoView) {
  const { provider } = config
  const shared = {
    configured: true as const,
    org_id: config.orgId,
    idp_name: config.idpName,
    default_role: config.defaultRole,
    role_mapping: config.roleMapping.map(({ group, role }) => ({ group, role })),
    groups_claim: config.groupsClaim,
    allowed_domains: [...config.allowedDomains],
    enforced: config.enforced,
    created_at: config.createdAt.toISOString(),
    updated_at: config.updatedAt.toISOString(),
  }
  if (provider.protocol === 'oidc') {
    return {
      ...shared,
      protocol: provider.protocol,
      issuer: provider.issuer,
      client_id: provider.clientId,
      has_client_secret: provider.clientSecret !== null,
      scopes: [...provider.scopes],
      redirect_uri: redirectUri,
    }
  }
  return {
    ...shared,
    protocol: provider.protocol,
    metadata_url: provider.metadataUrl,
    entity_id: provider.entityId,
    sso_url: provider.ssoUrl,
    certificate_expires_at: provider.certificateExpiresAt.toISOString(),
    acs_url: sp.acsUrl,
    sp_entity_id: sp.entityId,
  }
}

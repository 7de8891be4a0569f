import { Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Email, Nullable } from '../../../http/wire.ts'
import type { SsoView } from './service.ts'
import { JOINING_ROLES } from './store.ts'

/** An outbound URL has at most 2048 characters (spec: platform §5.2). */
const MetadataUrl = Type.String({ minLength: 1, maxLength: 2048 })
const JoiningRole = NamedEnum('JoiningRole', [...JOINING_ROLES])

export const SsoSettings = NamedObject('SsoSettings', {
  metadata_url: MetadataUrl,
  idp_name: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  default_role: Type.Optional(JoiningRole),
  allowed_domains: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    minItems: 1,
    maxItems: 20,
    description: 'e-mail domains; each belongs to at most one organisation',
  }),
  enforced: Type.Optional(Type.Boolean({ default: false })),
})

const Configured = NamedObject('SsoConfiguration', {
  configured: Type.Literal(true),
  org_id: Type.String(),
  metadata_url: Type.String(),
  idp_name: Nullable(Type.String()),
  default_role: JoiningRole,
  allowed_domains: Type.Array(Type.String()),
  enforced: Type.Boolean(),
  entity_id: Type.String({ description: 'the entity id of the identity provider' }),
  sso_url: Type.String(),
  certificate_expires_at: Type.String({
    description: 'when the last known signing certificate expires; sign-in fails after that',
  }),
  acs_url: Type.String(),
  sp_entity_id: Type.String({ description: 'the entity id of this service' }),
  created_at: Type.String(),
  updated_at: Type.String(),
})

export const SsoConfigured = Configured
export const SsoState = Type.Union(
  [Configured, NamedObject('SsoNotConfigured', { configured: Type.Literal(false) })],
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

export const SsoTest = NamedObject('SsoTest', { metadata_url: Type.Optional(MetadataUrl) })
export const SsoTested = NamedObject('SsoTestResult', {
  valid: Type.Boolean(),
  error: Nullable(Type.String()),
  metadata_url: Type.String(),
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

export const Exchange = NamedObject('SsoCode', { code: Type.String({ maxLength: 100 }) })
export const Tokens = NamedObject(
  'Tokens',
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'seconds' }),
    refresh_token: Type.String(),
    user: NamedObject('User', { user_id: Type.String(), email: Nullable(Type.String()) }),
  },
  { description: 'The tokens of the session' },
)

/** The XML, a page and two redirects: none of them is JSON. */
export const Metadata = {
  description: 'The SAML metadata',
  content: { 'application/samlmetadata+xml': { schema: Type.String() } },
}
export const LoginPage = {
  description: 'A page that submits itself, for the POST binding',
  content: { 'text/html': { schema: Type.String() } },
}
export const ToProvider = Type.Null({ description: 'Redirect to the identity provider' })
export const ToDashboard = Type.Null({ description: 'Redirect to the dashboard, with a code' })

export function toSso({ config, sp }: SsoView) {
  return {
    configured: true as const,
    org_id: config.orgId,
    metadata_url: config.metadataUrl,
    idp_name: config.idpName,
    default_role: config.defaultRole,
    allowed_domains: [...config.allowedDomains],
    enforced: config.enforced,
    entity_id: config.provider.entityId,
    sso_url: config.provider.ssoUrl,
    certificate_expires_at: config.provider.certificateExpiresAt.toISOString(),
    acs_url: sp.acsUrl,
    sp_entity_id: sp.entityId,
    created_at: config.createdAt.toISOString(),
    updated_at: config.updatedAt.toISOString(),
  }
}

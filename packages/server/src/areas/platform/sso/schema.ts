import { Type } from 'typebox'
import { Email, Nullable } from '../../../http/wire.ts'
import type { SsoView } from './service.ts'
import { JOINING_ROLES } from './store.ts'

/** 04 §5.2: an outbound URL has at most 2048 characters. */
const MetadataUrl = Type.String({ minLength: 1, maxLength: 2048 })
const JoiningRole = Type.Enum([...JOINING_ROLES])

export const SsoSettings = Type.Object({
  metadata_url: MetadataUrl,
  idp_name: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  default_role: Type.Optional(JoiningRole),
  allowed_domains: Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
    minItems: 1,
    maxItems: 20,
    description: 'mail domains; each belongs to one organisation at most',
  }),
  enforced: Type.Optional(Type.Boolean({ default: false })),
})

const Configured = Type.Object({
  configured: Type.Literal(true),
  org_id: Type.String(),
  metadata_url: Type.String(),
  idp_name: Nullable(Type.String()),
  default_role: JoiningRole,
  allowed_domains: Type.Array(Type.String()),
  enforced: Type.Boolean(),
  entity_id: Type.String({ description: "the identity provider's name" }),
  sso_url: Type.String(),
  certificate_expires_at: Type.String({
    description: 'when the last known signing certificate expires and signing in stops',
  }),
  acs_url: Type.String(),
  sp_entity_id: Type.String({ description: 'our name towards the identity provider' }),
  created_at: Type.String(),
  updated_at: Type.String(),
})

export const SsoConfigured = Configured
export const SsoState = Type.Union([Configured, Type.Object({ configured: Type.Literal(false) })])
export const SsoRemoved = Type.Object({ removed: Type.Literal(true), note: Type.String() })

export const SsoTest = Type.Object({ metadata_url: Type.Optional(MetadataUrl) })
export const SsoTested = Type.Object({
  valid: Type.Boolean(),
  error: Nullable(Type.String()),
  metadata_url: Type.String(),
})

export const DomainQuery = Type.Object({ email: Email })
export const DomainAnswer = Type.Object({
  sso: Type.Boolean({ description: 'whether this address signs in through its organisation' }),
  org_id: Nullable(Type.String()),
  login_url: Nullable(Type.String()),
  enforced: Type.Boolean({ description: 'whether the organisation accepts no other sign-in' }),
})

export const LoginQuery = Type.Object({
  return_to: Type.Optional(
    Type.String({
      maxLength: 512,
      // A path of ours: a second slash or a backslash would name another host.
      pattern: '^/(?![/\\\\])[^\\\\\\x00-\\x20\\x7f]*$',
      description: 'a path of the dashboard, handed back with the code',
    }),
  ),
  state: Type.Optional(
    Type.String({
      maxLength: 128,
      pattern: '^[\\x21-\\x7e]+$',
      description: 'handed back with the code, so that the caller knows the sign-in as its own',
    }),
  ),
})

/** Base64 of the response; 96 KiB of XML is far beyond what providers send. */
export const ACS_BODY_BYTES_MAX = 256 * 1024
export const AcsForm = Type.Object({
  SAMLResponse: Type.String({ minLength: 1, maxLength: 128 * 1024 }),
  RelayState: Type.Optional(Type.String({ maxLength: 1024, description: 'not used' })),
})

export const Exchange = Type.Object({ code: Type.String({ maxLength: 100 }) })
export const Tokens = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
  refresh_token: Type.String(),
  user: Type.Object({ user_id: Type.String(), email: Nullable(Type.String()) }),
})

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

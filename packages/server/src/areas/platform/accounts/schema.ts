import { Type } from 'typebox'
import { ROLES } from '../../../access.ts'
import { Email, Nullable } from '../../../http/wire.ts'
import type { PublicKey } from './key-store.ts'
import type { Me } from './service.ts'

const Password = Type.String({ minLength: 12, maxLength: 128 })
/** What somebody types in may be anything; only new passwords are held to the rule. */
const TypedPassword = Type.String({ minLength: 1, maxLength: 128 })
const Token = Type.String({ minLength: 1, maxLength: 200 })

export const SignupBody = Type.Object({
  email: Email,
  password: Password,
  name: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  invitation_token: Type.Optional(Nullable(Token)),
})

export const LoginBody = Type.Object({ email: Email, password: TypedPassword })
export const RefreshBody = Type.Object({ refresh_token: Token })

export const PasswordBody = Type.Object({
  current_password: TypedPassword,
  new_password: Password,
})

export const ResetBody = Type.Object({ email: Email })
export const ResetAccepted = Type.Object({ accepted: Type.Literal(true) })
export const ConfirmBody = Type.Object({ token: Token, new_password: Password })

export const Tokens = Type.Object({
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'seconds' }),
  refresh_token: Type.String(),
  user: Type.Object({ user_id: Type.String(), email: Nullable(Type.String()) }),
})

export const MeAnswer = Type.Object({
  user_id: Type.String(),
  email: Nullable(Type.String()),
  name: Nullable(Type.String()),
  is_platform_admin: Type.Boolean(),
  orgs: Type.Array(
    Type.Object({ org_id: Type.String(), name: Type.String(), role: Type.Enum([...ROLES]) }),
  ),
})

/** A 204 has no body. */
export const Nothing = Type.Null({ description: 'Done; no body' })

export const AccountDeleted = Type.Object({ success: Type.Literal(true) })

export const KeySet = Type.Object({
  keys: Type.Array(
    Type.Object({
      kid: Type.String(),
      kty: Type.Literal('OKP'),
      crv: Type.Literal('Ed25519'),
      x: Type.String(),
      alg: Type.Literal('EdDSA'),
      use: Type.Literal('sig'),
    }),
  ),
})

export const Discovery = Type.Object({
  issuer: Type.String(),
  jwks_uri: Type.String(),
  response_types_supported: Type.Array(Type.String()),
  subject_types_supported: Type.Array(Type.String()),
  id_token_signing_alg_values_supported: Type.Array(Type.String()),
  claims_supported: Type.Array(Type.String()),
})

export function toMe(me: Me, isPlatformAdmin: boolean) {
  return {
    user_id: me.person.userId,
    email: me.person.email,
    name: me.person.name,
    is_platform_admin: isPlatformAdmin,
    orgs: me.orgs.map((org) => ({ org_id: org.orgId, name: org.name, role: org.role })),
  }
}

export function toKeySet(keys: readonly PublicKey[]) {
  return {
    keys: keys.map(({ kid, kty, crv, x, alg, use }) => ({ kid, kty, crv, x, alg, use })),
  }
}

/** Only what helps others to verify our tokens; there is no authorisation endpoint. */
export function toDiscovery(baseUrl: string) {
  return {
    issuer: baseUrl,
    jwks_uri: `${baseUrl}/.well-known/jwks.json`,
    response_types_supported: [],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['EdDSA'],
    claims_supported: ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'email_verified'],
  }
}

import { Type } from 'typebox'
import { ROLES } from '../../../access.ts'
import { Tokens } from '../../../http/identity/tokens.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Email, Nullable } from '../../../http/wire.ts'
import type { PublicKey } from './key-store.ts'
import type { Me } from './service.ts'

const Password = Type.String({ minLength: 12, maxLength: 128 })
/** Only new passwords must satisfy the length rule. */
const TypedPassword = Type.String({ minLength: 1, maxLength: 128 })
const Token = Type.String({ minLength: 1, maxLength: 200 })

export const SignupBody = NamedObject('SignUp', {
  email: Email,
  password: Password,
  name: Type.Optional(Nullable(Type.String({ maxLength: 100 }))),
  invitation_token: Type.Optional(Nullable(Token)),
})

export const LoginBody = NamedObject('SignIn', { email: Email, password: TypedPassword })
export const CodeBody = NamedObject('SignInCode', {
  challenge_token: Token,
  code: Type.String({
    minLength: 6,
    maxLength: 40,
    description: 'from the authenticator app, or a recovery code',
  }),
})

export const RefreshBody = NamedObject('RefreshToken', { refresh_token: Token })

export const PasswordBody = NamedObject('PasswordChange', {
  current_password: TypedPassword,
  new_password: Password,
})

export const ResetBody = NamedObject('PasswordResetRequest', { email: Email })
export const ResetAccepted = NamedObject(
  'PasswordResetAcceptance',
  { accepted: Type.Literal(true) },
  { description: 'Accepted; if the account exists, an e-mail is sent' },
)
export const ConfirmBody = NamedObject('PasswordResetConfirmation', {
  token: Token,
  new_password: Password,
})

/** The answer to a right password: the tokens, or the question for a code. */
export const SignInAnswer = Type.Union(
  [
    Tokens,
    NamedObject('SecondFactorChallenge', {
      mfa_required: Type.Literal(true),
      challenge_token: Type.String({ description: 'for POST /v1/auth/login/second-factor' }),
      expires_in: Type.Integer({ description: 'seconds' }),
    }),
  ],
  { description: 'The tokens of the session, or a challenge if the account has a second factor' },
)

export const MeAnswer = NamedObject('Profile', {
  user_id: Type.String(),
  email: Nullable(Type.String()),
  name: Nullable(Type.String()),
  is_platform_admin: Type.Boolean(),
  second_factor: Type.Boolean(),
  orgs: Type.Array(
    NamedObject('Membership', {
      org_id: Type.String(),
      name: Type.String(),
      role: NamedEnum('Role', [...ROLES]),
      needs_second_factor: Type.Boolean({
        description: 'the organisation requires a second factor, and you have none',
      }),
    }),
  ),
})

/** A 204 has no body. */
export const Nothing = Type.Null({ description: 'Done; no body' })

export const AccountDeleted = NamedObject(
  'DeletedAccount',
  { success: Type.Literal(true) },
  { description: 'The account is deleted' },
)

export const KeySet = NamedObject('JwkSet', {
  keys: Type.Array(
    NamedObject('Jwk', {
      kid: Type.String(),
      kty: Type.Literal('OKP'),
      crv: Type.Literal('Ed25519'),
      x: Type.String(),
      alg: Type.Literal('EdDSA'),
      use: Type.Literal('sig'),
    }),
  ),
})

export const Discovery = NamedObject(
  'OpenIdConfiguration',
  {
    issuer: Type.String(),
    jwks_uri: Type.String(),
    response_types_supported: Type.Array(Type.String()),
    subject_types_supported: Type.Array(Type.String()),
    id_token_signing_alg_values_supported: Type.Array(Type.String()),
    claims_supported: Type.Array(Type.String()),
  },
  { description: 'The OpenID configuration' },
)

export function toMe(me: Me, isPlatformAdmin: boolean) {
  return {
    user_id: me.person.userId,
    email: me.person.email,
    name: me.person.name,
    is_platform_admin: isPlatformAdmin,
    second_factor: me.hasSecondFactor,
    orgs: me.orgs.map((org) => ({
      org_id: org.orgId,
      name: org.name,
      role: org.role,
      needs_second_factor: org.needsSecondFactor,
    })),
  }
}

export function toKeySet(keys: readonly PublicKey[]) {
  return {
    keys: keys.map(({ kid, kty, crv, x, alg, use }) => ({ kid, kty, crv, x, alg, use })),
  }
}

/** Only the fields needed to verify our tokens; there is no authorisation endpoint. */
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

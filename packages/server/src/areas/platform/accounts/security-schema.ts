import { Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import type { SecondFactorState } from './second-factor-service.ts'
import type { SessionView } from './session-store.ts'

const Password = Type.String({ minLength: 1, maxLength: 128 })
const Code = Type.String({ minLength: 6, maxLength: 40 })

export const SecondFactor = NamedObject('SecondFactor', {
  enabled: Type.Boolean(),
  confirmed_at: Nullable(Type.String()),
  recovery_codes_left: Type.Integer(),
})

export const EnrolBody = NamedObject('SecondFactorEnrolment', { current_password: Password })

export const Enrolled = NamedObject(
  'EnrolledSecondFactor',
  {
    secret: Type.String({ description: 'in Base32, for typing into an app' }),
    otpauth_uri: Type.String({ description: 'for a QR code' }),
  },
  { description: 'A secret that counts once a code of it was confirmed' },
)

export const ConfirmCodeBody = NamedObject('SecondFactorConfirmation', { code: Code })

export const ProofBody = NamedObject('SecondFactorProof', {
  current_password: Password,
  code: Code,
})

export const RecoveryCodes = NamedObject(
  'RecoveryCodes',
  { recovery_codes: Type.Array(Type.String()) },
  { description: 'Recovery codes, which are not shown again' },
)

export const SessionParams = Type.Object({ session_id: Type.String({ maxLength: 100 }) })

export const SessionList = NamedObject('SignInSessionList', {
  sessions: Type.Array(
    NamedObject('SignInSession', {
      session_id: Type.String(),
      user_agent: Nullable(Type.String()),
      address: Nullable(Type.String()),
      created_at: Type.String(),
      last_used_at: Type.String(),
      expires_at: Type.String(),
      current: Type.Boolean({ description: 'the session of this request' }),
    }),
  ),
})

export const SessionsEnded = NamedObject(
  'EndedSessions',
  { ended: Type.Integer() },
  { description: 'The number of sessions that ended' },
)

export function toSecondFactor(state: SecondFactorState) {
  return {
    enabled: state.enabled,
    confirmed_at: state.confirmedAt?.toISOString() ?? null,
    recovery_codes_left: state.recoveryCodesLeft,
  }
}

export function toSession(session: SessionView, currentId: string | undefined) {
  return {
    session_id: session.sessionId,
    user_agent: session.userAgent,
    address: session.address,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    current: session.sessionId === currentId,
  }
}

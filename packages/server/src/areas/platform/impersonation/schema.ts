import { Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import type { SessionView } from './service.ts'

export const SessionParams = Type.Object({ id: Type.String() })

export const NewSession = NamedObject('ImpersonationRequest', {
  user_id: Type.String({ minLength: 1, maxLength: 100 }),
  reason: Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }),
})

export const StartedSession = NamedObject(
  'StartedImpersonation',
  {
    session_id: Type.String(),
    token: Nullable(
      Type.String({
        description:
          'for X-Impersonate-Token beside your own session; shown once, null in a replay',
      }),
    ),
    target_user_id: Type.String(),
    target_email: Nullable(Type.String()),
    expires_at: Type.String(),
  },
  { description: 'The impersonation session and its token' },
)

export const Session = NamedObject(
  'Impersonation',
  {
    id: Type.String(),
    admin_user_id: Type.String(),
    target_user_id: Type.String(),
    target_email: Nullable(Type.String()),
    reason: Type.String(),
    started_at: Type.String(),
    expires_at: Type.String(),
  },
  { description: 'The impersonation session' },
)

export const Ended = NamedObject(
  'EndedImpersonation',
  {
    ended: Type.Literal(true),
    session_id: Type.String(),
  },
  { description: 'The impersonation session has ended' },
)

export function toStarted(started: SessionView & { token: string }) {
  const { session } = started
  return {
    session_id: session.sessionId,
    token: started.token,
    target_user_id: session.targetUserId,
    target_email: started.targetEmail,
    expires_at: session.expiresAt.toISOString(),
  }
}

export function toSession({ session, targetEmail }: SessionView) {
  return {
    id: session.sessionId,
    admin_user_id: session.adminUserId,
    target_user_id: session.targetUserId,
    target_email: targetEmail,
    reason: session.reason,
    started_at: session.startedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  }
}

import { Type } from 'typebox'
import { Email, Nullable, PageFields, PageQuery } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { Accepted } from './service.ts'
import { INVITED_ROLES, type Invitation, STATUSES } from './store.ts'

export const NewInvitation = Type.Object({
  email: Email,
  role: Type.Optional(Type.Enum([...INVITED_ROLES], { default: 'member' })),
})

export const InvitationQuery = Type.Object({
  status: Type.Optional(Type.Enum([...STATUSES], { default: 'pending' })),
  ...PageQuery.properties,
})

export const InvitationParams = Type.Object({
  org_id: Type.String(),
  invitation_id: Type.String(),
})

export const AcceptBody = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) })

const fields = {
  invitation_id: Type.String(),
  org_id: Type.String(),
  email: Type.String(),
  role: Type.Enum([...INVITED_ROLES]),
  status: Type.Enum([...STATUSES]),
  invited_by: Type.String(),
  expires_at: Type.String(),
  created_at: Type.String(),
}

export const InvitationWithToken = Type.Object({
  ...fields,
  token: Nullable(Type.String({ description: 'shown only now and in the e-mail' })),
})

export const InvitationPage = Type.Object({
  invitations: Type.Array(Type.Object(fields)),
  ...PageFields,
})

export const InvitationRevoked = Type.Object({
  revoked: Type.Literal(true),
  invitation_id: Type.String(),
})

export const AcceptedInvitation = Type.Object({
  org_id: Type.String(),
  org_name: Type.String(),
  role: Type.Enum([...INVITED_ROLES]),
  personal_subscription_warning: Nullable(Type.String()),
})

export function toInvitation(invitation: Invitation) {
  return {
    invitation_id: invitation.invitationId,
    org_id: invitation.orgId,
    email: invitation.email,
    role: invitation.role,
    status: invitation.status,
    invited_by: invitation.invitedBy,
    expires_at: invitation.expiresAt.toISOString(),
    created_at: invitation.createdAt.toISOString(),
  }
}

export function toInvitationPage(page: Page<Invitation>) {
  return {
    invitations: page.items.map(toInvitation),
    total: page.total,
    page: page.page,
    per_page: page.perPage,
  }
}

export function toAccepted(accepted: Accepted & { personalSubscriptionWarning: string | null }) {
  return {
    org_id: accepted.orgId,
    org_name: accepted.orgName,
    role: accepted.role,
    personal_subscription_warning: accepted.personalSubscriptionWarning,
  }
}

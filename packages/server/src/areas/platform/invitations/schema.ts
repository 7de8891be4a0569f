import { Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Email, Nullable, PageFields, PageQuery, toPageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { Accepted } from './service.ts'
import { INVITED_ROLES, type Invitation, STATUSES } from './store.ts'

export const NewInvitation = NamedObject('NewInvitation', {
  email: Email,
  role: Type.Optional(NamedEnum('InvitedRole', [...INVITED_ROLES], { default: 'member' })),
})

export const InvitationQuery = Type.Object({
  status: Type.Optional(NamedEnum('InvitationStatus', [...STATUSES], { default: 'pending' })),
  ...PageQuery.properties,
})

export const InvitationParams = Type.Object({
  org_id: Type.String(),
  invitation_id: Type.String(),
})

export const AcceptBody = NamedObject('InvitationAcceptance', {
  token: Type.String({ minLength: 1, maxLength: 200 }),
})

const fields = {
  invitation_id: Type.String(),
  org_id: Type.String(),
  email: Type.String(),
  role: NamedEnum('InvitedRole', [...INVITED_ROLES]),
  status: NamedEnum('InvitationStatus', [...STATUSES]),
  invited_by: Type.String(),
  expires_at: Type.String(),
  created_at: Type.String(),
}

export const InvitationWithToken = NamedObject(
  'InvitationWithToken',
  {
    ...fields,
    token: Nullable(Type.String({ description: 'shown only once; null in an idempotent replay' })),
  },
  { description: 'The invitation and its token' },
)

export const InvitationPage = NamedObject('InvitationPage', {
  invitations: Type.Array(NamedObject('Invitation', fields)),
  ...PageFields,
})

export const InvitationRevoked = NamedObject(
  'RevokedInvitation',
  {
    revoked: Type.Literal(true),
    invitation_id: Type.String(),
  },
  { description: 'The invitation is revoked' },
)

export const AcceptedInvitation = NamedObject(
  'AcceptedInvitation',
  {
    org_id: Type.String(),
    org_name: Type.String(),
    role: NamedEnum('InvitedRole', [...INVITED_ROLES]),
    personal_subscription_warning: Nullable(Type.String()),
  },
  { description: 'The organisation you joined' },
)

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
    ...toPageFields(page),
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

import { Type } from 'typebox'
import { ROLES } from '../../../access.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Email, Nullable } from '../../../http/wire.ts'
import type { MemberView } from './service.ts'
import type { OrgView } from './store.ts'

/** Two characters must remain after trimming. */
const Name = Type.String({ minLength: 2, maxLength: 100, pattern: '\\S.*\\S' })
const Slug = Type.String({
  minLength: 3,
  maxLength: 48,
  pattern: '^[a-z0-9][a-z0-9-]*[a-z0-9]$',
  description: 'unique; lower-case letters, digits and inner hyphens',
})
const Company = Nullable(Type.String({ maxLength: 200 }))

export const NewOrg = NamedObject('NewOrg', {
  name: Name,
  slug: Slug,
  billing_email: Type.Optional(Nullable(Email)),
  company_name: Type.Optional(Company),
})

export const OrgChanges = NamedObject('OrgChanges', {
  name: Type.Optional(Name),
  slug: Type.Optional(Slug),
  billing_email: Type.Optional(Nullable(Email)),
  company_name: Type.Optional(Company),
  require_second_factor: Type.Optional(
    Type.Boolean({ description: 'members who sign in with a password need a second factor' }),
  ),
})

export const Org = NamedObject('Org', {
  org_id: Type.String(),
  name: Type.String(),
  slug: Type.String(),
  billing_account_id: Type.String(),
  owner_user_id: Type.String(),
  billing_email: Nullable(Type.String()),
  company_name: Nullable(Type.String()),
  require_second_factor: Type.Boolean(),
  member_count: Type.Integer(),
  role: Nullable(NamedEnum('Role', [...ROLES])),
  created_at: Type.String(),
  updated_at: Type.String(),
})

export const OrgList = NamedObject('OrgList', { orgs: Type.Array(Org) })
export const Deleted = NamedObject(
  'DeletedOrg',
  { deleted: Type.Literal(true) },
  { description: 'The organisation is deleted' },
)

export const MemberParams = Type.Object({ org_id: Type.String(), user_id: Type.String() })
export const RemovalQuery = Type.Object({ revoke_keys: Type.Optional(Type.Boolean()) })
export const NewRole = NamedObject('MemberChanges', { role: NamedEnum('Role', [...ROLES]) })

export const MemberList = NamedObject('MemberList', {
  members: Type.Array(
    NamedObject('Member', {
      user_id: Type.String(),
      email: Nullable(Type.String()),
      role: NamedEnum('Role', [...ROLES]),
      accepted_at: Type.String(),
    }),
  ),
})

export const RoleChanged = NamedObject(
  'ChangedRole',
  {
    org_id: Type.String(),
    user_id: Type.String(),
    old_role: NamedEnum('Role', [...ROLES]),
    new_role: NamedEnum('Role', [...ROLES]),
  },
  { description: 'The old and the new role of the member' },
)

export const Removed = NamedObject(
  'RemovedMember',
  {
    removed: Type.Literal(true),
    org_id: Type.String(),
    user_id: Type.String(),
  },
  { description: 'The member is removed' },
)

export function toOrg(view: OrgView) {
  return {
    org_id: view.org.orgId,
    name: view.org.name,
    slug: view.org.slug,
    billing_account_id: view.org.accountId,
    owner_user_id: view.org.ownerUserId,
    billing_email: view.org.billingEmail,
    company_name: view.org.companyName,
    require_second_factor: view.org.requiresSecondFactor,
    member_count: view.memberCount,
    role: view.role,
    created_at: view.org.createdAt.toISOString(),
    updated_at: view.org.updatedAt.toISOString(),
  }
}

export function toMember(member: MemberView) {
  return {
    user_id: member.userId,
    email: member.email,
    role: member.role,
    accepted_at: member.acceptedAt.toISOString(),
  }
}

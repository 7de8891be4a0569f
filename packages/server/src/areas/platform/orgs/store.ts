import { sql } from 'kysely'
import type { Role } from '../../../access.ts'
import type { Db } from '../../../kernel/db.ts'
import { type OrgId, toOrgId } from '../../../kernel/ids.ts'
import type { Seat } from './membership.ts'

/** Tables this feature owns. Nobody else reads or writes them. */
type OrgTables = {
  org: {
    org_id: string
    name: string
    slug: string
    billing_account_id: string
    owner_user_id: string
    billing_email: string | null
    company_name: string | null
    requires_second_factor: boolean
    created_at: Date
    updated_at: Date
    deleted_at: Date | null
  }
  org_member: {
    org_id: string
    user_id: string
    role: Role
    accepted_at: Date
    role_since: Date
  }
}

export type OrgFields = {
  name: string
  slug: string
  billingEmail: string | null
  companyName: string | null
}

export type Org = OrgFields & {
  orgId: OrgId
  accountId: string
  ownerUserId: string
  /** Members who sign in with a password need a second factor. */
  requiresSecondFactor: boolean
  createdAt: Date
  updatedAt: Date
  deletedAt: Date | null
}

export type Member = { userId: string; role: Role; acceptedAt: Date }

/** An organisation as one of its members, or a platform administrator, sees it. */
export type OrgView = { org: Org; memberCount: number; role: Role | null }

export type Membership = {
  orgId: OrgId
  accountId: string
  name: string
  role: Role
  requiresSecondFactor: boolean
}

export type OrgOfUser = { org: Org; role: Role; memberCount: number }

export function createOrgStore(db: Db) {
  const orgs = createOrgQueries(db)
  const members = createMemberQueries(db)
  return {
    insert: orgs.insert,
    find: orgs.find,
    exists: orgs.exists,
    lock: orgs.lock,
    update: orgs.update,
    delete: orgs.delete,
    listDeletedBefore: orgs.listDeletedBefore,
    listAccounts: orgs.listAccounts,
    listOfUser: orgs.listOfUser,
    lockOwner: orgs.lockOwner,
    countOwned: orgs.countOwned,

    countMembers: members.count,
    membershipsOf: members.membershipsOf,
    insertMember: members.insert,
    setRole: members.setRole,
    deleteMember: members.delete,
    deleteMemberEverywhere: members.deleteEverywhere,
    seats: members.seats,
    listMembers: members.list,
  }
}

function createOrgQueries(db: Db) {
  const q = db.withTables<OrgTables>()
  return {
    async insert(org: Org): Promise<void> {
      await q.insertInto('org').values(toRow(org)).execute()
    },

    async find(orgId: string): Promise<(Org & { memberCount: number }) | undefined> {
      const row = await q
        .selectFrom('org')
        .selectAll()
        .select(memberCount())
        .where('org_id', '=', orgId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst()
      return row && { ...toOrg(row), memberCount: row.member_count }
    },

    /** Serialises the creation of organisations by one person. */
    async lockOwner(userId: string): Promise<void> {
      const key = `org owner ${userId}`
      await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(q)
    },

    /** Deleted organisations count until they are erased. */
    async countOwned(userId: string): Promise<number> {
      const row = await q
        .selectFrom('org')
        .select(sql<number>`count(*)`.as('total'))
        .where('owner_user_id', '=', userId)
        .executeTakeFirstOrThrow()
      return row.total
    },

    async exists(orgId: string): Promise<boolean> {
      const row = await q
        .selectFrom('org')
        .select('org_id')
        .where('org_id', '=', orgId)
        .executeTakeFirst()
      return row !== undefined
    },

    /**
     * Locks the row until the transaction ends; also finds a deleted organisation until it is
     * erased.
     */
    async lock(orgId: string): Promise<Org | undefined> {
      const row = await q
        .selectFrom('org')
        .selectAll()
        .where('org_id', '=', orgId)
        .forUpdate()
        .executeTakeFirst()
      return row && toOrg(row)
    },

    async update(org: Org): Promise<void> {
      await q.updateTable('org').set(toRow(org)).where('org_id', '=', org.orgId).execute()
    },

    async delete(orgId: OrgId): Promise<void> {
      await q.deleteFrom('org').where('org_id', '=', orgId).execute()
    },

    async listDeletedBefore(time: Date): Promise<OrgId[]> {
      const rows = await q
        .selectFrom('org')
        .select('org_id')
        .where('deleted_at', '<=', time)
        .execute()
      return rows.map((row) => toOrgId(row.org_id))
    },

    async listAccounts(): Promise<{ orgId: OrgId; accountId: string }[]> {
      const rows = await q
        .selectFrom('org')
        .select(['org_id', 'billing_account_id'])
        .where('deleted_at', 'is', null)
        .execute()
      return rows.map((row) => ({
        orgId: toOrgId(row.org_id),
        accountId: row.billing_account_id,
      }))
    },

    /** Oldest organisation first. */
    async listOfUser(userId: string): Promise<OrgOfUser[]> {
      const rows = await q
        .selectFrom('org')
        .innerJoin('org_member', 'org_member.org_id', 'org.org_id')
        .selectAll('org')
        .select(['org_member.role', memberCount()])
        .where('org_member.user_id', '=', userId)
        .where('org.deleted_at', 'is', null)
        .orderBy('org.created_at')
        .orderBy('org.org_id')
        .execute()
      return rows.map((row) => ({ org: toOrg(row), role: row.role, memberCount: row.member_count }))
    },
  }
}

function createMemberQueries(db: Db) {
  const q = db.withTables<OrgTables>()
  return {
    async count(orgId: string): Promise<number> {
      const row = await q
        .selectFrom('org_member')
        .select(sql<number>`count(*)`.as('total'))
        .where('org_id', '=', orgId)
        .executeTakeFirstOrThrow()
      return row.total
    },

    async membershipsOf(userId: string): Promise<Membership[]> {
      const rows = await q
        .selectFrom('org_member')
        .innerJoin('org', 'org.org_id', 'org_member.org_id')
        .select(['org.org_id', 'org.billing_account_id', 'org.name', 'org_member.role'])
        .select('org.requires_second_factor')
        .where('org_member.user_id', '=', userId)
        .where('org.deleted_at', 'is', null)
        .orderBy('org.created_at')
        .orderBy('org.org_id')
        .execute()
      return rows.map((row) => ({
        orgId: toOrgId(row.org_id),
        accountId: row.billing_account_id,
        name: row.name,
        role: row.role,
        requiresSecondFactor: row.requires_second_factor,
      }))
    },

    async insert(orgId: string, member: Member): Promise<void> {
      await q
        .insertInto('org_member')
        .values({
          org_id: orgId,
          user_id: member.userId,
          role: member.role,
          accepted_at: member.acceptedAt,
          role_since: member.acceptedAt,
        })
        .execute()
    },

    async setRole(orgId: string, userId: string, role: Role, now: Date): Promise<void> {
      await q
        .updateTable('org_member')
        .set({ role, role_since: now })
        .where('org_id', '=', orgId)
        .where('user_id', '=', userId)
        .execute()
    },

    async delete(orgId: string, userId: string): Promise<void> {
      await q
        .deleteFrom('org_member')
        .where('org_id', '=', orgId)
        .where('user_id', '=', userId)
        .execute()
    },

    async deleteEverywhere(userId: string): Promise<void> {
      await q.deleteFrom('org_member').where('user_id', '=', userId).execute()
    },

    async seats(orgId: string): Promise<Seat[]> {
      const rows = await q
        .selectFrom('org_member')
        .select(['user_id', 'role', 'role_since'])
        .where('org_id', '=', orgId)
        .execute()
      return rows.map((row) => ({ userId: row.user_id, role: row.role, roleSince: row.role_since }))
    },

    /** Owners first, then admins, auditors and members, each by length of service. */
    async list(orgId: string): Promise<Member[]> {
      const rows = await q
        .selectFrom('org_member')
        .selectAll()
        .where('org_id', '=', orgId)
        .orderBy(sql`array_position(array['owner','admin','auditor','member'], role)`)
        .orderBy('accepted_at')
        .orderBy('user_id')
        .execute()
      return rows.map((row) => ({
        userId: row.user_id,
        role: row.role,
        acceptedAt: row.accepted_at,
      }))
    },
  }
}

function memberCount() {
  return sql<number>`(select count(*) from org_member m where m.org_id = org.org_id)`.as(
    'member_count',
  )
}

function toOrg(row: OrgTables['org']): Org {
  return {
    orgId: toOrgId(row.org_id),
    name: row.name,
    slug: row.slug,
    accountId: row.billing_account_id,
    ownerUserId: row.owner_user_id,
    billingEmail: row.billing_email,
    companyName: row.company_name,
    requiresSecondFactor: row.requires_second_factor,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    deletedAt: row.deleted_at,
  }
}

function toRow(org: Org): OrgTables['org'] {
  return {
    org_id: org.orgId,
    name: org.name,
    slug: org.slug,
    billing_account_id: org.accountId,
    owner_user_id: org.ownerUserId,
    billing_email: org.billingEmail,
    company_name: org.companyName,
    requires_second_factor: org.requiresSecondFactor,
    created_at: org.createdAt,
    updated_at: org.updatedAt,
    deleted_at: org.deletedAt,
  }
}

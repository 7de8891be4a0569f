import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'

export const INVITED_ROLES = ['admin', 'auditor', 'member'] as const
export type InvitedRole = (typeof INVITED_ROLES)[number]

export const STATUSES = ['pending', 'accepted', 'revoked', 'expired'] as const
export type Status = (typeof STATUSES)[number]

type InvitationTables = {
  invitation: {
    invitation_id: string
    org_id: string
    email: string
    role: InvitedRole
    token_hash: string
    mailed_token_hash: string | null
    status: 'pending' | 'accepted' | 'revoked'
    invited_by: string
    created_at: Date
    expires_at: Date
    ended_at: Date | null
  }
}

export type Invitation = {
  invitationId: string
  orgId: string
  email: string
  role: InvitedRole
  status: Status
  invitedBy: string
  createdAt: Date
  expiresAt: Date
}

export function createInvitationStore(db: Db) {
  const q = db.withTables<InvitationTables>()
  return {
    async insert(invitation: Invitation, hashes: { shown: string; mailed: string }): Promise<void> {
      await q
        .insertInto('invitation')
        .values({
          invitation_id: invitation.invitationId,
          org_id: invitation.orgId,
          email: invitation.email,
          role: invitation.role,
          token_hash: hashes.shown,
          mailed_token_hash: hashes.mailed,
          status: 'pending',
          invited_by: invitation.invitedBy,
          created_at: invitation.createdAt,
          expires_at: invitation.expiresAt,
          ended_at: null,
        })
        .execute()
    },

    async countPending(orgId: string, now: Date): Promise<number> {
      const row = await q
        .selectFrom('invitation')
        .select(sql<number>`count(*)`.as('total'))
        .where('org_id', '=', orgId)
        .where('status', '=', 'pending')
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow()
      return row.total
    },

    async lockByToken(tokenHash: string, now: Date): Promise<Invitation | undefined> {
      const row = await q
        .selectFrom('invitation')
        .selectAll()
        .where((is) =>
          is.or([is('token_hash', '=', tokenHash), is('mailed_token_hash', '=', tokenHash)]),
        )
        .forUpdate()
        .executeTakeFirst()
      return row && toInvitation(row, now)
    },

    async isMailedToken(tokenHash: string): Promise<boolean> {
      const row = await q
        .selectFrom('invitation')
        .select('invitation_id')
        .where('mailed_token_hash', '=', tokenHash)
        .executeTakeFirst()
      return row !== undefined
    },

    async lock(orgId: string, invitationId: string, now: Date): Promise<Invitation | undefined> {
      const row = await q
        .selectFrom('invitation')
        .selectAll()
        .where('invitation_id', '=', invitationId)
        .where('org_id', '=', orgId)
        .forUpdate()
        .executeTakeFirst()
      return row && toInvitation(row, now)
    },

    async end(invitationId: string, status: 'accepted' | 'revoked', now: Date): Promise<void> {
      await q
        .updateTable('invitation')
        .set({ status, ended_at: now })
        .where('invitation_id', '=', invitationId)
        .execute()
    },

    async revokePending(where: { orgId: string; email?: string }, now: Date): Promise<string[]> {
      let rows = q
        .updateTable('invitation')
        .set({ status: 'revoked', ended_at: now })
        .where('org_id', '=', where.orgId)
        .where('status', '=', 'pending')
      if (where.email !== undefined) rows = rows.where('email', '=', where.email)
      return (await rows.returning('invitation_id').execute()).map((row) => row.invitation_id)
    },

    /** Newest first. */
    async list(
      orgId: string,
      status: Status,
      request: PageRequest,
      now: Date,
    ): Promise<Page<Invitation>> {
      let rows = q.selectFrom('invitation').where('org_id', '=', orgId)
      if (status === 'accepted' || status === 'revoked') rows = rows.where('status', '=', status)
      else {
        rows = rows
          .where('status', '=', 'pending')
          .where('expires_at', status === 'pending' ? '>' : '<=', now)
      }
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('invitation_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return {
        ...request,
        items: items.map((row) => toInvitation(row, now)),
        total: counted.total,
      }
    },

    async deleteEndedBefore(time: Date): Promise<number> {
      const deleted = await q
        .deleteFrom('invitation')
        .where(sql<Date>`coalesce(ended_at, expires_at)`, '<', time)
        .executeTakeFirst()
      return Number(deleted.numDeletedRows)
    },

    async deleteOfEmail(email: string): Promise<void> {
      await q.deleteFrom('invitation').where('email', '=', email).execute()
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await q.deleteFrom('invitation').where('org_id', '=', orgId).execute()
    },
  }
}

function toInvitation(row: InvitationTables['invitation'], now: Date): Invitation {
  return {
    invitationId: row.invitation_id,
    orgId: row.org_id,
    email: row.email,
    role: row.role,
    status: row.status === 'pending' && row.expires_at <= now ? 'expired' : row.status,
    invitedBy: row.invited_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  }
}

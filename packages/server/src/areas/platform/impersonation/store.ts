import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Session } from './session.ts'

/** Tables this feature owns. Nobody else reads or writes them. */
type ImpersonationTables = {
  impersonation_session: {
    session_id: string
    admin_user_id: string
    target_user_id: string
    reason: string
    token_hash: string
    started_at: Date
    expires_at: Date
    ended_at: Date | null
  }
}

export function createImpersonationStore(db: Db) {
  const q = db.withTables<ImpersonationTables>()
  return {
    async insert(session: Session): Promise<void> {
      await q.insertInto('impersonation_session').values(toRow(session)).execute()
    },

    async find(sessionId: string): Promise<Session | undefined> {
      const row = await q
        .selectFrom('impersonation_session')
        .selectAll()
        .where('session_id', '=', sessionId)
        .executeTakeFirst()
      return row && toSession(row)
    },

    /** Locks the row until the transaction ends. */
    async lock(sessionId: string): Promise<Session | undefined> {
      const row = await q
        .selectFrom('impersonation_session')
        .selectAll()
        .where('session_id', '=', sessionId)
        .forUpdate()
        .executeTakeFirst()
      return row && toSession(row)
    },

    async findByToken(tokenHash: string): Promise<Session | undefined> {
      const row = await q
        .selectFrom('impersonation_session')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst()
      return row && toSession(row)
    },

    async end(sessionId: string, endedAt: Date): Promise<void> {
      await q
        .updateTable('impersonation_session')
        .set({ ended_at: endedAt })
        .where('session_id', '=', sessionId)
        .execute()
    },

    async deleteEndedBefore(time: Date): Promise<number> {
      const deleted = await q
        .deleteFrom('impersonation_session')
        .where(sql<Date>`coalesce(ended_at, expires_at)`, '<', time)
        .executeTakeFirst()
      return Number(deleted.numDeletedRows)
    },
  }
}

function toSession(row: ImpersonationTables['impersonation_session']): Session {
  return {
    sessionId: row.session_id,
    adminUserId: row.admin_user_id,
    targetUserId: row.target_user_id,
    reason: row.reason,
    tokenHash: row.token_hash,
    startedAt: row.started_at,
    expiresAt: row.expires_at,
    endedAt: row.ended_at,
  }
}

function toRow(session: Session): ImpersonationTables['impersonation_session'] {
  return {
    session_id: session.sessionId,
    admin_user_id: session.adminUserId,
    target_user_id: session.targetUserId,
    reason: session.reason,
    token_hash: session.tokenHash,
    started_at: session.startedAt,
    expires_at: session.expiresAt,
    ended_at: session.endedAt,
  }
}

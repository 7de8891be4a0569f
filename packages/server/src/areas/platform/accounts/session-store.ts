import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { RefreshToken } from './refresh.ts'

/** Tables this feature owns. Nobody else reads or writes them. */
type SessionTables = {
  login_session: {
    session_id: string
    user_id: string
    created_at: Date
    expires_at: Date
    revoked_at: Date | null
    user_agent: string | null
    address: string | null
    last_used_at: Date
  }
  refresh_token: {
    token_hash: string
    session_id: string
    created_at: Date
    expires_at: Date
    used_at: Date | null
  }
}

export type Session = { sessionId: string; userId: string; revokedAt: Date | null }

/** A session as its owner sees it. */
export type SessionView = {
  sessionId: string
  userAgent: string | null
  address: string | null
  createdAt: Date
  lastUsedAt: Date
  expiresAt: Date
}

/** The client that a session was last refreshed from. */
export type Client = { userAgent: string | null; address: string | null }

type NewToken = { tokenHash: string; sessionId: string; createdAt: Date; expiresAt: Date }

export function createSessionStore(db: Db) {
  const q = db.withTables<SessionTables>()
  const setExpiry = async (sessionId: string, expiresAt: Date): Promise<void> => {
    await q
      .updateTable('login_session')
      .set({ expires_at: expiresAt })
      .where('session_id', '=', sessionId)
      .execute()
  }
  return {
    async insert(session: {
      sessionId: string
      userId: string
      createdAt: Date
      expiresAt: Date
      client: Client
    }): Promise<void> {
      await q
        .insertInto('login_session')
        .values({
          session_id: session.sessionId,
          user_id: session.userId,
          created_at: session.createdAt,
          expires_at: session.expiresAt,
          revoked_at: null,
          user_agent: session.client.userAgent,
          address: session.client.address,
          last_used_at: session.createdAt,
        })
        .execute()
    },

    async insertToken(token: NewToken): Promise<void> {
      await q
        .insertInto('refresh_token')
        .values({
          token_hash: token.tokenHash,
          session_id: token.sessionId,
          created_at: token.createdAt,
          expires_at: token.expiresAt,
          used_at: null,
        })
        .execute()
      await setExpiry(token.sessionId, token.expiresAt)
    },

    /** A later end for a session and its token. */
    async extend(tokenHash: string, sessionId: string, expiresAt: Date): Promise<void> {
      await q
        .updateTable('refresh_token')
        .set({ expires_at: expiresAt })
        .where('token_hash', '=', tokenHash)
        .execute()
      await setExpiry(sessionId, expiresAt)
    },

    async findSessionId(tokenHash: string): Promise<string | undefined> {
      const row = await q
        .selectFrom('refresh_token')
        .select('session_id')
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst()
      return row?.session_id
    },

    /** INVARIANT: a session's refresh tokens are checked and replaced only under its row lock. */
    async lock(sessionId: string): Promise<Session | undefined> {
      const row = await q
        .selectFrom('login_session')
        .select(['session_id', 'user_id', 'revoked_at'])
        .where('session_id', '=', sessionId)
        .forUpdate()
        .executeTakeFirst()
      return row && { sessionId, userId: row.user_id, revokedAt: row.revoked_at }
    },

    async findToken(tokenHash: string): Promise<RefreshToken | undefined> {
      const row = await q
        .selectFrom('refresh_token')
        .select(['used_at', 'expires_at'])
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst()
      return row && { usedAt: row.used_at, expiresAt: row.expires_at }
    },

    async markUsed(tokenHash: string, now: Date): Promise<void> {
      await q
        .updateTable('refresh_token')
        .set({ used_at: now })
        .where('token_hash', '=', tokenHash)
        .execute()
    },

    /** The owner of a session that has neither ended nor expired. */
    async findLive(
      sessionId: string,
      now: Date,
    ): Promise<{ userId: string; lastUsedAt: Date } | undefined> {
      const row = await q
        .selectFrom('login_session')
        .select(['user_id', 'last_used_at'])
        .where('session_id', '=', sessionId)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row && { userId: row.user_id, lastUsedAt: row.last_used_at }
    },

    /** Last used first. */
    async listLive(userId: string, now: Date, rowsMax: number): Promise<SessionView[]> {
      const rows = await q
        .selectFrom('login_session')
        .selectAll()
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .orderBy('last_used_at', 'desc')
        .orderBy('session_id')
        .limit(rowsMax)
        .execute()
      return rows.map(toView)
    },

    async touch(sessionId: string, now: Date, client?: Client): Promise<void> {
      const set = { last_used_at: now }
      await q
        .updateTable('login_session')
        .set(
          client === undefined
            ? set
            : { ...set, user_agent: client.userAgent, address: client.address },
        )
        .where('session_id', '=', sessionId)
        .execute()
    },

    /** False if the session has ended already or belongs to somebody else. */
    async revoke(session: { sessionId: string; userId?: string }, now: Date): Promise<boolean> {
      let rows = q
        .updateTable('login_session')
        .set({ revoked_at: now })
        .where('session_id', '=', session.sessionId)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
      if (session.userId !== undefined) rows = rows.where('user_id', '=', session.userId)
      return Number((await rows.executeTakeFirst()).numUpdatedRows) === 1
    },

    /** Returns the ids of the sessions that it ended. */
    async revokeOfUser(userId: string, now: Date, exceptId?: string): Promise<string[]> {
      let rows = q
        .updateTable('login_session')
        .set({ revoked_at: now })
        .where('user_id', '=', userId)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
      if (exceptId !== undefined) rows = rows.where('session_id', '!=', exceptId)
      const ended = await rows.returning('session_id').execute()
      return ended.map((row) => row.session_id)
    },

    /** Addresses and user agents are personal data and go with the account. */
    async forgetClients(userId: string): Promise<void> {
      await q
        .updateTable('login_session')
        .set({ user_agent: null, address: null })
        .where('user_id', '=', userId)
        .execute()
    },

    /** Deletes at most `rowsMax` ended sessions; their tokens are deleted by cascade. */
    async deleteEndedBefore(time: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from login_session where session_id = any(array(
        select session_id from login_session where revoked_at < ${time} or expires_at < ${time}
        limit ${rowsMax}))`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },

    /** Deletes at most `rowsMax` used, expired tokens; a live session needs only its unused one. */
    async deleteUsedTokensEndedBefore(time: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from refresh_token where token_hash = any(array(
        select token_hash from refresh_token where used_at is not null and expires_at < ${time}
        limit ${rowsMax}))`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },
  }
}

function toView(row: SessionTables['login_session']): SessionView {
  return {
    sessionId: row.session_id,
    userAgent: row.user_agent,
    address: row.address,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
  }
}

import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type { Escalation, EscalationStatus } from './escalation.ts'

type GatewayTables = {
  escalation: {
    escalation_id: string
    org_id: string
    agent_id: string
    tool: string
    session_id: string | null
    transaction_id: string | null
    reason: string
    status: string
    created_at: Date
    expires_at: Date
    resolved_by: string | null
    resolved_at: Date | null
    note: string | null
    used_at: Date | null
  }
}

type EscalationRow = GatewayTables['escalation']

export type EscalationFilter = {
  orgId: string
  agentId: string | undefined
  status: EscalationStatus | undefined
  /** What is pending and what has expired depends on it. */
  now: Date
}

/** About what a person is asked once at a time. */
type Matter = Pick<Escalation, 'agentId' | 'tool' | 'sessionId'>

export type Resolution = {
  status: 'approved' | 'rejected'
  resolvedBy: string
  resolvedAt: Date
  note: string | null
}

export function createEscalationStore(db: Db) {
  const q = db.withTables<GatewayTables>()
  const sameMatter = ({ agentId, tool, sessionId }: Matter) =>
    sql<boolean>`agent_id = ${agentId} and tool = ${tool}
      and coalesce(session_id, '') = ${sessionId ?? ''} and status = 'pending'`
  return {
    /** Makes room for a new question where the last one went unanswered. */
    async expire(matter: Matter, now: Date): Promise<void> {
      await q
        .updateTable('escalation')
        .set({ status: 'expired' })
        .where(sameMatter(matter))
        .where('expires_at', '<=', now)
        .execute()
    },

    /** False while one about the same is pending; waits for whoever is asking just now. */
    async insert(escalation: Escalation): Promise<boolean> {
      const made = await q
        .insertInto('escalation')
        .values(toRow(escalation))
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return Number(made.numInsertedOrUpdatedRows ?? 0) === 1
    },

    async findPending(matter: Matter): Promise<Escalation | undefined> {
      const row = await q
        .selectFrom('escalation')
        .selectAll()
        .where(sameMatter(matter))
        .executeTakeFirst()
      return row && toEscalation(row)
    },

    async find(escalationId: string): Promise<Escalation | undefined> {
      const row = await q
        .selectFrom('escalation')
        .selectAll()
        .where('escalation_id', '=', escalationId)
        .executeTakeFirst()
      return row && toEscalation(row)
    },

    /** Only while it is pending; nothing when somebody was faster or it is too late. */
    async resolve(escalationId: string, to: Resolution): Promise<Escalation | undefined> {
      const row = await q
        .updateTable('escalation')
        .set({
          status: to.status,
          resolved_by: to.resolvedBy,
          resolved_at: to.resolvedAt,
          note: to.note,
        })
        .where('escalation_id', '=', escalationId)
        .where('status', '=', 'pending')
        .where('expires_at', '>', to.resolvedAt)
        .returningAll()
        .executeTakeFirst()
      return row && toEscalation(row)
    },

    /** True for exactly one caller. */
    async use(escalationId: string, now: Date): Promise<boolean> {
      const used = await q
        .updateTable('escalation')
        .set({ used_at: now })
        .where('escalation_id', '=', escalationId)
        .where('status', '=', 'approved')
        .where('used_at', 'is', null)
        .executeTakeFirst()
      return Number(used.numUpdatedRows) === 1
    },

    /** Newest first. */
    async list(filter: EscalationFilter, request: PageRequest): Promise<Page<Escalation>> {
      let rows = q.selectFrom('escalation').where('org_id', '=', filter.orgId)
      if (filter.agentId !== undefined) rows = rows.where('agent_id', '=', filter.agentId)
      if (filter.status !== undefined) {
        rows = rows.where(
          sql`case when status = 'pending' and expires_at <= ${filter.now} then 'expired'
            else status end`,
          '=',
          filter.status,
        )
      }
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('escalation_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toEscalation), total: counted.total }
    },

    /** Of those that were over by then, so many. */
    async deleteEnded(before: Date, rowsMax: number): Promise<number> {
      const gone = await sql`delete from escalation where escalation_id = any(array(
        select escalation_id from escalation where coalesce(resolved_at, expires_at) < ${before}
        limit ${rowsMax}))`.execute(db)
      return Number(gone.numAffectedRows ?? 0)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await q.deleteFrom('escalation').where('agent_id', '=', agentId).execute()
    },
  }
}

function toEscalation(row: EscalationRow): Escalation {
  return {
    escalationId: row.escalation_id,
    orgId: row.org_id,
    agentId: row.agent_id,
    tool: row.tool,
    sessionId: row.session_id,
    transactionId: row.transaction_id,
    reason: row.reason,
    status: row.status as EscalationStatus,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    resolvedBy: row.resolved_by,
    resolvedAt: row.resolved_at,
    note: row.note,
    usedAt: row.used_at,
  }
}

function toRow(escalation: Escalation): EscalationRow {
  return {
    escalation_id: escalation.escalationId,
    org_id: escalation.orgId,
    agent_id: escalation.agentId,
    tool: escalation.tool,
    session_id: escalation.sessionId,
    transaction_id: escalation.transactionId,
    reason: escalation.reason,
    status: escalation.status,
    created_at: escalation.createdAt,
    expires_at: escalation.expiresAt,
    resolved_by: escalation.resolvedBy,
    resolved_at: escalation.resolvedAt,
    note: escalation.note,
    used_at: escalation.usedAt,
  }
}

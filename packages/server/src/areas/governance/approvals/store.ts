import type { ApprovalScope } from '@touchstone/protocol/policy'
import { type Selectable, sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import {
  type Escalation,
  type EscalationStatus,
  type Question,
  type Subject,
  USES_MAX,
} from './escalation.ts'

type ApprovalTables = {
  escalation: {
    escalation_id: string
    org_id: string
    agent_id: string
    tool: string
    session_id: string | null
    arguments_hash: string | null
    arguments_sealed: string | null
    arguments_truncated: boolean
    justification: string | null
    transaction_id: string | null
    decision_id: string | null
    requested_by: string | null
    askers: string[]
    triggers: Escalation['triggers']
    reason: string
    rule: Escalation['rule']
    approvals: StoredApproval[]
    answers: number
    status: string
    created_at: Date
    expires_at: Date
    resolved_by: string | null
    resolved_at: Date | null
    note: string | null
    scope: string | null
    valid_until: Date | null
    uses_left: number | null
    used_at: Date | null
  }
}

type StoredApproval = {
  by: string
  at: string
  note: string | null
  scope: ApprovalScope
  ttl_minutes: number
  /** Absent in rows of older versions. */
  key_id?: string | null
}

type StoredRow = Omit<Selectable<ApprovalTables['escalation']>, 'arguments_sealed'> & {
  has_arguments: boolean
}

/** Sealed arguments are up to 45 KB, so they are read only where they are shown. */
const COLUMNS = [
  'escalation_id',
  'org_id',
  'agent_id',
  'tool',
  'session_id',
  'arguments_hash',
  'arguments_truncated',
  'justification',
  'transaction_id',
  'decision_id',
  'requested_by',
  'askers',
  'triggers',
  'reason',
  'rule',
  'approvals',
  'answers',
  'status',
  'created_at',
  'expires_at',
  'resolved_by',
  'resolved_at',
  'note',
  'scope',
  'valid_until',
  'uses_left',
  'used_at',
] as const

export type EscalationFilter = {
  orgId: string
  agentId: string | undefined
  tool?: string | undefined
  status: EscalationStatus | undefined
  asker?: string | undefined
  /** Separates pending escalations from expired ones. */
  now: Date
}

export function createEscalationStore(db: Db) {
  const q = db.withTables<ApprovalTables>()
  const select = () =>
    q
      .selectFrom('escalation')
      .select(COLUMNS)
      .select(sql<boolean>`arguments_sealed is not null`.as('has_arguments'))
  const isOfSession = ({ agentId, tool, sessionId }: Subject) =>
    sql<boolean>`agent_id = ${agentId} and tool = ${tool}
      and coalesce(session_id, '') = ${sessionId ?? ''}`
  const hasArguments = ({ argumentsHash }: Subject) =>
    sql<boolean>`coalesce(arguments_hash, '') = ${argumentsHash ?? ''}`
  // A unique index allows one pending escalation per subject.
  const isPendingFor = (subject: Subject) =>
    sql<boolean>`${isOfSession(subject)} and ${hasArguments(subject)} and status = 'pending'`
  return {
    /** Marks an overdue escalation as expired, so that a new one can be inserted. */
    async expire(subject: Subject, now: Date): Promise<void> {
      await q
        .updateTable('escalation')
        .set({ status: 'expired' })
        .where(isPendingFor(subject))
        .where('expires_at', '<=', now)
        .execute()
    },

    /** Returns false if the subject has a pending one. Waits for a concurrent insert to commit. */
    async insert(escalation: Escalation, sealedArguments: string | null): Promise<boolean> {
      const inserted = await q
        .insertInto('escalation')
        .values({ ...toRow(escalation), arguments_sealed: sealedArguments })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return Number(inserted.numInsertedOrUpdatedRows ?? 0) === 1
    },

    async findPending(subject: Subject): Promise<Escalation | undefined> {
      const row = await select().where(isPendingFor(subject)).executeTakeFirst()
      return row && toEscalation(row)
    },

    /**
     * The approvals of the call that can be used: of exactly this call first, then of its session; then
     * by the number of rules they lift, then the newest. None that the asking key gave itself.
     */
    async listApproved(question: Question, now: Date): Promise<Escalation[]> {
      const given = JSON.stringify([{ key_id: question.askedBy }])
      const rows = await select()
        .where(isOfSession(question))
        .where('status', '=', 'approved')
        .where('uses_left', '>', 0)
        .where('valid_until', '>', now)
        .where(sql<boolean>`(scope = 'session' or ${hasArguments(question)})`)
        .where(sql<boolean>`not approvals @> ${given}::jsonb`)
        .orderBy('scope')
        .orderBy(sql`jsonb_array_length(triggers)`, 'desc')
        .orderBy('resolved_at', 'desc')
        .execute()
      return rows.map(toEscalation)
    },

    async find(escalationId: string): Promise<Escalation | undefined> {
      const row = await select().where('escalation_id', '=', escalationId).executeTakeFirst()
      return row && toEscalation(row)
    },

    async findAll(orgId: string, escalationIds: readonly string[]): Promise<Escalation[]> {
      const rows = await select()
        .where('org_id', '=', orgId)
        .where('escalation_id', 'in', escalationIds)
        .execute()
      return rows.map(toEscalation)
    },

    async findArguments(escalationId: string): Promise<string | null> {
      const row = await q
        .selectFrom('escalation')
        .select('arguments_sealed')
        .where('escalation_id', '=', escalationId)
        .executeTakeFirst()
      return row?.arguments_sealed ?? null
    },

    /** Serialises the answers to one escalation until commit. */
    async lock(escalationId: string): Promise<Escalation | undefined> {
      const row = await select()
        .where('escalation_id', '=', escalationId)
        .forUpdate()
        .executeTakeFirst()
      return row && toEscalation(row)
    },

    async saveAnswer(escalation: Escalation): Promise<void> {
      const row = toRow(escalation)
      await q
        .updateTable('escalation')
        .set({
          approvals: row.approvals,
          answers: row.answers,
          status: row.status,
          resolved_by: row.resolved_by,
          resolved_at: row.resolved_at,
          note: row.note,
          scope: row.scope,
          valid_until: row.valid_until,
          uses_left: row.uses_left,
        })
        .where('escalation_id', '=', escalation.escalationId)
        .execute()
    },

    /** Returns true to exactly as many of several concurrent callers as there are uses left. */
    async use(escalationId: string, now: Date): Promise<boolean> {
      const used = await q
        .updateTable('escalation')
        .set({ used_at: now, uses_left: sql`uses_left - 1` })
        .where('escalation_id', '=', escalationId)
        .where('status', '=', 'approved')
        .where('uses_left', '>', 0)
        .where('valid_until', '>', now)
        .executeTakeFirst()
      return Number(used.numUpdatedRows) === 1
    },

    /** Undoes a use whose call was stopped after all. */
    async giveBack(escalationId: string): Promise<void> {
      await sql`update escalation set uses_left = uses_left + 1,
        used_at = case when uses_left + 1 < case scope when 'session' then ${USES_MAX.session}::int
          else ${USES_MAX.call}::int end then used_at end
        where escalation_id = ${escalationId} and status = 'approved'`.execute(db)
    },

    /** Notes that one more key asked for the call. */
    async addAsker(escalationId: string, asker: string): Promise<void> {
      await sql`update escalation set askers = array_append(askers, ${asker})
        where escalation_id = ${escalationId} and not ${asker} = any(askers)`.execute(db)
    },

    /** Newest first. */
    async list(filter: EscalationFilter, request: PageRequest): Promise<Page<Escalation>> {
      const matches = [sql<boolean>`org_id = ${filter.orgId}`]
      if (filter.agentId !== undefined) matches.push(sql`agent_id = ${filter.agentId}`)
      if (filter.tool !== undefined) matches.push(sql`tool = ${filter.tool}`)
      if (filter.asker !== undefined) matches.push(sql`${filter.asker} = any(askers)`)
      if (filter.status !== undefined) {
        matches.push(sql`case when status = 'pending' and expires_at <= ${filter.now}
          then 'expired' else status end = ${filter.status}`)
      }
      const where = sql<boolean>`${sql.join(matches, sql` and `)}`
      const counted = await q
        .selectFrom('escalation')
        .select(sql<number>`count(*)`.as('total'))
        .where(where)
        .executeTakeFirstOrThrow()
      const items = await select()
        .where(where)
        .orderBy('created_at', 'desc')
        .orderBy('escalation_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toEscalation), total: counted.total }
    },

    /** Deletes the arguments of at most `rowsMax` that ended before the given time. */
    async deleteArguments(before: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`update escalation set arguments_sealed = null
        where escalation_id = any(array(
          select escalation_id from escalation
          where arguments_sealed is not null and coalesce(resolved_at, expires_at) <= ${before}
          limit ${rowsMax}))`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },

    /** Deletes at most `rowsMax` that were resolved or expired before the given time. */
    async deleteEnded(before: Date, rowsMax: number): Promise<number> {
      const deleted = await sql`delete from escalation where escalation_id = any(array(
        select escalation_id from escalation where coalesce(resolved_at, expires_at) < ${before}
        limit ${rowsMax}))`.execute(db)
      return Number(deleted.numAffectedRows ?? 0)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await q.deleteFrom('escalation').where('agent_id', '=', agentId).execute()
    },
  }
}

/** The casts hold because only this store writes these columns. */
function toEscalation(row: StoredRow): Escalation {
  return {
    escalationId: row.escalation_id,
    orgId: row.org_id,
    agentId: row.agent_id,
    tool: row.tool,
    sessionId: row.session_id,
    argumentsHash: row.arguments_hash,
    hasArguments: row.has_arguments,
    isTruncated: row.arguments_truncated,
    justification: row.justification,
    transactionId: row.transaction_id,
    decisionId: row.decision_id,
    requestedBy: row.requested_by,
    askers: row.askers,
    triggers: row.triggers,
    reason: row.reason,
    rule: row.rule,
    answers: row.answers,
    approvals: row.approvals.map(({ by, at, note, scope, ttl_minutes, key_id }) => ({
      by,
      at: new Date(at),
      note,
      scope,
      ttlMinutes: ttl_minutes,
      keyId: key_id ?? null,
    })),
    status: row.status as EscalationStatus,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    resolvedBy: row.resolved_by,
    resolvedAt: row.resolved_at,
    note: row.note,
    scope: row.scope as ApprovalScope | null,
    validUntil: row.valid_until,
    usesLeft: row.uses_left,
    usedAt: row.used_at,
  }
}

function toRow(escalation: Escalation) {
  const approvals = escalation.approvals.map(({ by, at, note, scope, ttlMinutes, keyId }) => ({
    by,
    at: at.toISOString(),
    note,
    scope,
    ttl_minutes: ttlMinutes,
    key_id: keyId,
  }))
  return {
    escalation_id: escalation.escalationId,
    org_id: escalation.orgId,
    agent_id: escalation.agentId,
    tool: escalation.tool,
    session_id: escalation.sessionId,
    arguments_hash: escalation.argumentsHash,
    arguments_truncated: escalation.isTruncated,
    justification: escalation.justification,
    transaction_id: escalation.transactionId,
    decision_id: escalation.decisionId,
    requested_by: escalation.requestedBy,
    askers: [...escalation.askers],
    triggers: jsonb(escalation.triggers),
    reason: escalation.reason,
    rule: jsonb(escalation.rule),
    approvals: jsonb<StoredApproval[]>(approvals),
    answers: escalation.answers,
    status: escalation.status,
    created_at: escalation.createdAt,
    expires_at: escalation.expiresAt,
    resolved_by: escalation.resolvedBy,
    resolved_at: escalation.resolvedAt,
    note: escalation.note,
    scope: escalation.scope,
    valid_until: escalation.validUntil,
    uses_left: escalation.usesLeft,
    used_at: escalation.usedAt,
  }
}

/** Arrays have to be sent as JSON text, or the driver writes a PostgreSQL array. */
function jsonb<T>(value: T) {
  return sql<T>`${JSON.stringify(value)}::jsonb`
}

import type { Provenance } from '@touchstone/protocol/evidence'
import { type GeneratedAlways, type Kysely, type Selectable, sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'
import { createToolHistory } from './tool-history-store.ts'
import type { Trace, TracePolicy } from './trace.ts'
import type { Verification, ViolationType } from './verify-trace.ts'

type TraceTables = {
  trace: {
    agent_id: string
    trace_id: string
    org_id: string
    session_id: string
    occurred_at: Date
    action_type: string
    action_name: string
    verified: boolean
    violations: string[]
    document: unknown
    verification: unknown
    policy: unknown
    input_hash: string
    created_at: Date
    keep_until: Date
    behaviour: unknown
    card_id: GeneratedAlways<string>
    provenance: Provenance
    decision_id: string | null
  }
  trace_owner: { org_id: string; trace_id: string; agent_id: string }
  trace_tally: { agent_id: string; stored: number; verified: number }
}

export type StoredTrace = {
  trace: Trace
  orgId: string
  sessionId: string
  verification: Verification
  /** Null if no policy was in force. */
  policy: TracePolicy | null
  inputHash: string
  provenance: Provenance
  createdAt: Date
  keepUntil: Date
}

export type SeenBehaviour = Behaviour & { traceId: string; sessionId: string }

export type TraceFilter = {
  orgId: string
  agentId: string | undefined
  sessionId: string | undefined
  verified: boolean | undefined
  violation: ViolationType | undefined
  actionType: string | undefined
  actionName: string | undefined
  provenance: Provenance | undefined
  from: Date | undefined
  to: Date | undefined
}

export function createTraceStore(db: Db) {
  const writes = createWrites(db)
  const reads = createReads(db)
  const history = createToolHistory(db)
  const removal = createRemoval(db)
  return {
    addToTally: writes.addToTally,
    claimId: writes.claimId,
    insert: writes.insert,
    isDecisionUsed: writes.isDecisionUsed,

    find: reads.find,
    findInOrgs: reads.findInOrgs,
    list: reads.list,
    listBehaviour: reads.listBehaviour,
    listLatestIds: reads.listLatestIds,
    listPolicies: reads.listPolicies,
    verifiedCounts: reads.verifiedCounts,

    findLeftOut: history.findLeftOut,
    listRecentToolUse: history.listRecentToolUse,
    listToolUse: history.listToolUse,

    deleteExpired: removal.deleteExpired,
    deleteOfAgent: removal.deleteOfAgent,
    nextOrg: removal.nextOrg,
  }
}

function createWrites(db: Db) {
  const q = db.withTables<TraceTables>()
  return {
    /** False if the id is taken in the organisation. Waits for a concurrent insert of the same id. */
    async claimId(owner: { orgId: string; agentId: string }, traceId: string): Promise<boolean> {
      const made = await q
        .insertInto('trace_owner')
        .values({ org_id: owner.orgId, trace_id: traceId, agent_id: owner.agentId })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return Number(made.numInsertedOrUpdatedRows ?? 0) === 1
    },

    async insert(stored: StoredTrace): Promise<void> {
      await q.insertInto('trace').values(toRow(stored)).execute()
    },

    /** Whether another trace names the decision. The agent must be locked. */
    async isDecisionUsed(agentId: string, decisionId: string): Promise<boolean> {
      const row = await q
        .selectFrom('trace')
        .select('trace_id')
        .where('agent_id', '=', agentId)
        .where('decision_id', '=', decisionId)
        .executeTakeFirst()
      return row !== undefined
    },

    /** Locks the agent's tally until the transaction ends. */
    async addToTally(
      agentId: string,
      { stored, verified }: { stored: number; verified: number },
    ): Promise<void> {
      await sql`insert into trace_tally (agent_id, stored, verified)
        values (${agentId}, ${stored}, ${verified})
        on conflict (agent_id) do update
          set stored = trace_tally.stored + excluded.stored,
            verified = trace_tally.verified + excluded.verified`.execute(db)
    },
  }
}

function createReads(db: Db) {
  const q = db.withTables<TraceTables>()
  return {
    /** The number of verified traces each agent ever stored; omits agents without any trace. */
    async verifiedCounts(agentIds: readonly string[]): Promise<Map<string, number>> {
      const rows = await q
        .selectFrom('trace_tally')
        .selectAll()
        .where(sql<boolean>`agent_id = any(${agentIds})`)
        .execute()
      return new Map(rows.map((row) => [row.agent_id, row.verified]))
    },

    async find(trace: { agentId: string; traceId: string }): Promise<StoredTrace | undefined> {
      const row = await q
        .selectFrom('trace')
        .selectAll()
        .where('agent_id', '=', trace.agentId)
        .where('trace_id', '=', trace.traceId)
        .executeTakeFirst()
      return row && toStored(row)
    },

    /** At most one per organisation. */
    async findInOrgs(orgIds: readonly string[], traceId: string): Promise<StoredTrace[]> {
      // Two steps, so that the second reads only the partitions of these agents.
      const owners = await q
        .selectFrom('trace_owner')
        .select('agent_id')
        .where(sql<boolean>`org_id = any(${orgIds}::text[])`)
        .where('trace_id', '=', traceId)
        .execute()
      if (owners.length === 0) return []
      const agentIds = owners.map((row) => row.agent_id)
      const rows = await q
        .selectFrom('trace')
        .selectAll()
        .where(sql<boolean>`agent_id = any(${agentIds}::text[])`)
        .where('trace_id', '=', traceId)
        .execute()
      return rows.map(toStored)
    },

    /** Newest first by the time of the decision. */
    async list(filter: TraceFilter, request: PageRequest): Promise<Page<StoredTrace>> {
      const rows = matching(q, filter)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('occurred_at', 'desc')
        .orderBy('trace_id')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toStored), total: counted.total }
    },

    /** The last traces of a card by (timestamp, trace_id), newest last. An index-only scan. */
    async listLatestIds(wanted: {
      agentId: string
      cardId: string
      countMax: number
    }): Promise<string[]> {
      const found = await sql<{ trace_id: string }>`select trace_id from trace
        where agent_id = ${wanted.agentId} and card_id = ${wanted.cardId}
        order by occurred_at desc, trace_id collate "C" desc
        limit ${wanted.countMax}`.execute(q)
      return found.rows.map((row) => row.trace_id).reverse()
    },

    /** By trace id, omitting traces without a policy in force. */
    async listPolicies(
      agentId: string,
      traceIds: readonly string[],
    ): Promise<Map<string, TracePolicy>> {
      const rows = await q
        .selectFrom('trace')
        .select(['trace_id', 'policy'])
        .where('agent_id', '=', agentId)
        .where(sql<boolean>`trace_id = any(${traceIds}::text[])`)
        .where('policy', 'is not', null)
        .execute()
      return new Map(rows.map((row) => [row.trace_id, row.policy as TracePolicy]))
    },

    /** The traces that exist, in the order given. Reads the document only of traces older than `behaviour`. */
    async listBehaviour(agentId: string, traceIds: readonly string[]): Promise<SeenBehaviour[]> {
      const found = await sql<BehaviourRow>`select trace_id, session_id, behaviour,
          case when behaviour is null then document end as document
        from trace where agent_id = ${agentId} and trace_id = any(${traceIds}::text[])`.execute(q)
      const byId = new Map(found.rows.map((row) => [row.trace_id, row]))
      return traceIds.flatMap((id) => {
        const row = byId.get(id)
        return row === undefined ? [] : [toSeen(row)]
      })
    },
  }
}

function createRemoval(db: Db) {
  const q = db.withTables<TraceTables>()
  return {
    /** The next organisation with traces, in order of id; pass an empty string for the first. */
    async nextOrg(afterOrgId: string): Promise<string | undefined> {
      const row = await q
        .selectFrom('trace')
        .select('org_id')
        .where('org_id', '>', afterOrgId)
        .orderBy('org_id')
        .limit(1)
        .executeTakeFirst()
      return row?.org_id
    },

    /** Keeps their ids reserved. */
    async deleteExpired(
      orgId: string,
      expiry: { storedBefore: Date; now: Date },
      rowsMax: number,
    ): Promise<number> {
      return asPurger(db, async () => {
        const gone = await sql`delete from trace using (
            select agent_id, trace_id from trace
            where org_id = ${orgId} and created_at < ${expiry.storedBefore}
              and keep_until <= ${expiry.now}
            limit ${rowsMax}) expired
          where trace.agent_id = expired.agent_id and trace.trace_id = expired.trace_id`.execute(q)
        return Number(gone.numAffectedRows ?? 0)
      })
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('trace').where('agent_id', '=', agentId).execute()
        await q.deleteFrom('trace_owner').where('agent_id', '=', agentId).execute()
      })
      await q.deleteFrom('trace_tally').where('agent_id', '=', agentId).execute()
    },
  }
}

function matching(q: Kysely<TraceTables>, filter: TraceFilter) {
  const equal = [
    ['agent_id', filter.agentId],
    ['session_id', filter.sessionId],
    ['verified', filter.verified],
    ['action_type', filter.actionType],
    ['action_name', filter.actionName],
    ['provenance', filter.provenance],
  ] as const
  let rows = q.selectFrom('trace').where('org_id', '=', filter.orgId)
  for (const [column, value] of equal) {
    if (value !== undefined) rows = rows.where(column, '=', value)
  }
  if (filter.violation !== undefined) {
    // The first condition is redundant but lets the planner use the index of failed traces.
    rows = rows
      .where('verified', '=', false)
      .where(sql<boolean>`violations @> ${[filter.violation]}::text[]`)
  }
  if (filter.from !== undefined) rows = rows.where('occurred_at', '>=', filter.from)
  if (filter.to !== undefined) rows = rows.where('occurred_at', '<=', filter.to)
  return rows
}

function toRow(stored: StoredTrace) {
  const { trace, verification } = stored
  const { valuesApplied, ...behaviour } = behaviourOf(trace)
  return {
    agent_id: trace.agent_id,
    trace_id: trace.trace_id,
    org_id: stored.orgId,
    session_id: stored.sessionId,
    occurred_at: new Date(trace.timestamp),
    action_type: trace.action.type,
    action_name: trace.action.name,
    verified: verification.verified,
    violations: [...verification.violations],
    document: JSON.stringify(trace),
    verification: JSON.stringify(verification),
    policy: stored.policy && JSON.stringify(stored.policy),
    input_hash: stored.inputHash,
    provenance: stored.provenance,
    decision_id: trace.decision_id ?? null,
    created_at: stored.createdAt,
    keep_until: stored.keepUntil,
    behaviour: JSON.stringify({ ...behaviour, values_applied: valuesApplied }),
  }
}

function toStored(row: Selectable<TraceTables['trace']>): StoredTrace {
  return {
    trace: row.document as Trace,
    orgId: row.org_id,
    sessionId: row.session_id,
    verification: row.verification as Verification,
    policy: row.policy as TracePolicy | null,
    inputHash: row.input_hash,
    provenance: row.provenance,
    createdAt: row.created_at,
    keepUntil: row.keep_until,
  }
}

type BehaviourRow = {
  trace_id: string
  session_id: string
  behaviour: (Omit<Behaviour, 'valuesApplied'> & { values_applied: readonly string[] }) | null
  /** Present only for traces stored before the column `behaviour` existed. */
  document: unknown
}

function toSeen(row: BehaviourRow): SeenBehaviour {
  const { trace_id: traceId, session_id: sessionId } = row
  if (row.behaviour === null) return { traceId, sessionId, ...behaviourOf(row.document as Trace) }
  const { values_applied: valuesApplied, ...rest } = row.behaviour
  return { traceId, sessionId, valuesApplied, ...rest }
}

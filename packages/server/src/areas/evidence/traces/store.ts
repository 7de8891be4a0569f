import { type GeneratedAlways, type Kysely, type Selectable, sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { type Behaviour, behaviourOf } from './behaviour.ts'
import { type Trace, type TracePolicy, toolsOf } from './trace.ts'
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
  }
  trace_owner: { trace_id: string; agent_id: string }
  trace_tally: { agent_id: string; stored: number }
}

export type StoredTrace = {
  trace: Trace
  orgId: string
  sessionId: string
  verification: Verification
  /** Null if no policy was in force. */
  policy: TracePolicy | null
  inputHash: string
  createdAt: Date
  keepUntil: Date
}

export type SeenBehaviour = Behaviour & { traceId: string; sessionId: string }

/** A position among an agent's traces, ordered by time of decision. */
export type TracePlace = { traceId: string; occurredAt: Date }

export type ToolUse = TracePlace & { tools: readonly string[] }

type RecentQuery = {
  orgId: string
  agentId: string | undefined
  range: { start: Date; end: Date }
  before: TracePlace | undefined
  countMax: number
}

/** A range that excludes its end. */
type HistoryQuery = { agentId: string; range: { start: Date; end: Date } }

export type TraceFilter = {
  orgId: string
  agentId: string | undefined
  sessionId: string | undefined
  verified: boolean | undefined
  violation: ViolationType | undefined
  actionType: string | undefined
  actionName: string | undefined
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

    find: reads.find,
    list: reads.list,
    listBehaviour: reads.listBehaviour,
    listLatestIds: reads.listLatestIds,
    listPolicies: reads.listPolicies,
    storedCounts: reads.storedCounts,

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
    /** False if the id is taken. Waits for a concurrent insert of the same id. */
    async claimId(traceId: string, agentId: string): Promise<boolean> {
      const made = await q
        .insertInto('trace_owner')
        .values({ trace_id: traceId, agent_id: agentId })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return Number(made.numInsertedOrUpdatedRows ?? 0) === 1
    },

    async insert(stored: StoredTrace): Promise<void> {
      await q.insertInto('trace').values(toRow(stored)).execute()
    },

    /** Locks the agent's tally until the transaction ends. */
    async addToTally(agentId: string, amount: number): Promise<void> {
      await sql`insert into trace_tally (agent_id, stored) values (${agentId}, ${amount})
        on conflict (agent_id) do update
          set stored = trace_tally.stored + excluded.stored`.execute(db)
    },
  }
}

function createReads(db: Db) {
  const q = db.withTables<TraceTables>()
  return {
    /** The number of traces each agent ever stored; omits agents without any. */
    async storedCounts(agentIds: readonly string[]): Promise<Map<string, number>> {
      const rows = await q
        .selectFrom('trace_tally')
        .selectAll()
        .where(sql<boolean>`agent_id = any(${agentIds})`)
        .execute()
      return new Map(rows.map((row) => [row.agent_id, row.stored]))
    },

    async find(traceId: string): Promise<StoredTrace | undefined> {
      // Two steps, so that the second reads a single partition.
      const owner = await q
        .selectFrom('trace_owner')
        .select('agent_id')
        .where('trace_id', '=', traceId)
        .executeTakeFirst()
      if (owner === undefined) return undefined
      const row = await q
        .selectFrom('trace')
        .selectAll()
        .where('agent_id', '=', owner.agent_id)
        .where('trace_id', '=', traceId)
        .executeTakeFirst()
      return row && toStored(row)
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

/** The tools used by past traces, for evaluating them against different policies. */
function createToolHistory(db: Db) {
  const q = db.withTables<TraceTables>()
  return {
    /** The newest trace of the range beyond its `newestMax` newest. */
    async findLeftOut({ agentId, range, newestMax }: HistoryQuery & { newestMax: number }) {
      const found = await sql<PlaceRow>`select trace_id, occurred_at from trace
        where agent_id = ${agentId} and occurred_at >= ${range.start} and occurred_at < ${range.end}
        order by occurred_at desc, trace_id collate "C" desc
        limit 1 offset ${newestMax}`.execute(q)
      const [row] = found.rows
      return row && { traceId: row.trace_id, occurredAt: row.occurred_at }
    },

    /** By (timestamp, trace_id), after the given position or from the start. */
    async listToolUse(
      wanted: HistoryQuery & { after: TracePlace | undefined; countMax: number },
    ): Promise<ToolUse[]> {
      const { agentId, range, after, countMax } = wanted
      const from = after?.occurredAt ?? range.start
      // No id is empty, so without a position all traces of the first instant are included.
      const found = await sql<ToolUseRow>`select trace_id, occurred_at, action_type, action_name,
          document -> 'tools' as tools
        from trace
        where agent_id = ${agentId} and occurred_at >= ${from} and occurred_at < ${range.end}
          and (occurred_at, trace_id collate "C") > (${from}, ${after?.traceId ?? ''})
        order by occurred_at, trace_id collate "C" limit ${countMax}`.execute(q)
      return found.rows.map(toToolUse)
    },

    /** Tool use of an organisation or one of its agents, newest first, before the given position. */
    async listRecentToolUse(wanted: RecentQuery): Promise<(ToolUse & { agentId: string })[]> {
      const { orgId, agentId, range, before, countMax } = wanted
      const until = before?.occurredAt ?? range.end
      const ofAgent = agentId === undefined ? sql`true` : sql`agent_id = ${agentId}`
      // Without a position, no trace at the end itself is included: the range excludes its end.
      const found = await sql<ToolUseRow & { agent_id: string }>`
        select agent_id, trace_id, occurred_at, action_type, action_name,
          document -> 'tools' as tools
        from trace
        where org_id = ${orgId} and ${ofAgent}
          and occurred_at >= ${range.start} and occurred_at <= ${until}
          and (occurred_at, trace_id collate "C") < (${until}, ${before?.traceId ?? ''})
        order by occurred_at desc, trace_id collate "C" desc limit ${countMax}`.execute(q)
      return found.rows.map((row) => ({ ...toToolUse(row), agentId: row.agent_id }))
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
    createdAt: row.created_at,
    keepUntil: row.keep_until,
  }
}

type PlaceRow = { trace_id: string; occurred_at: Date }

type ToolUseRow = PlaceRow & {
  action_type: string
  action_name: string
  tools: readonly string[] | null
}

function toToolUse(row: ToolUseRow): ToolUse {
  const { action_type: type, action_name: name, tools } = row
  const used = toolsOf({ action: { type, name }, ...(tools === null ? {} : { tools }) })
  return { traceId: row.trace_id, occurredAt: row.occurred_at, tools: used }
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

import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { type DecisionId, firstUuidAt } from '../../../kernel/ids.ts'
import type { DecisionRecord, Outcome } from './decision-record.ts'
import { type DecisionRow, toDecision, toId, toOutcome, toUuid } from './decision-row.ts'

/** A decision, as far as records that name it must match it. */
export type NamedDecision = Pick<DecisionRecord, 'agentId' | 'sessionId' | 'tool' | 'decision'>

type NamedRow = { decision_id: string; session_id: string | null } & {
  agent_id: string
  tool: string
  decision: NamedDecision['decision']
}

/** A decision with the outcome that it has so far, and the id of its kind. */
export type KnownDecision = { decision: DecisionRecord; outcome: Outcome | null; kindId: number }

/** A call that was made, as a client describes it afterwards. */
export type OpenCall = {
  orgId: string
  agentId: string
  sessionId: string
  call: { callId: string | undefined; tool: string; argumentsHash: string | null }
}

const COLUMNS = sql`d.*, k.agent_id, k.tool, k.decision, k.reasons, k.verdict,
  k.enforcement_mode, k.agent_enforcement_mode, k.policy_id, k.policy_version, k.asked_by, k.source,
  k.enforced, k.outcome, k.bypassed`
const FROM = sql`from decision d
  join decision_kind k on k.org_id = d.org_id and k.kind_id = d.kind_id`
const SELECT = sql`select ${COLUMNS} ${FROM}`

/** Calls without an id that one request can report. */
const UNNAMED_MAX = 100

function inSession(of: { orgId: string; agentId: string; sessionId: string; since: Date }) {
  return sql`d.org_id = ${of.orgId} and k.agent_id = ${of.agentId}
    and d.session_id = ${of.sessionId} and k.source = 'model_gateway'
    and d.decision_id >= ${firstUuidAt(of.since.getTime())}::uuid`
}

/** Decisions without their batches, whose leaves are most of the bytes of a receipt. */
export function createRecordStore(db: Db) {
  return {
    /** The decisions of the organisation among these, by id. */
    async find(
      orgId: string,
      decisionIds: readonly DecisionId[],
    ): Promise<Map<DecisionId, KnownDecision>> {
      const found = await sql<DecisionRow & { kind_id: number }>`${SELECT}
        where d.org_id = ${orgId} and d.decision_id = any(${decisionIds.map(toUuid)}::uuid[])
      `.execute(db)
      const known = found.rows.map((row): KnownDecision => {
        return { decision: toDecision(row), outcome: toOutcome(row), kindId: row.kind_id }
      })
      return new Map(known.map((one) => [one.decision.decisionId, one]))
    },

    /** The organisation's decisions among these, by id, as records that name them need them. */
    async findNamed(
      orgId: string,
      decisionIds: readonly DecisionId[],
    ): Promise<Map<string, NamedDecision>> {
      const found = await sql<NamedRow>`
        select d.decision_id, d.session_id, k.agent_id, k.tool, k.decision
        from decision d join decision_kind k on k.org_id = d.org_id and k.kind_id = d.kind_id
        where d.org_id = ${orgId} and d.decision_id = any(${decisionIds.map(toUuid)}::uuid[])
      `.execute(db)
      return new Map(
        found.rows.map((row) => [
          toId(row.decision_id),
          {
            agentId: row.agent_id,
            sessionId: row.session_id,
            tool: row.tool,
            decision: row.decision,
          },
        ]),
      )
    },

    /**
     * The newest decision about each of these calls in the session, for outcomes that a program reads
     * itself. Servers repeat ids, so one that let its call through comes first: a result cannot be known to
     * be that of a refused call then. A call without an id is named by its tool: all decisions about it that let it through.
     */
    async findOfCalls(
      call: { orgId: string; agentId: string; sessionId: string; since: Date },
      wanted: { callIds: readonly string[]; tools: readonly string[] },
    ): Promise<KnownDecision[]> {
      const hashes = wanted.callIds.map((callId) => `${call.orgId} ${callId}`)
      const found = await sql<DecisionRow & { kind_id: number }>`
        select * from (
          select distinct on (d.call_id) ${COLUMNS} ${FROM}
          where hashtextextended(d.org_id || ' ' || d.call_id, 0)
              = any(select hashtextextended(t, 0) from unnest(${hashes}::text[]) t)
            and d.call_id = any(${wanted.callIds}::text[]) and ${inSession(call)}
          order by d.call_id, k.decision in ('allow', 'warn') desc, d.decision_id desc
        ) named
        union all select * from (
          select ${COLUMNS} ${FROM}
          where hashtextextended(d.org_id || ' ' || d.session_id, 0)
              = hashtextextended(${`${call.orgId} ${call.sessionId}`}, 0)
            and k.tool = any(${wanted.tools}::text[]) and k.decision in ('allow', 'warn')
            and k.outcome is null and ${inSession(call)}
          order by d.decision_id limit ${UNNAMED_MAX}
        ) unnamed`.execute(db)
      return found.rows.map((row): KnownDecision => {
        return { decision: toDecision(row), outcome: toOutcome(row), kindId: row.kind_id }
      })
    },

    /**
     * The newest decision of a session without an outcome about the call with this id, or about a call of
     * this tool with these arguments.
     */
    async findOpen({ orgId, agentId, sessionId, call }: OpenCall): Promise<string | undefined> {
      const same =
        call.callId !== undefined
          ? sql`d.call_id = ${call.callId}`
          : sql`k.tool = ${call.tool} and d.arguments_hash is not distinct from ${bytesOf(call.argumentsHash)}`
      const found = await sql<Pick<DecisionRow, 'decision_id'>>`
        select d.decision_id
        from decision d join decision_kind k on k.org_id = ${orgId} and k.kind_id = d.kind_id
        where d.org_id = ${orgId}
          and hashtextextended(d.org_id || ' ' || d.session_id, 0)
            = hashtextextended(${`${orgId} ${sessionId}`}, 0)
          and d.session_id = ${sessionId} and k.agent_id = ${agentId} and k.outcome is null
          and ${same}
        order by d.decision_id desc limit 1`.execute(db)
      const [row] = found.rows
      return row && toId(row.decision_id)
    },

    /** The newest decisions, newest first. */
    async recent(orgId: string, limit: number): Promise<DecisionRecord[]> {
      const found = await sql<DecisionRow>`${SELECT}
        where d.org_id = ${orgId} order by d.decision_id desc limit ${limit}`.execute(db)
      return found.rows.map(toDecision)
    },
  }
}

function bytesOf(hash: string | null): Buffer | null {
  return hash === null ? null : Buffer.from(hash, 'hex')
}

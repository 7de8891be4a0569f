import { type RawBuilder, sql } from 'kysely'
import { asPurger, type Db } from '../../../kernel/db.ts'
import type { AgentId, DecisionId, OrgId } from '../../../kernel/ids.ts'
import { namesOf, rowsOf } from '../../../postgres/rows.ts'
import { insertDeltas } from './counter-store.ts'
import type { DecisionFilter, DecisionPage } from './decision-filter.ts'
import type { DecisionRecord, SignedBatch, StoredDecision } from './decision-record.ts'
import { type SignedRow, toStored, toUuid } from './decision-row.ts'
import { listDecisions } from './list-store.ts'

/** A decision with the id of its kind, which is stored already. */
export type NumberedBatch = Omit<SignedBatch, 'decisions'> & {
  decisions: readonly (DecisionRecord & { kindId: number })[]
}

const DECISION_COLUMNS = {
  org_id: 'text',
  agent_id: 'text',
  decision_id: 'uuid',
  kind_id: 'integer',
  batch_id: 'uuid',
  batch_index: 'smallint',
  duration_us: 'integer',
  session_id: 'text',
  call_id: 'text',
  client: 'text',
  arguments_hash: 'hex',
  transaction_id: 'text',
  escalation_id: 'text',
}
/** The agent is only passed to tell whether it still exists; the kind has it. */
const { agent_id: _, ...STORED_COLUMNS } = DECISION_COLUMNS

const BATCH_COLUMNS = {
  org_id: 'text',
  batch_id: 'uuid',
  signed_at: 'timestamptz',
  key_id: 'text',
  signature: 'hex',
  leaves: 'hex',
}

export function createDecisionStore(db: Db) {
  return {
    /**
     * Inserts signed batches and counts their decisions. Decisions about agents that no longer exist
     * are left out, because nothing may be stored about an agent after its erasure; returns the ids of
     * the agents that exist. One statement, so it needs no transaction, also if it takes counts.
     */
    async insert(
      batches: readonly NumberedBatch[],
      parts: {
        selectExisting(agentIds: readonly string[]): RawBuilder<{ agent_id: string }>
        /** Queues the heads of the batches for the witnessed log. */
        logging: RawBuilder<unknown>
        counting: RawBuilder<unknown> | undefined
      },
    ): Promise<ReadonlySet<string>> {
      const { selectExisting, logging, counting } = parts
      const reserved = counting ? sql`, reserved as (${counting})` : sql``
      const rows = batches.flatMap(toDecisionRows)
      const agentIds = [...new Set(rows.map((row) => row.agent_id))]
      const existing = await sql<{ agent_id: string }>`
        with existing as materialized (${selectExisting(agentIds)}),
        batches as (
          insert into decision_batch (${namesOf(BATCH_COLUMNS)})
          select * from ${rowsOf(BATCH_COLUMNS, batches.map(toBatchRow))} as b),
        logged as (${logging}),
        inserted as (
          insert into decision (${namesOf(STORED_COLUMNS)})
          select ${namesOf(STORED_COLUMNS)} from ${rowsOf(DECISION_COLUMNS, rows)} as r
          join existing using (agent_id)),
        counted as (${insertDeltas(batches.flatMap(({ decisions }) => decisions))})${reserved}
        select agent_id from existing`.execute(db)
      return new Set(existing.rows.map((row) => row.agent_id))
    },

    async find(orgId: string, decisionId: DecisionId): Promise<StoredDecision | undefined> {
      const found = await sql<SignedRow>`select ${SELECTED} ${FROM}
        where d.org_id = ${orgId} and d.decision_id = ${toUuid(decisionId)}::uuid`.execute(db)
      return found.rows.map(toStored)[0]
    },

    /** The newest decisions that match. */
    list: (filter: DecisionFilter, page: DecisionPage): Promise<StoredDecision[]> =>
      listDecisions(db, filter, page),

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, () =>
        sql`delete from decision d using decision_kind k
          where k.agent_id = ${agentId} and d.org_id = k.org_id and d.kind_id = k.kind_id
        `.execute(db),
      )
      await sql`delete from decision_kind where agent_id = ${agentId}`.execute(db)
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await asPurger(db, async () => {
        await sql`delete from decision where org_id = ${orgId}`.execute(db)
        await sql`delete from decision_batch where org_id = ${orgId}`.execute(db)
      })
      await sql`delete from decision_kind where org_id = ${orgId}`.execute(db)
    },
  }
}

const FROM = sql`from decision d
  join decision_kind k on k.org_id = d.org_id and k.kind_id = d.kind_id
  join decision_batch b on b.org_id = d.org_id and b.batch_id = d.batch_id`

const SELECTED = sql`d.*, k.agent_id, k.tool, k.decision, k.reasons, k.verdict, k.enforcement_mode,
  k.agent_enforcement_mode, k.policy_id, k.policy_version, k.asked_by, k.source, k.enforced,
  k.outcome, k.bypassed, b.signed_at, b.key_id, b.signature, b.leaves`

/** The id of a batch is that of its last decision. */
function batchIdOf({ decisions }: NumberedBatch): string {
  return decisions.map(({ decisionId }) => toUuid(decisionId)).reduce(later)
}

function later(a: string, b: string): string {
  return a > b ? a : b
}

function toBatchRow(batch: NumberedBatch): Record<keyof typeof BATCH_COLUMNS, unknown> {
  return {
    org_id: batch.orgId,
    batch_id: batchIdOf(batch),
    signed_at: batch.signedAt,
    key_id: batch.keyId,
    signature: Buffer.from(batch.signature, 'base64').toString('hex'),
    leaves: Buffer.concat(batch.leaves).toString('hex'),
  }
}

function toDecisionRows(batch: NumberedBatch) {
  const batchId = batchIdOf(batch)
  return batch.decisions.map((one, index) => ({
    org_id: one.orgId,
    agent_id: one.agentId,
    decision_id: toUuid(one.decisionId),
    kind_id: one.kindId,
    batch_id: batchId,
    batch_index: index,
    duration_us: Math.round(one.durationMs * 1000),
    session_id: one.sessionId,
    call_id: one.callId,
    client: one.client,
    arguments_hash: one.argumentsHash,
    transaction_id: one.transactionId,
    escalation_id: one.escalationId,
  }))
}

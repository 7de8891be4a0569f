import { sql, type UpdateQueryBuilder, type UpdateResult } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Fault, Milestone, Walk, What } from './chain-walk.ts'

type AuditTables = {
  chain_audit: {
    agent_id: string
    position: number
    chain_hash: Buffer | null
    leaf_count: number
    edge: Buffer[]
    leased_by: string | null
    leased_until: Date | null
    audited_at: Date | null
    result: string | null
    audited_through: number | null
    audited_chain_hash: Buffer | null
    audited_leaf_count: number
    audited_edge: Buffer[]
    fault_position: number | null
    fault_what: string | null
    fault_at: Date | null
    full_requested_at: Date | null
    full_finished_at: Date | null
  }
}

type AuditRow = AuditTables['chain_audit']

/** Gives one walker a chain for itself until the lease expires. */
export type Lease = { worker: string; now: Date; until: Date }

export type Claimed = {
  agentId: string
  walk: Walk
  /** The end of the last intact walk. */
  audited: Milestone
}

export type FoundFault = Fault & { at: Date }

export type Audit = {
  /** The end of the last intact walk. */
  audited: Walk
  auditedAt: Date | null
  fault: FoundFault | null
  full: FullAudit | null
}

/** A walk over the whole chain that somebody asked for. */
export type FullAudit = { requestedAt: Date; finishedAt: Date | null }

export function createAuditStore(db: Db) {
  const q = db.withTables<AuditTables>()
  const leased = (agentId: string, worker: string) =>
    q.updateTable('chain_audit').where('agent_id', '=', agentId).where('leased_by', '=', worker)

  return {
    /** Leaves known chains unchanged. */
    async enrol(agentIds: readonly string[]): Promise<void> {
      await sql`insert into chain_audit (agent_id) select unnest(${agentIds}::text[])
        on conflict do nothing`.execute(db)
    },

    async find(agentId: string): Promise<Audit | undefined> {
      const row = await q
        .selectFrom('chain_audit')
        .selectAll()
        .where('agent_id', '=', agentId)
        .executeTakeFirst()
      return row && toAudit(row)
    },

    /** Undefined if another walker holds the lease. */
    async claim(agentId: string, lease: Lease): Promise<Claimed | undefined> {
      const row = await q
        .updateTable('chain_audit')
        .set({ leased_by: lease.worker, leased_until: lease.until })
        .where('agent_id', '=', agentId)
        .where(sql<boolean>`(leased_until is null or leased_until < ${lease.now})`)
        .returningAll()
        .executeTakeFirst()
      return row && toClaimed(row)
    },

    /** The unleased chain that is due and was walked least recently. */
    async claimOldest(dueBefore: Date, lease: Lease): Promise<Claimed | undefined> {
      const found = await sql<AuditRow>`
        update chain_audit set leased_by = ${lease.worker}, leased_until = ${lease.until}
        where agent_id = (
          select agent_id from chain_audit
          where (audited_at is null or audited_at < ${dueBefore})
            and (leased_until is null or leased_until < ${lease.now})
          order by audited_at nulls first, agent_id limit 1 for update skip locked)
        returning *`.execute(db)
      const [row] = found.rows
      return row && toClaimed(row)
    },

    /** False if the lease was lost or the agent erased. */
    async saveWalk(agentId: string, walk: Walk, lease: Lease): Promise<boolean> {
      return hasChanged(
        leased(agentId, lease.worker).set({ ...toWalkRow(walk), leased_until: lease.until }),
      )
    },

    async release(agentId: string, worker: string): Promise<void> {
      await leased(agentId, worker).set(FREE).execute()
    },

    /** Resets the progress, so that the next walk begins at the start. */
    async endWalk(agentId: string, worker: string): Promise<void> {
      await leased(agentId, worker)
        .set({ ...FREE, position: 0, chain_hash: null, leaf_count: 0, edge: sql`'{}'` })
        .execute()
    },

    /** Records a walk of the whole chain that found no fault. */
    async saveIntact(agentId: string, walk: Walk, now: Date): Promise<void> {
      const { position, chain_hash, leaf_count, edge } = toWalkRow(walk)
      await q
        .updateTable('chain_audit')
        .set({
          audited_at: now,
          result: 'intact',
          audited_through: position === 0 ? null : position - 1,
          audited_chain_hash: chain_hash,
          audited_leaf_count: leaf_count,
          audited_edge: edge,
        })
        .where('agent_id', '=', agentId)
        .execute()
    },

    async saveBroken(agentId: string, now: Date): Promise<void> {
      await q
        .updateTable('chain_audit')
        .set({ audited_at: now, result: 'broken' })
        .where('agent_id', '=', agentId)
        .execute()
    },

    /** True for the agent's first fault, which is the one that is kept. */
    async noteFault(agentId: string, fault: FoundFault): Promise<boolean> {
      return hasChanged(
        q
          .updateTable('chain_audit')
          .set({ fault_position: fault.position, fault_what: fault.what, fault_at: fault.at })
          .where('agent_id', '=', agentId)
          .where('fault_at', 'is', null),
      )
    },

    /** False while an earlier one is under way, unless it was asked for before `staleBefore`. */
    async requestFull(agentId: string, now: Date, staleBefore: Date): Promise<boolean> {
      return hasChanged(
        q
          .updateTable('chain_audit')
          .set({ full_requested_at: now, full_finished_at: null })
          .where('agent_id', '=', agentId)
          .where(
            sql<boolean>`(full_requested_at is null or full_finished_at is not null
              or full_requested_at < ${staleBefore})`,
          ),
      )
    },

    async finishFull(agentId: string, now: Date): Promise<void> {
      await q
        .updateTable('chain_audit')
        .set({ full_finished_at: now })
        .where('agent_id', '=', agentId)
        .execute()
    },

    async delete(agentId: string): Promise<void> {
      await q.deleteFrom('chain_audit').where('agent_id', '=', agentId).execute()
    },
  }
}

const FREE = { leased_by: null, leased_until: null }

async function hasChanged(
  update: UpdateQueryBuilder<AuditTables, 'chain_audit', 'chain_audit', UpdateResult>,
): Promise<boolean> {
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows > 0
}

function toWalkRow({ position, chainHash, leafCount, edge }: Walk) {
  return {
    position,
    chain_hash: chainHash === null ? null : Buffer.from(chainHash, 'hex'),
    leaf_count: leafCount,
    edge: edge.map((hash) => Buffer.from(hash)),
  }
}

function toClaimed(row: AuditRow): Claimed {
  const { position, leaf_count: leafCount, edge } = row
  const chainHash = row.chain_hash?.toString('hex') ?? null
  const { audited } = toAudit(row)
  return { agentId: row.agent_id, walk: { position, chainHash, leafCount, edge }, audited }
}

function toAudit(row: AuditRow): Audit {
  const { fault_position: position, fault_what: what, fault_at: at } = row
  return {
    audited: {
      position: row.audited_through === null ? 0 : row.audited_through + 1,
      chainHash: row.audited_chain_hash?.toString('hex') ?? null,
      leafCount: row.audited_leaf_count,
      edge: row.audited_edge,
    },
    auditedAt: row.audited_at,
    fault:
      position === null || what === null || at === null
        ? null
        : { position, what: what as What, at },
    full:
      row.full_requested_at === null
        ? null
        : { requestedAt: row.full_requested_at, finishedAt: row.full_finished_at },
  }
}

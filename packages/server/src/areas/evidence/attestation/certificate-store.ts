import type { StoredCertificate } from '@touchstone/protocol/evidence'
import type { MerkleNode, NodeId } from '@touchstone/protocol/merkle'
import { sql } from 'kysely'
import { asPurger, type Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type { NewCertificate } from './seal.ts'

type CertificateTables = {
  merkle_node: { agent_id: string; level: number; index: number; hash: Buffer }
  certificate: {
    agent_id: string
    position: number
    certificate_id: string
    key_id: string
    signature: Buffer
    issued_at: Date
    base_url: string
    certificate_hash: Buffer
  }
  erased_leaf: { id_hash: string; leaf_index: number; leaf_hash: Buffer }
}

export type NewNode = MerkleNode & { agentId: string }

/** The fields that all certificates of a batch share. */
export type Issue = { keyId: string; issuedAt: Date; baseUrl: string }

const HASH_BYTES = 32
const SIGNATURE_BYTES = 64
const NO_HASH = Buffer.alloc(HASH_BYTES)

/** Rows are passed as arrays and bytes concatenated, so that any batch is the same prepared statement. */
export function createCertificateStore(db: Db) {
  const q = db.withTables<CertificateTables>()
  return {
    /** One statement for both, because every checkpoint waits for it. */
    async insert(
      nodes: readonly NewNode[],
      made: readonly NewCertificate[],
      issue: Issue,
    ): Promise<void> {
      await sql`with grown as (
          insert into merkle_node (agent_id, level, index, hash)
          select agent_id, level, index,
            substring(${Buffer.concat(nodes.map((node) => node.hash))}::bytea
              from (place::int - 1) * ${HASH_BYTES} + 1 for ${HASH_BYTES})
          from unnest(${nodes.map((node) => node.agentId)}::text[],
            ${nodes.map((node) => node.level)}::smallint[],
            ${nodes.map((node) => node.index)}::bigint[])
            with ordinality as made (agent_id, level, index, place))
        insert into certificate (agent_id, position, certificate_id, signature,
          certificate_hash, key_id, issued_at, base_url)
        select agent_id, position, certificate_id,
          substring(${Buffer.concat(made.map((one) => one.signature))}::bytea
            from (place::int - 1) * ${SIGNATURE_BYTES} + 1 for ${SIGNATURE_BYTES}),
          decode(certificate_hash, 'hex'), ${issue.keyId}::text, ${issue.issuedAt}::timestamptz,
          ${issue.baseUrl}::text
        from unnest(${made.map((one) => one.agentId)}::text[],
          ${made.map((one) => one.position)}::bigint[],
          ${made.map((one) => one.certificateId)}::text[],
          ${made.map((one) => one.certificateHash)}::text[])
          with ordinality as made (agent_id, position, certificate_id, certificate_hash, place)`.execute(
        db,
      )
    },

    /** The nodes that exist, in no order. */
    async listNodes(agentId: string, ids: readonly NodeId[]): Promise<MerkleNode[]> {
      const found = await sql<MerkleNode>`select * from (
          select level, index, ${nodeHash(agentId)} as hash
          from unnest(${ids.map((id) => id.level)}::smallint[],
            ${ids.map((id) => id.index)}::bigint[]) as wanted (level, index)
        ) as node where hash is not null`.execute(db)
      return found.rows
    },

    /**
     * The hashes of the nodes in their order, zeros for a missing one. One value, because there are
     * thousands.
     */
    async hashesOf(agentId: string, ids: readonly NodeId[]): Promise<Uint8Array> {
      const found = await sql<{ hashes: Buffer | null }>`
        select string_agg(case when length(hash) = ${HASH_BYTES} then hash else ${NO_HASH} end,
          ''::bytea order by place) as hashes
        from (
          select place, ${nodeHash(agentId)} as hash
          from unnest(${ids.map((id) => id.level)}::smallint[],
            ${ids.map((id) => id.index)}::bigint[]) with ordinality as wanted (level, index, place)
        ) as node`.execute(db)
      // A copy: the buffer of the driver is a part of a larger one, which a message would clone.
      return new Uint8Array(found.rows[0]?.hashes ?? [])
    },

    async listCertificatesAt(
      agentId: string,
      positions: readonly number[],
    ): Promise<StoredCertificate[]> {
      const rows = await q
        .selectFrom('certificate')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where(sql<boolean>`position = any(${positions}::bigint[])`)
        .execute()
      return rows.map(toStored)
    },

    /** In hex by position, omitting missing ones. Returned as one text, because thousands are read. */
    async hashesAt(agentId: string, positions: readonly number[]): Promise<Map<number, string>> {
      const found = await sql<{ listed: string | null }>`
        select string_agg(position || ' ' || encode(certificate_hash, 'hex'), ',') as listed
        from certificate
        where agent_id = ${agentId} and position = any(${positions}::bigint[])`.execute(db)
      const listed = found.rows[0]?.listed?.split(',') ?? []
      return new Map(
        listed.map((one) => {
          const at = one.indexOf(' ')
          return [Number(one.slice(0, at)), one.slice(at + 1)]
        }),
      )
    },

    /** In chain order. */
    async listCertificates(
      agentId: string,
      fromPosition: number,
      limit: number,
    ): Promise<StoredCertificate[]> {
      const rows = await q
        .selectFrom('certificate')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('position', '>=', fromPosition)
        .orderBy('position')
        .limit(limit)
        .execute()
      return rows.map(toStored)
    },

    async keepLeaves(agentId: AgentId, idHash: string): Promise<void> {
      await sql`insert into erased_leaf (id_hash, leaf_index, leaf_hash)
        select ${idHash}, index, hash from merkle_node
        where agent_id = ${agentId} and level = 0`.execute(db)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, async () => {
        await q.deleteFrom('merkle_node').where('agent_id', '=', agentId).execute()
        await q.deleteFrom('certificate').where('agent_id', '=', agentId).execute()
      })
    },
  }
}

function toStored(row: CertificateTables['certificate']): StoredCertificate {
  return {
    agentId: row.agent_id,
    position: row.position,
    certificateId: row.certificate_id,
    keyId: row.key_id,
    signature: row.signature,
    issuedAt: row.issued_at,
    baseUrl: row.base_url,
    certificateHash: row.certificate_hash.toString('hex'),
  }
}

/**
 * A subquery, because the planner would rather read all nodes of the agent than probe the index for
 * each of a few hundred, where it has no statistics.
 */
function nodeHash(agentId: string) {
  return sql`(select hash from merkle_node as stored where stored.agent_id = ${agentId}
    and stored.level = wanted.level and stored.index = wanted.index)`
}

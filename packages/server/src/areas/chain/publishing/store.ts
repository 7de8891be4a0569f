import type { Hex } from '@touchstone/protocol/chain'
import type { Grade } from '@touchstone/protocol/score'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import type { Mined } from './ports.ts'
import type { StoredScore } from './proof.ts'
import type { Publication, Publishable } from './publication.ts'

type PublicationRow = {
  publication_id: string
  seq: number
  chain_id: number
  contract: string
  org_id: string
  agent_count: number
  tx_hash: string | null
  block_number: number | null
  tx_index: number | null
  gas_used: number | null
  published_at: Date | null
  created_at: Date
}

type PublicationTables = {
  publication: PublicationRow
  publication_score: {
    agent_id: string
    publication_seq: number
    score: number
    grade: string
    metadata: string
    metadata_hash: Buffer
  }
}

export type NewPublication = {
  publicationId: string
  chainId: number
  contract: Hex
  orgId: string
  scores: readonly Publishable[]
  now: Date
}

export function createPublicationStore(db: Db) {
  const writes = createWrites(db)
  const reads = createReads(db)
  return {
    insert: writes.insert,
    setMined: writes.setMined,
    delete: writes.delete,
    deleteOfAgent: writes.deleteOfAgent,
    deleteOfOrg: writes.deleteOfOrg,
    find: reads.find,
    list: reads.list,
    count: reads.count,
    latestOf: reads.latestOf,
  }
}

function createWrites(db: Db) {
  const q = db.withTables<PublicationTables>()
  return {
    async insert({ scores, ...made }: NewPublication): Promise<void> {
      const { seq } = await q
        .insertInto('publication')
        .values({
          publication_id: made.publicationId,
          chain_id: made.chainId,
          contract: made.contract,
          org_id: made.orgId,
          agent_count: scores.length,
          created_at: made.now,
        } as never)
        .returning('seq')
        .executeTakeFirstOrThrow()
      await sql`insert into publication_score
          (agent_id, publication_seq, score, grade, metadata, metadata_hash)
        select agent_id, ${seq}, score, grade, metadata, decode(hash, 'hex')
        from unnest(${scores.map((one) => one.agentId)}::text[],
          ${scores.map((one) => one.record.score)}::smallint[],
          ${scores.map((one) => one.record.grade)}::text[],
          ${scores.map((one) => one.metadata)}::text[],
          ${scores.map((one) => one.record.metadataHash.slice(2))}::text[])
          as made (agent_id, score, grade, metadata, hash)`.execute(q)
    },

    async setMined(publicationId: string, mined: Mined | undefined): Promise<void> {
      await q
        .updateTable('publication')
        .set({
          tx_hash: mined?.txHash ?? null,
          block_number: mined?.blockNumber ?? null,
          tx_index: mined?.txIndex ?? null,
          gas_used: mined?.gasUsed ?? null,
          published_at: mined?.blockAt ?? null,
        })
        .where('publication_id', '=', publicationId)
        .execute()
    },

    async delete(publicationId: string): Promise<void> {
      await sql`with gone as (
          delete from publication where publication_id = ${publicationId} returning seq)
        delete from publication_score where publication_seq in (select seq from gone)`.execute(q)
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await q.deleteFrom('publication_score').where('agent_id', '=', agentId).execute()
    },

    async deleteOfOrg(orgId: OrgId): Promise<void> {
      await sql`with gone as (delete from publication where org_id = ${orgId} returning seq)
        delete from publication_score where publication_seq in (select seq from gone)`.execute(q)
    },
  }
}

function createReads(db: Db) {
  const q = db.withTables<PublicationTables>()
  const mined = (orgId: string, chainId: number) =>
    q
      .selectFrom('publication')
      .where('org_id', '=', orgId)
      .where('chain_id', '=', chainId)
      .where('block_number', 'is not', null)
  return {
    async find(publicationId: string): Promise<Publication | undefined> {
      const row = await q
        .selectFrom('publication')
        .selectAll()
        .where('publication_id', '=', publicationId)
        .where('block_number', 'is not', null)
        .executeTakeFirst()
      return row && toPublication(row)
    },

    /** Newest first. */
    async list(orgId: string, chainId: number, page: PageRequest): Promise<Publication[]> {
      const rows = await mined(orgId, chainId)
        .selectAll()
        .orderBy('seq', 'desc')
        .limit(page.perPage)
        .offset(offsetOf(page))
        .execute()
      return rows.map(toPublication)
    },

    async count(orgId: string, chainId: number): Promise<number> {
      const row = await mined(orgId, chainId)
        .select(sql<number>`count(*)`.as('total'))
        .executeTakeFirstOrThrow()
      return row.total
    },

    /** In the order of the chain, which can differ from that of the requests. */
    async latestOf(agentId: string, chainId: number): Promise<StoredScore | undefined> {
      const row = await q
        .selectFrom('publication_score')
        .innerJoin('publication', 'publication.seq', 'publication_score.publication_seq')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('chain_id', '=', chainId)
        .where('block_number', 'is not', null)
        .orderBy('block_number', 'desc')
        .orderBy(sql`tx_index desc nulls last`)
        .orderBy('publication_seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      return (
        row && {
          agentId,
          score: row.score,
          grade: row.grade as Grade,
          metadata: row.metadata,
          metadataHash: `0x${row.metadata_hash.toString('hex')}`,
          contract: row.contract as Hex,
          txHash: row.tx_hash as Hex,
          blockNumber: row.block_number as number,
          publishedAt: row.published_at as Date,
        }
      )
    },
  }
}

/** Called only for mined publications. */
function toPublication(row: PublicationRow): Publication {
  return {
    publicationId: row.publication_id,
    agentCount: row.agent_count,
    txHash: row.tx_hash as Hex,
    blockNumber: row.block_number as number,
    gasUsed: row.gas_used as number,
    publishedAt: row.published_at as Date,
  }
}

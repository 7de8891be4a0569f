import type { Hex } from '@touchstone/protocol/chain'
import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import type { Anchor, AnchorKind, WantedAnchor } from './anchor.ts'
import type { Chunk } from './global-tree.ts'
import type { Mined } from './ports.ts'

type AnchorRow = {
  anchor_id: string
  seq: number
  chain_id: number
  contract: string
  kind: AnchorKind
  org_id: string | null
  merkle_root: Buffer
  leaf_count: number
  tree_depth: number
  tx_hash: string | null
  block_number: number | null
  gas_used: number | null
  anchored_at: Date | null
  created_at: Date
}

type AnchorTables = {
  anchor: AnchorRow
  anchor_leaf: {
    anchor_seq: number
    position: number
    agent_id: string
    merkle_root: Buffer
    checkpoint_count: number
  }
  anchor_chunk: { anchor_seq: number; chunk: number; leaves: Buffer; root: Buffer }
  anchor_org: { org_id: string; anchor_seq: number }
  anchor_reach: { agent_id: string; through_seq: number; anchor_seq: number | null }
}

export type NewAnchor = WantedAnchor & {
  anchorId: string
  chainId: number
  contract: Hex
  orgId: string | null
  kind: AnchorKind
  now: Date
}

/** An agent in the tree of an automatic anchor. */
export type Leaf = { agentId: string; merkleRoot: string; checkpointCount: number }

export type ManualAnchor = {
  seq: number
  merkleRoot: Hex
  leafCount: number
  isMined: boolean
  createdAt: Date
}

const HASH_BYTES = 32

export function createAnchorStore(db: Db) {
  const writes = createWrites(db)
  const reads = createReads(db)
  const coverage = createCoverageReads(db)
  return {
    insert: writes.insert,
    insertLeaves: writes.insertLeaves,
    insertChunks: writes.insertChunks,
    insertOrgs: writes.insertOrgs,
    setMined: writes.setMined,
    delete: writes.delete,
    eraseAgent: writes.eraseAgent,
    eraseOrg: writes.eraseOrg,
    find: reads.find,
    list: reads.list,
    count: reads.count,
    findBySeq: reads.findBySeq,
    latestOfKind: reads.latestOfKind,
    latestOfLog: reads.latestOfLog,
    latestLeafOf: coverage.latestLeafOf,
    findLeaf: coverage.findLeaf,
    chunkLeaves: coverage.chunkLeaves,
    chunkRoots: coverage.chunkRoots,
    findReach: coverage.findReach,
    saveReach: coverage.saveReach,
    manualAfter: coverage.manualAfter,
  }
}

function createWrites(db: Db) {
  const q = db.withTables<AnchorTables>()
  return {
    /** Undefined if the root is already anchored there, or its transaction is pending. */
    async insert(anchor: NewAnchor): Promise<number | undefined> {
      const made = await q
        .insertInto('anchor')
        .values({
          anchor_id: anchor.anchorId,
          chain_id: anchor.chainId,
          contract: anchor.contract,
          kind: anchor.kind,
          org_id: anchor.orgId,
          merkle_root: bytesOf(anchor.merkleRoot),
          leaf_count: anchor.leafCount,
          tree_depth: anchor.treeDepth,
          created_at: anchor.now,
        } as never)
        .onConflict((conflict) => conflict.doNothing())
        .returning('seq')
        .executeTakeFirst()
      return made?.seq
    },

    async insertLeaves(seq: number, first: number, leaves: readonly Leaf[]): Promise<void> {
      await sql`insert into anchor_leaf
          (anchor_seq, position, agent_id, merkle_root, checkpoint_count)
        select ${seq}, ${first}::bigint + place - 1, agent_id, decode(root, 'hex'), amount
        from unnest(${leaves.map((one) => one.agentId)}::text[],
          ${leaves.map((one) => one.merkleRoot)}::text[],
          ${leaves.map((one) => one.checkpointCount)}::bigint[])
          with ordinality as made (agent_id, root, amount, place)`.execute(q)
    },

    async insertChunks(seq: number, first: number, chunks: readonly Chunk[]): Promise<void> {
      const leaves = chunks.map((one) => Buffer.concat(one.leaves).toString('hex'))
      const roots = chunks.map((one) => Buffer.from(one.root).toString('hex'))
      await sql`insert into anchor_chunk (anchor_seq, chunk, leaves, root)
        select ${seq}, ${first}::int + place - 1, decode(leaves, 'hex'), decode(root, 'hex')
        from unnest(${leaves}::text[], ${roots}::text[])
          with ordinality as made (leaves, root, place)`.execute(q)
    },

    async insertOrgs(seq: number, orgIds: readonly string[]): Promise<void> {
      await sql`insert into anchor_org (org_id, anchor_seq)
        select org_id, ${seq} from unnest(${orgIds}::text[]) as org_id
        on conflict do nothing`.execute(q)
    },

    async setMined(anchorId: string, mined: Mined | undefined): Promise<void> {
      await q
        .updateTable('anchor')
        .set({
          tx_hash: mined?.txHash ?? null,
          block_number: mined?.blockNumber ?? null,
          gas_used: mined?.gasUsed ?? null,
          anchored_at: mined?.blockAt ?? null,
        })
        .where('anchor_id', '=', anchorId)
        .execute()
    },

    async delete(anchorId: string): Promise<void> {
      const gone = await q
        .deleteFrom('anchor')
        .where('anchor_id', '=', anchorId)
        .returning('seq')
        .executeTakeFirst()
      if (gone === undefined) return
      for (const table of ['anchor_leaf', 'anchor_chunk', 'anchor_org'] as const) {
        await q.deleteFrom(table).where('anchor_seq', '=', gone.seq).execute()
      }
    },

    /** Deletes the agent's leaves; their hashes stay in the chunks. */
    async eraseAgent(agentId: AgentId): Promise<void> {
      await q.deleteFrom('anchor_leaf').where('agent_id', '=', agentId).execute()
      await q.deleteFrom('anchor_reach').where('agent_id', '=', agentId).execute()
    },

    /** Removes the owner; the anchor stays, because it is on the chain. */
    async eraseOrg(orgId: OrgId): Promise<void> {
      await q.updateTable('anchor').set({ org_id: null }).where('org_id', '=', orgId).execute()
      await q.deleteFrom('anchor_org').where('org_id', '=', orgId).execute()
    },
  }
}

function createReads(db: Db) {
  const q = db.withTables<AnchorTables>()
  /** The organisation's own anchors, automatic ones that cover its agents, and those of the log. */
  const of = (orgId: string, chainId: number) => sql`from anchor
    where chain_id = ${chainId} and block_number is not null
      and (org_id = ${orgId} or kind = 'log' or seq in (select anchor_seq from anchor_org where org_id = ${orgId}))`
  return {
    async find(anchorId: string): Promise<Anchor | undefined> {
      const row = await q
        .selectFrom('anchor')
        .selectAll()
        .where('anchor_id', '=', anchorId)
        .where('block_number', 'is not', null)
        .executeTakeFirst()
      return row && toAnchor(row)
    },

    /** Newest first. */
    async list(orgId: string, chainId: number, page: PageRequest): Promise<Anchor[]> {
      const found = await sql<AnchorRow>`select * ${of(orgId, chainId)}
        order by seq desc limit ${page.perPage} offset ${offsetOf(page)}`.execute(q)
      return found.rows.map(toAnchor)
    },

    async count(orgId: string, chainId: number): Promise<number> {
      const found = await sql<{ total: number }>`
        select count(*) as total ${of(orgId, chainId)}`.execute(q)
      return found.rows[0]?.total ?? 0
    },

    async findBySeq(seq: number, chainId: number): Promise<Anchor | undefined> {
      const row = await q
        .selectFrom('anchor')
        .selectAll()
        .where('seq', '=', seq)
        .where('chain_id', '=', chainId)
        .where('block_number', 'is not', null)
        .executeTakeFirst()
      return row && toAnchor(row)
    },

    /** Mined or not. */
    async latestOfKind(
      chainId: number,
      kind: AnchorKind,
    ): Promise<{ merkleRoot: Hex; createdAt: Date } | undefined> {
      const row = await q
        .selectFrom('anchor')
        .select(['merkle_root', 'created_at'])
        .where('chain_id', '=', chainId)
        .where('kind', '=', kind)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && { merkleRoot: hexOf(row.merkle_root), createdAt: row.created_at }
    },

    /** The newest mined one of the log. */
    async latestOfLog(chainId: number): Promise<Anchor | undefined> {
      const found = await sql<AnchorRow>`select * from anchor
        where chain_id = ${chainId} and kind = 'log' and block_number is not null
        order by seq desc limit 1`.execute(q)
      return found.rows.map(toAnchor)[0]
    },
  }
}

function createCoverageReads(db: Db) {
  const q = db.withTables<AnchorTables>()
  return {
    async latestLeafOf(agentId: string, chainId: number): Promise<Anchor | undefined> {
      const found = await sql<AnchorRow>`select anchor.* from anchor_leaf
        join anchor on anchor.seq = anchor_leaf.anchor_seq
        where agent_id = ${agentId} and chain_id = ${chainId} and block_number is not null
        order by anchor_seq desc limit 1`.execute(q)
      return found.rows[0] && toAnchor(found.rows[0])
    },

    async findLeaf(
      seq: number,
      agentId: string,
    ): Promise<(Leaf & { position: number }) | undefined> {
      const row = await q
        .selectFrom('anchor_leaf')
        .selectAll()
        .where('agent_id', '=', agentId)
        .where('anchor_seq', '=', seq)
        .executeTakeFirst()
      return (
        row && {
          agentId: row.agent_id,
          position: row.position,
          merkleRoot: row.merkle_root.toString('hex'),
          checkpointCount: row.checkpoint_count,
        }
      )
    },

    async chunkLeaves(seq: number, chunk: number): Promise<Buffer[]> {
      const row = await q
        .selectFrom('anchor_chunk')
        .select('leaves')
        .where('anchor_seq', '=', seq)
        .where('chunk', '=', chunk)
        .executeTakeFirstOrThrow()
      return split(row.leaves)
    },

    async chunkRoots(seq: number): Promise<Buffer[]> {
      const found = await sql<{ roots: Buffer }>`select string_agg(root, ''::bytea order by chunk)
        as roots from anchor_chunk where anchor_seq = ${seq}`.execute(q)
      return split(found.rows[0]?.roots ?? Buffer.alloc(0))
    },

    async findReach(
      agentId: string,
    ): Promise<{ throughSeq: number; anchorSeq: number | null } | undefined> {
      const row = await q
        .selectFrom('anchor_reach')
        .selectAll()
        .where('agent_id', '=', agentId)
        .executeTakeFirst()
      return row && { throughSeq: row.through_seq, anchorSeq: row.anchor_seq }
    },

    async saveReach(
      agentId: string,
      reach: { throughSeq: number; anchorSeq: number | null },
    ): Promise<void> {
      const row = { through_seq: reach.throughSeq, anchor_seq: reach.anchorSeq }
      await q
        .insertInto('anchor_reach')
        .values({ agent_id: agentId, ...row })
        .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(row))
        .execute()
    },

    /** Manual anchors after `seq`, oldest first, mined or not. */
    async manualAfter(chainId: number, seq: number, limit: number): Promise<ManualAnchor[]> {
      const rows = await q
        .selectFrom('anchor')
        .select(['seq', 'merkle_root', 'leaf_count', 'block_number', 'created_at'])
        .where('chain_id', '=', chainId)
        .where('kind', '=', 'manual')
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        seq: row.seq,
        merkleRoot: hexOf(row.merkle_root),
        leafCount: row.leaf_count,
        isMined: row.block_number !== null,
        createdAt: row.created_at,
      }))
    },
  }
}

/** Called only for mined anchors. */
function toAnchor(row: AnchorRow): Anchor {
  return {
    anchorId: row.anchor_id,
    seq: row.seq,
    kind: row.kind,
    merkleRoot: hexOf(row.merkle_root),
    leafCount: row.leaf_count,
    treeDepth: row.tree_depth,
    txHash: row.tx_hash as Hex,
    blockNumber: row.block_number as number,
    gasUsed: row.gas_used as number,
    anchoredAt: row.anchored_at as Date,
  }
}

function split(joined: Buffer): Buffer[] {
  const hashes: Buffer[] = []
  for (let at = 0; at < joined.length; at += HASH_BYTES) {
    hashes.push(joined.subarray(at, at + HASH_BYTES))
  }
  return hashes
}

function bytesOf(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), 'hex')
}

function hexOf(bytes: Buffer): Hex {
  return `0x${bytes.toString('hex')}`
}

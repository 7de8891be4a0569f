import { hexToBytes } from '@touchstone/protocol/base'
import { sha256Hex } from '@touchstone/protocol/crypto'
import { chainHash } from '@touchstone/protocol/evidence'
import { appendedNodes, leafHash, type MerkleNode, nodesForRoot } from '@touchstone/protocol/merkle'
import pg from 'pg'

const CHUNK = 20_000

/** The id of a seeded checkpoint. */
export function seededId(agentId: string, position: number): string {
  return `ic-${agentId}-${position}`
}

/**
 * Inserts a long history for an agent in bulk. Chain and Merkle tree are valid; the other columns
 * are the same in all rows. Creates no certificates, so a benchmark must not request them.
 */
export async function seedHistory(
  connectionString: string,
  agent: { agentId: string; cardId: string },
  size: number,
): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  // Faster inserts; the data need not survive a crash.
  await client.query('set synchronous_commit = off')
  let previous: string | null = null
  const edge = new Map<number, Uint8Array>()
  for (let from = 0; from < size; from += CHUNK) {
    const to = Math.min(size, from + CHUNK)
    const hashes: string[] = []
    const nodes: MerkleNode[] = []
    for (let position = from; position < to; position += 1) {
      const hash = chainHash({ previous, position, recordHash: sha256Hex(String(position)) })
      const added = appendedNodes(position, leafHash(hexToBytes(hash)), (level) => {
        const found = edge.get(level)
        if (found === undefined) throw new Error(`no node at level ${level}`)
        return found
      })
      for (const node of added) edge.set(node.level, node.hash)
      nodes.push(...added)
      hashes.push(hash)
      previous = hash
    }
    await insertChunk(client, agent, { from, hashes, nodes })
  }
  await setHead(client, agent.agentId, { size, chainHash: previous, edge })
  await client.query('analyze checkpoint')
  await client.query('analyze merkle_node')
  await client.end()
}

type Chunk = { from: number; hashes: readonly string[]; nodes: readonly MerkleNode[] }

async function insertChunk(
  client: pg.Client,
  agent: { agentId: string; cardId: string },
  { from, hashes, nodes }: Chunk,
): Promise<void> {
  const blob = Buffer.from(hashes.join(''), 'hex')
  await client.query(
    `insert into checkpoint (agent_id, position, checkpoint_id, session_id, card_id, occurred_at,
       created_at, provider, model, verdict, concerns, reasoning_summary, conscience_context,
       window_index, window_size, analyzer, analysis_model, analysis_duration_ms, confidence,
       analysis_details, flags, excluded, cross_validation_warnings, thinking_hash, card_hash,
       values_hash, context_hash, template_version, content_key, record_hash, chain_hash,
       leaf_index)
     select $1, $2 + i, 'ic-' || $1 || '-' || ($2 + i), 'sess-' || (($2 + i) / 100), $3,
       now() - interval '60 days' + ($2 + i) * interval '1 second', now(), 'unknown', 'unknown',
       'clear', '[]', 'Rule-based analysis: no rule matched.', '{}', 0, 1, 'rules', 'rules-v1', 0,
       1, '{}', '{}', false, '{}', h, h, h, h, 'cp-1', substring(h from 1 for 16), h, h, $2 + i
     from generate_series(0, $4::int - 1) as i,
       lateral (select substring($5::bytea from i * 32 + 1 for 32) as h) as hashed`,
    [agent.agentId, from, agent.cardId, hashes.length, blob],
  )
  await client.query(
    `insert into checkpoint_owner (checkpoint_id, agent_id, position)
     select 'ic-' || $1 || '-' || ($2 + i), $1, $2 + i from generate_series(0, $3::int - 1) as i`,
    [agent.agentId, from, hashes.length],
  )
  const order = Buffer.concat(nodes.map((node) => node.hash))
  await client.query(
    `insert into merkle_node (agent_id, level, index, hash)
     select $1, level, index, substring($4::bytea from ((place - 1) * 32 + 1)::int for 32)
     from unnest($2::smallint[], $3::bigint[]) with ordinality as n (level, index, place)`,
    [agent.agentId, nodes.map((node) => node.level), nodes.map((node) => node.index), order],
  )
}

async function setHead(
  client: pg.Client,
  agentId: string,
  head: { size: number; chainHash: string | null; edge: ReadonlyMap<number, Uint8Array> },
): Promise<void> {
  const edge = nodesForRoot(head.size).map(({ level }) => head.edge.get(level) ?? new Uint8Array())
  await client.query(
    `update chain_head set length = $2, leaf_count = $2, chain_hash = $3, edge = $4,
       clear_count = $2, latest_verdict = 'clear', leaf_at = now() where agent_id = $1`,
    [agentId, head.size, Buffer.from(head.chainHash ?? '', 'hex'), Buffer.concat(edge)],
  )
}

/** Records a complete chain audit, so that only later checkpoints count as the unaudited tail. */
export async function markAudited(connectionString: string, agentId: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(
    `insert into chain_audit (agent_id, audited_at, result, audited_through, audited_chain_hash,
       audited_leaf_count, audited_edge)
     select agent_id, now(), 'intact', length - 1, chain_hash, leaf_count,
       array(select substring(edge from i * 32 + 1 for 32)
         from generate_series(0, octet_length(edge) / 32 - 1) as i order by i)
     from chain_head where agent_id = $1`,
    [agentId],
  )
  // As autovacuum does within minutes of such a load.
  await client.query('analyze checkpoint, checkpoint_owner, certificate, merkle_node')
  await client.end()
}

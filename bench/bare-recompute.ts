import pg from 'pg'

const BATCH_SIZE = 250

/**
 * The upper bound for the hourly run: reads and writes the same rows, with the same number of
 * agents per transaction and of connections, and computes nothing in between.
 */
export async function createBareRun(connectionString: string, connections: number) {
  const pool = new pg.Pool({ connectionString, max: connections })
  /** Returns the seconds it took. */
  const run = async (agentIds: readonly string[]): Promise<number> => {
    let next = 0
    const work = async () => {
      const client = await pool.connect()
      while (next < agentIds.length) {
        const batch = agentIds.slice(next, next + BATCH_SIZE)
        next += BATCH_SIZE
        await readAndWrite(client, batch)
      }
      client.release()
    }
    const startedAt = performance.now()
    await Promise.all(Array.from({ length: connections }, work))
    return (performance.now() - startedAt) / 1000
  }
  return { run, close: () => pool.end() }
}

const READS = {
  heads: 'select * from chain_head where agent_id = any($1) order by agent_id',
  violations: `select c.agent_id, c.checkpoint_id, c.session_id, c.occurred_at, r.new_type
    from unnest($1::text[]) as wanted (agent_id) join checkpoint c on c.agent_id = wanted.agent_id
    left join checkpoint_reclassification r on r.agent_id = c.agent_id and r.position = c.position
    where c.verdict = 'boundary_violation' and c.synthetic_reason is null
      and c.occurred_at > now() - interval '90 days'
    order by c.agent_id, c.occurred_at desc`,
  traces: 'select * from trace_tally where agent_id = any($1)',
  agents: 'select agent_id, org_id, name, visibility from agent where agent_id = any($1)',
  weeks: 'select * from score_snapshot where agent_id = any($1)',
  entries: 'select agent_id, score from directory_entry where agent_id = any($1)',
}

async function readAndWrite(client: pg.PoolClient, agentIds: readonly string[]): Promise<void> {
  await client.query('begin')
  const { rows } = await client.query({
    name: 'scores',
    text: `select row_to_json(s) as row from score s where agent_id = any($1)
      order by agent_id for update`,
    values: [agentIds],
  })
  for (const [name, text] of Object.entries(READS)) {
    await client.query({ name, text, values: [agentIds] })
  }
  await client.query({
    name: 'save',
    text: `update score set score = r.score, grade = r.grade, tier = r.tier,
        confidence = r.confidence, checkpoint_count = r.checkpoint_count,
        trend_30d = r.trend_30d, components = r.components, basis = r.basis,
        chain_length = r.chain_length, tree_size = r.tree_size, root = r.root, computed_at = now()
      from json_populate_recordset(null::score, $1) as r where score.agent_id = r.agent_id`,
    values: [JSON.stringify(rows.map((result: { row: object }) => result.row))],
  })
  await client.query('commit')
}

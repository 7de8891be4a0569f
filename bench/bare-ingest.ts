import { randomUUID } from 'node:crypto'
import pg from 'pg'

/** The tables into which the service writes rows for each checkpoint. */
const TABLES = [
  'checkpoint',
  'checkpoint_owner',
  'checkpoint_session',
  'merkle_node',
  'certificate',
  'event',
  'usage_delta',
] as const
type Table = (typeof TABLES)[number]
type Row = Record<string, unknown>
type Rows = Record<Table, Row[]>

/**
 * The upper bound for ingest: inserts the rows that the service wrote again under other keys, with
 * the same number of rows per transaction and of connections, and computes nothing in between.
 */
export async function createBareWriter(connectionString: string, connections: number) {
  const pool = new pg.Pool({ connectionString, max: connections })
  const rows = await sample(pool)
  const agents = Array.from({ length: 200 }, (_, i) => `bare-${randomUUID()}-${i}`)
  for (const agent of agents) {
    await pool.query('insert into chain_head (agent_id) values ($1)', [agent])
  }
  let next = 0
  /** Writes the checkpoints, `perTransaction` at a time. Returns the seconds it took. */
  const write = async (checkpoints: number, perTransaction: number): Promise<number> => {
    let left = checkpoints / perTransaction
    const startedAt = performance.now()
    const work = async () => {
      const client = await pool.connect()
      while (left > 0) {
        left -= 1
        const first = next
        next += perTransaction
        await writeTransaction(client, rows, agents, { first, count: perTransaction })
      }
      client.release()
    }
    await Promise.all(Array.from({ length: connections }, work))
    return (performance.now() - startedAt) / 1000
  }
  return { write, close: () => pool.end() }
}

/** The rows of one checkpoint of the service, by table; two Merkle nodes, which is the average. */
async function sample(pool: pg.Pool): Promise<Rows> {
  const limits: Record<Table, number> = {
    checkpoint: 1,
    checkpoint_owner: 1,
    checkpoint_session: 1,
    merkle_node: 2,
    certificate: 1,
    event: 1,
    usage_delta: 1,
  }
  const rows: Partial<Rows> = {}
  for (const table of TABLES) {
    const where = table === 'event' ? "where type = 'integrity.checkpoint'" : ''
    const found = await pool.query(
      `select row_to_json(t) as row from (select * from ${table} ${where} limit ${limits[table]}) t`,
    )
    rows[table] = found.rows.map((result: { row: Row }) => result.row)
  }
  return rows as Rows
}

type Span = { first: number; count: number }

async function writeTransaction(
  client: pg.PoolClient,
  rows: Rows,
  agents: readonly string[],
  span: Span,
): Promise<void> {
  const day = { org_id: 'org-bare', meter: 'checks', day: '2026-01-01', amount: span.count }
  await client.query('begin')
  for (const table of TABLES) {
    const inserted = table === 'usage_delta' ? [day] : copies(table, rows[table], agents, span)
    const columns = table === 'usage_delta' ? '(org_id, meter, day, amount)' : ''
    const selected = table === 'usage_delta' ? 'org_id, meter, day, amount' : '*'
    const conflict =
      table === 'checkpoint_session'
        ? 'on conflict (agent_id, session_id) do update set checkpoint_count = excluded.checkpoint_count, window_positions = excluded.window_positions'
        : ''
    await client.query({
      name: table,
      text: `insert into ${table} ${columns} select ${selected} from json_populate_recordset(null::${table}, $1) ${conflict}`,
      values: [JSON.stringify(inserted)],
    })
  }
  await client.query({
    name: 'chain_head',
    text: 'update chain_head set length = length + 1, leaf_count = leaf_count + 1 where agent_id = any($1)',
    values: [agentsOf(agents, span)],
  })
  await client.query('commit')
}

function agentsOf(agents: readonly string[], { first, count }: Span): string[] {
  const used = Array.from({ length: count }, (_, i) => agents[agentIndex(first + i, agents)] ?? '')
  return [...new Set(used)].sort()
}

/** Five consecutive checkpoints belong to one agent, as in the batches sent to the service. */
function agentIndex(at: number, agents: readonly string[]): number {
  return Math.floor(at / 5) % agents.length
}

function copies(table: Table, rows: Row[], agents: readonly string[], { first, count }: Span) {
  const sessions = new Set<string>()
  return Array.from({ length: count }, (_, i) => first + i).flatMap((at) => {
    const agent_id = agents[agentIndex(at, agents)] ?? ''
    if (table === 'checkpoint_session') {
      if (sessions.has(agent_id)) return []
      sessions.add(agent_id)
    }
    return rows.map((row, nth) => copyOf(row, { agent_id, at, nth }))
  })
}

/**
 * Copies a row and then sets the columns it has. Several spreads in one object literal would cost
 * more than all the other work.
 */
function copyOf(row: Row, { agent_id, at, nth }: { agent_id: string; at: number; nth: number }) {
  const copy: Row = { ...row }
  copy['agent_id'] = agent_id
  if ('id' in row) copy['id'] = randomUUID()
  if ('position' in row) copy['position'] = at
  if ('checkpoint_id' in row) copy['checkpoint_id'] = `ic-${agent_id}-${at}`
  if ('index' in row) {
    copy['index'] = at
    copy['level'] = nth
  }
  return copy
}

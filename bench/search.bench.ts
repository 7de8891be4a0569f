import { findRunning } from '@touchstone/server/embedded'
import pg from 'pg'
import { seedDirectory } from './directory-seed.ts'
import { type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8914
const ENTRIES = 100_000
const PER_PAGE = 20
const PROBES = 60
const WARM_UP_PROBES = 6
const PLAIN_EVERY = 5
/** Our own limit. */
const SEARCH_MS_MAX = 25

/** The straightforward SQL for each sort order. */
const ORDERS: Record<string, string> = {
  score: 'score desc, agent_id',
  name: 'lower(name) collate "C", score desc, agent_id',
  trend: 'trend_30d desc, score desc, agent_id',
  checkpoints: 'checkpoint_count desc, score desc, agent_id',
}

type Query = { sort?: string; q?: string; grade?: string; confidence?: string; page?: number }

const folder = createDataFolder()
const service = await startService(folder.dir, PORT, ['--role', 'api'])
const { api_key: key } = credentialsIn(folder.dir)
const databaseUrl = (await findRunning(folder.dir)) ?? ''
await seedDirectory(databaseUrl, ENTRIES)
const client = new pg.Client({ connectionString: databaseUrl })
await client.connect()

async function ours(query: Query): Promise<{ ms: number; total: number }> {
  const url = new URL(`http://127.0.0.1:${PORT}/v1/reputation/search`)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value))
  const startedAt = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  const body = (await answer.json()) as { total: number; agents: unknown[] }
  const ms = performance.now() - startedAt
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  if (body.agents.length === 0) throw new Error(`${url} found nothing`)
  return { ms, total: body.total }
}

/** The same search as SQL on the same table, without the service. */
async function plain(query: Query): Promise<{ ms: number; total: number }> {
  const values: string[] = []
  const bind = (value: string) => `$${values.push(value)}`
  const conditions = ["visibility = 'public'"]
  if (query.grade !== undefined) conditions.push(`grade = ${bind(query.grade)}`)
  if (query.confidence !== undefined) conditions.push(`confidence = ${bind(query.confidence)}`)
  if (query.q !== undefined) {
    const like = bind(`%${query.q}%`)
    conditions.push(`(name ilike ${like} or agent_id ilike ${like})`)
  }
  const from = `from directory_entry where ${conditions.join(' and ')}`
  const offset = ((query.page ?? 1) - 1) * PER_PAGE
  const order = ORDERS[query.sort ?? 'score']
  const startedAt = performance.now()
  const counted = await client.query<{ total: string }>(`select count(*) as total ${from}`, values)
  await client.query(
    `select * ${from} order by ${order} limit ${PER_PAGE} offset ${offset}`,
    values,
  )
  const ms = performance.now() - startedAt
  return { ms, total: Number(counted.rows[0]?.total) }
}

function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0
}

const rows: Row[] = []
/** The first queries of a case only warm the caches. The peer is slow, so it runs fewer of them. */
async function measure(what: string, queries: readonly Query[]): Promise<void> {
  const figures: Record<'ours' | 'plain', number[]> = { ours: [], plain: [] }
  for (const [at, query] of queries.entries()) {
    const mine = await ours(query)
    if (at >= WARM_UP_PROBES) figures.ours.push(mine.ms)
    if (at % PLAIN_EVERY > 0) continue
    const raw = await plain(query)
    if (mine.total !== raw.total)
      throw new Error(`${what}: totals differ: ${mine.total}, ${raw.total}`)
    if (at >= WARM_UP_PROBES) figures.plain.push(raw.ms)
  }
  const row = { what, unit: 'ms', ours: p95(figures.ours) }
  rows.push({ ...row, peer: SEARCH_MS_MAX, peerName: 'our maximum' })
  rows.push({ ...row, peer: p95(figures.plain), peerName: 'plain pg, same table' })
  process.stdout.write('.')
}

const repeated = (query: Query) => Array.from({ length: PROBES }, () => query)
const middle = (total: number) => Math.max(1, Math.floor(total / PER_PAGE / 2))

for (const sort of Object.keys(ORDERS)) {
  await measure(`by ${sort}, page 1`, repeated({ sort }))
  await measure(`by ${sort}, middle page`, repeated({ sort, page: middle(ENTRIES) }))
}
for (const filter of [{ grade: 'A' }, { confidence: 'high' }, { grade: 'AA', confidence: 'low' }]) {
  const { total } = await ours(filter)
  const name = Object.values(filter).join(' and ')
  await measure(
    `only ${name}, by name, middle page`,
    repeated({ ...filter, sort: 'name', page: middle(total) }),
  )
}

/** Distinct substrings of names with the given length, so that no result is cached. */
async function texts(length: number): Promise<string[]> {
  const found = await client.query<{ text: string }>(
    `select text from (
       select distinct substr(lower(name), 1 + score % 8, $1) as text from (
         select * from directory_entry where is_public and length(name) > 15
         order by md5(agent_id) limit 5000) as few
     ) as cut where text = trim(text) order by md5(text) limit ${PROBES}`,
    [length],
  )
  return found.rows.map((row) => row.text)
}

for (const length of [1, 3, 8]) {
  const first = (await texts(length)).map((q) => ({ q }))
  const what = `text of ${length} ${length === 1 ? 'character' : 'characters'}`
  await measure(`${what}, page 1`, first)
  const deep: Query[] = []
  for (const query of first) deep.push({ ...query, page: middle((await ours(query)).total) })
  await measure(`${what}, middle page`, deep)
}
const everywhere = await ours({ q: 'agent-' })
await measure(
  'text contained in every id, middle page',
  repeated({ q: 'agent-', page: middle(everywhere.total) }),
)
await client.end()
await service.stop()
folder.remove()

report('search', rows)

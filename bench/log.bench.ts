import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findRunning } from '@touchstone/server/embedded'
import pg from 'pg'
import { median, percentile, type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8969
const ORIGIN = `http://127.0.0.1:${PORT}`
const AGENTS = 200
const SMALL = 10_000
const LARGE = 1_000_000
/** Rows of one transaction of the bare insert: those that the sequencer reads in a round. */
const BATCH = 10_000
const BARE = 200_000
const PROBES = 200
const WARM_UP_PROBES = 50
const PACED = 1000
const PACE_MS = 20
/** Our own limits (spec: log §3). */
const APPEND_MIN = 3000
const PROOF_MS_MAX = 2
const PUBLISHED_MS_MAX = 10_000
const MONITOR_S_MAX = 20
const MEMORY_MB_MAX = 64

const CLI = fileURLToPath(new URL('../../packages/cli/bin/touchstone.mjs', import.meta.url))

const folder = createDataFolder()
const service = await startService(folder.dir, PORT)
const { api_key: key } = credentialsIn(folder.dir)
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const client = new pg.Client({ connectionString: (await findRunning(folder.dir)) ?? '' })
await client.connect()

for (let i = 0; i < AGENTS; i += 1) {
  const body = JSON.stringify({ agent_id: `bench-agent-${i}` })
  await fetch(`${ORIGIN}/v1/agents`, { method: 'POST', headers, body })
}

/** Records as checkpoints queue them. */
const RECORDS = `select null::text as org_id, 'bench-agent-' || n % ${AGENTS} as agent_id,
  'checkpoint' as type, 'ic-' || md5(n::text) as record_id,
  '{"agent_id":"bench-agent-' || n % ${AGENTS} || '","chain_hash":"' ||
    encode(sha256(n::text::bytea), 'hex') || '","checkpoint_id":"ic-' || md5(n::text) ||
    '","position":' || n || ',"record_hash":"' || encode(sha256(n::text::bytea), 'hex') || '"}'
    as record, now() as at
  from generate_series($1::int, $2::int) as n`

async function queue(from: number, to: number): Promise<void> {
  await client.query(
    `insert into log_pending (org_id, agent_id, type, record_id, record, at, queued_at)
      select *, now() from (${RECORDS}) as r`,
    [from, to],
  )
}

async function sizeOfLog(): Promise<number> {
  const found = await client.query('select max(size)::int as size from log_checkpoint')
  return found.rows[0].size
}

async function untilLogged(): Promise<void> {
  for (;;) {
    const found = await client.query('select from log_pending order by pending_id limit 1')
    if (found.rowCount === 0) return
    await sleep(50)
  }
}

/** Entries a second, between the first and the last checkpoint of the run. */
async function sequence(from: number, to: number): Promise<number> {
  const before = await sizeOfLog()
  await queue(from, to)
  await untilLogged()
  const found = await client.query(
    `select max(size) - min(size) as entries, extract(epoch from max(created_at) - min(created_at)) as s
      from log_checkpoint where size > $1`,
    [before],
  )
  return Number(found.rows[0].entries) / Number(found.rows[0].s)
}

/** Rows a second into a table like that of the entries, without a tree. */
async function insertBare(count: number): Promise<number> {
  await client.query('create table bench_entry (like log_entry including all)')
  const rows: pg.QueryResult[] = []
  for (let from = 0; from < count; from += BATCH) {
    rows.push(await client.query(RECORDS, [from + 1, from + BATCH]))
  }
  const startedAt = performance.now()
  for (const [at, { rows: batch }] of rows.entries()) {
    const column = (name: string) => batch.map((row) => row[name])
    await client.query(
      `insert into bench_entry (org_id, agent_id, type, record_id, record, log_index)
        select r.*, $6::bigint + row_number() over () from unnest(
          $1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) as r`,
      [...['org_id', 'agent_id', 'type', 'record_id', 'record'].map(column), at * BATCH],
    )
  }
  const rate = count / ((performance.now() - startedAt) / 1000)
  await client.query('drop table bench_entry')
  return rate
}

/** Milliseconds of proofs of entries spread over the log. */
async function prove(size: number): Promise<number> {
  const found = await client.query(
    `select record_id from log_entry where type = 'checkpoint'
      and log_index = any(select (n * $1::bigint / $2) from generate_series(1, $2 - 1) as n)`,
    [size, PROBES],
  )
  const taken: number[] = []
  for (const [n, { record_id }] of found.rows.entries()) {
    const startedAt = performance.now()
    const answer = await fetch(`${ORIGIN}/v1/log/proof/${record_id}`, { headers })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    if (n >= WARM_UP_PROBES) taken.push(performance.now() - startedAt)
  }
  return median(taken)
}

/** Milliseconds from a queued record to the checkpoint that holds it, at a steady pace. */
async function publish(): Promise<number> {
  const queuedAt = new Map<string, number>()
  for (let n = 0; n < PACED; n += 1) {
    const at = LARGE * 2 + n
    const { rows } = await client.query(
      `insert into log_pending (org_id, agent_id, type, record_id, record, at, queued_at)
        select *, clock_timestamp() from (${RECORDS}) as r returning record_id, queued_at`,
      [at, at],
    )
    queuedAt.set(rows[0].record_id, rows[0].queued_at.getTime())
    await sleep(PACE_MS)
  }
  await untilLogged()
  const found = await client.query(
    `select e.record_id, (select min(c.created_at) from log_checkpoint c where c.size > e.log_index)
      as created_at from log_entry e where e.record_id = any($1)`,
    [[...queuedAt.keys()]],
  )
  return percentile(
    found.rows.map((row) => row.created_at.getTime() - (queuedAt.get(row.record_id) ?? 0)),
    0.99,
  )
}

/** Seconds of the first look of a monitor, which reads every tile and entry. */
async function monitor(): Promise<number> {
  const policy = join(folder.dir, 'policy.txt')
  writeFileSync(policy, await (await fetch(`${ORIGIN}/v1/log/policy`)).text())
  const state = join(folder.dir, 'monitor.json')
  const args = ['monitor', `${ORIGIN}/log`, '--policy', policy, '--state', state, '--once']
  const startedAt = performance.now()
  const child = spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the monitor exited with ${code}`)
  return (performance.now() - startedAt) / 1000
}

/** The memory of the service, without that of the database. */
function memoryMb(): number {
  const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

await untilLogged()
await queue(1, SMALL)
await untilLogged()
const small = await prove(SMALL)
const bare = await insertBare(BARE)
const rates: number[] = []
const CHUNK = 200_000
await sequence(SMALL + 1, SMALL * 6)
const memoryBefore = memoryMb()
let memoryMost = memoryBefore
for (let from = SMALL * 6; from < LARGE; from += CHUNK) {
  rates.push(await sequence(from + 1, Math.min(from + CHUNK, LARGE)))
  memoryMost = Math.max(memoryMost, memoryMb())
  process.stdout.write('.')
}
const slowest = Math.min(...rates)
const large = await prove(LARGE)
const p99 = await publish()
const monitored = await monitor()
await client.end()
await service.stop()
folder.remove()

const limit = 'our limit'
const rows: Row[] = [
  {
    what: 'append, slowest of the runs',
    unit: '/s',
    ours: slowest,
    peer: APPEND_MIN,
    peerName: limit,
  },
  { what: 'append', unit: '/s', ours: slowest, peer: bare, peerName: 'bare batched insert' },
  { what: 'proof at 1,000,000', unit: 'ms', ours: large, peer: PROOF_MS_MAX, peerName: limit },
  { what: 'proof at 1,000,000', unit: 'ms', ours: large, peer: small, peerName: 'at 10,000' },
  {
    what: 'first look of a monitor at 1,000,000',
    unit: 's',
    ours: monitored,
    peer: MONITOR_S_MAX,
    peerName: limit,
  },
  {
    what: 'more memory at 1,000,000 than at 60,000',
    unit: 'MB',
    ours: memoryMost - memoryBefore,
    peer: MEMORY_MB_MAX,
    peerName: limit,
  },
  {
    what: 'entry to checkpoint, p99',
    unit: 'ms',
    ours: p99,
    peer: PUBLISHED_MS_MAX,
    peerName: limit,
  },
]
report('log', rows)

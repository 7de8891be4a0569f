import { findRunning } from '@touchstone/server/embedded'
import pg from 'pg'
import { createBareRun } from './bare-recompute.ts'
import { median, type Row, report } from './report.ts'
import { type Population, seedPopulation } from './scored-agents.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8918
/** Our own limit, in agents per second. */
const RATE_MIN = 1500
/** As many as the batches that a worker processes concurrently. */
const CONNECTIONS = 8
const PROBES = 40
const WARM_UP_PROBES = 10
const SMALL = { prefix: 'bench-small-', agents: 200, checkpoints: 200, rows: true }
const LARGE = { prefix: 'bench-large-', agents: 200, checkpoints: 2000, rows: true }
const MANY = { prefix: 'bench-many-', agents: 99_600, checkpoints: 200, rows: false }
const AGENTS = SMALL.agents + LARGE.agents + MANY.agents

const folder = createDataFolder()
const service = await startService(folder.dir, PORT)
const databaseUrl = (await findRunning(folder.dir)) ?? ''
const client = new pg.Client({ connectionString: databaseUrl })
await client.connect()
await client.query('set synchronous_commit = off')
for (const population of [SMALL, LARGE, MANY]) {
  await seedPopulation(client, credentialsIn(folder.dir).org_id, population)
}
// Autovacuum would do this later.
await client.query('vacuum analyze agent, chain_head, checkpoint, trace_tally')
// Marks the coming schedule times as done, so that the service starts no work during the benchmark.
await client.query(
  `insert into schedule_run (schedule, fired_at)
   select schedule, at from unnest(array['chain audit', 'scores']) as schedule,
     generate_series(date_trunc('hour', now()), now() + interval '2 hours', '5 minutes') as at
   on conflict do nothing`,
)
process.stdout.write('.')

/** Enqueues a job in the same way as the service does. */
async function enqueue(kind: string, payload: object): Promise<void> {
  await client.query(
    `with added as (insert into job (kind, payload, run_at, created_at)
       values ($1, $2, now() - interval '1 minute', now()))
     select pg_notify('touchstone', 'jobs ' || $1)`,
    [kind, JSON.stringify(payload)],
  )
}

/** Starts a whole run. Returns the seconds until all its jobs are done. */
async function runAll(hour: number): Promise<number> {
  const startedAt = performance.now()
  const firedAt = new Date(Math.floor(Date.now() / 3_600_000 - hour) * 3_600_000)
  await enqueue('schedule.scores', { fired_at: firedAt.toISOString() })
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    const { rows } = await client.query(
      `select 1 from job where kind in ('schedule.scores', 'scores.batch') limit 1`,
    )
    if (rows.length === 0) return (performance.now() - startedAt) / 1000
  }
}

/** Runs one batch and returns the milliseconds per agent. */
async function probe({ prefix, agents }: Population): Promise<number> {
  const { rows } = await client.query(
    'select min(agent_id) as first, max(agent_id) as last from chain_head where agent_id like $1',
    [`${prefix}%`],
  )
  const { first: first_agent, last: last_agent } = rows[0]
  const published = new Promise((resolve) => {
    const listen = ({ payload = '' }: pg.Notification) => {
      if (!payload.startsWith('score ')) return
      client.off('notification', listen)
      resolve(undefined)
    }
    client.on('notification', listen)
  })
  const startedAt = performance.now()
  await enqueue('scores.batch', { run_at: new Date(0).toISOString(), first_agent, last_agent })
  await published
  return (performance.now() - startedAt) / agents
}

const first = AGENTS / (await runAll(2))
process.stdout.write('.')
const hourly = AGENTS / (await runAll(1))
process.stdout.write('.')
const { rows: scored } = await client.query<{ agent_id: string }>(
  'select agent_id from score order by agent_id',
)
const bareRun = await createBareRun(databaseUrl, CONNECTIONS)
const bare = scored.length / (await bareRun.run(scored.map((row) => row.agent_id)))
await bareRun.close()
process.stdout.write('.')

await client.query('listen touchstone')
const costs = { small: [] as number[], large: [] as number[] }
for (let i = 0; i < PROBES + WARM_UP_PROBES; i += 1) {
  const [small, large] = [await probe(SMALL), await probe(LARGE)]
  // The first probes only warm the caches.
  if (i < WARM_UP_PROBES) continue
  costs.small.push(small)
  costs.large.push(large)
}
await client.end()
await service.stop()
folder.remove()

const rate = (what: string, ours: number, peer: number, peerName: string): Row => {
  return { what, unit: 'agents/s', ours, peer, peerName }
}
report('recompute', [
  rate('hourly run over 100,000 agents', hourly, RATE_MIN, 'our minimum'),
  rate('hourly run over 100,000 agents', hourly, bare, 'bare pg, same rows'),
  rate('first run, which emits all events', first, RATE_MIN, 'our minimum'),
  {
    what: 'recompute of an agent with 2,000 checkpoints',
    unit: 'ms',
    ours: median(costs.large),
    peer: median(costs.small),
    peerName: 'with 200',
  },
])

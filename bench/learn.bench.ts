import { findRunning } from '@touchstone/server/embedded'
import pg from 'pg'
import { createSeed } from './decision-seed.ts'
import { median, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8941
const DECISIONS = 1_000_000
/** PostgreSQL may plan a prepared statement anew after five executions. */
const RUNS = 8
const FLAGGED_SESSIONS = 200
const IDLE_PROBES = 500
/** Our own limit. */
const LEARN_MS_MAX = 10_000
const AGENT = 'learned'

const folder = createDataFolder()
const service = await startService(folder.dir, PORT, ['--role', 'api'])
const { api_key: key, org_id: orgId } = credentialsIn(folder.dir)
const client = new pg.Client({ connectionString: (await findRunning(folder.dir)) ?? '' })
await client.connect()

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Record<string, unknown>
}

async function health(): Promise<number> {
  const startedAt = performance.now()
  const answer = await fetch(`http://127.0.0.1:${PORT}/health/live`)
  await answer.text()
  return performance.now() - startedAt
}

/** All decisions are about one agent, and some of them in sessions with a violation. */
async function seedAgent(): Promise<void> {
  await post('/v1/agents', { agent_id: AGENT })
  const seed = await createSeed(client, orgId)
  await seed.fill(DECISIONS, 0)
  await client.query('update decision_kind set agent_id = $1 where org_id = $2', [AGENT, orgId])
  await client.query(
    `insert into checkpoint_session (agent_id, session_id, violation_count, last_at)
     select $1, 'session-0-' || n * 7, 1, now() from generate_series(1, $2::int) as n`,
    [AGENT, FLAGGED_SESSIONS],
  )
  await client.query('vacuum (analyze) decision_kind, checkpoint_session')
}

function p99(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
}

await seedAgent()
const idle: number[] = []
for (let n = 0; n < IDLE_PROBES; n += 1) idle.push(await health())
const tookMs: number[] = []
const meanwhile: number[] = []
for (let run = 0; run < RUNS; run += 1) {
  const startedAt = performance.now()
  let isLearning = true
  const learned = post('/v1/policies/learn', { agent_id: AGENT, days: 90 }).finally(() => {
    isLearning = false
  })
  while (isLearning) meanwhile.push(await health())
  const { decisions_counted: counted } = await learned
  tookMs.push(performance.now() - startedAt)
  // The oldest decisions leave the period while the others are stored.
  if (Number(counted) < DECISIONS * 0.99) throw new Error(`only ${counted} decisions were counted`)
}
await client.end()
await service.stop()
folder.remove()
const decisions = DECISIONS.toLocaleString('en')
report('learn', [
  {
    what: `POST /v1/policies/learn over ${decisions} decisions, median`,
    unit: 'ms',
    ours: median(tookMs),
    peer: LEARN_MS_MAX,
    peerName: 'our maximum',
  },
  {
    what: 'GET /health/live meanwhile, p99',
    unit: 'ms',
    ours: p99(meanwhile),
    peer: p99(idle),
    peerName: 'while nothing else runs',
  },
  {
    what: 'GET /health/live meanwhile, slowest',
    unit: 'ms',
    ours: Math.max(...meanwhile),
    peer: Math.max(...idle),
    peerName: 'while nothing else runs',
  },
])

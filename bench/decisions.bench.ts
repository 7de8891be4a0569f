import { findRunning } from '@touchstone/server/embedded'
import pg from 'pg'
import { createSeed, RARE } from './decision-seed.ts'
import { percentile, type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const SMALL = 50_000
/** Five million take most of the time; fewer show the trend. */
const LARGE = Number(process.env['DECISIONS'] ?? 5_000_000)
const PROBES = 200
const WARM_UP_PROBES = 20
/** Our own limits. */
const BYTES_MAX = 700
const STATS_MS_MAX = 20
const DAY_MS = 86_400_000

/** Every documented filter: frequent values, and rare ones that a scan would look for in vain. */
const FILTERS: Record<string, string> = {
  'no filter': '',
  agent_id: 'agent_id=agent-7',
  'agent_id, rare': `agent_id=${RARE.agent_id}`,
  tool: 'tool=mcp__shop__tool_3',
  'tool, prefix': 'tool=mcp__shop__*',
  'tool, rare': `tool=${RARE.tool}`,
  decision: 'decision=allow',
  'decision, two': 'decision=block&decision=escalate',
  source: 'source=sdk',
  'source, rare': `source=${RARE.source}`,
  policy_id: 'policy_id=pol-7',
  'policy_id, rare': `policy_id=${RARE.policy_id}`,
  session_id: 'session_id=session-0-500',
  escalation_id: 'escalation_id=esc-25000',
  call_id: 'call_id=call-25001',
  outcome: 'outcome=failed',
  'outcome, none': 'outcome=none',
  'outcome, bypassed': 'outcome=bypassed',
  'from, to': `from=${daysAgo(60)}&to=${daysAgo(50)}`,
  'agent_id, tool, decision': 'agent_id=agent-7&tool=mcp__shop__tool_*&decision=block',
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString()
}

type Measured = {
  seed: Awaited<ReturnType<typeof createSeed>>
  client: pg.Client
  get(path: string): Promise<number>
  stop(): Promise<void>
}

/** Each size has a database and a service of its own. */
async function start(port: number): Promise<Measured> {
  const folder = createDataFolder()
  const service = await startService(folder.dir, port, ['--role', 'api'])
  const { api_key: key, org_id: orgId } = credentialsIn(folder.dir)
  const client = new pg.Client({ connectionString: (await findRunning(folder.dir)) ?? '' })
  await client.connect()
  return {
    seed: await createSeed(client, orgId),
    client,

    async get(path) {
      const startedAt = performance.now()
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      const body = (await answer.json()) as { decisions?: unknown[] }
      const ms = performance.now() - startedAt
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
      if (body.decisions?.length === 0) throw new Error(`${path} found nothing`)
      return ms
    },

    async stop() {
      await client.end()
      await service.stop()
      folder.remove()
    },
  }
}

/** The p99 of each, with the probes alternating, so that a slow moment of the machine slows both. */
async function p99(path: string, of: readonly Measured[]): Promise<number[]> {
  const tookMs = of.map((): number[] => [])
  for (let probe = -WARM_UP_PROBES; probe < PROBES; probe += 1) {
    for (const [at, { get }] of of.entries()) {
      const ms = await get(path)
      if (probe >= 0) tookMs[at]?.push(ms)
    }
  }
  process.stdout.write('.')
  return tookMs.map((ms) => percentile(ms, 0.99))
}

const large = await start(8933)
const small = await start(8935)
await small.seed.fill(SMALL, 0)
await large.seed.fill(SMALL, 0)
await large.seed.fill(LARGE - SMALL, LARGE)
await large.seed.count()

const rows: Row[] = []
for (const [name, query] of Object.entries(FILTERS)) {
  const [ours = 0, peer = 0] = await p99(`/v1/decisions?${query}`, [large, small])
  rows.push({
    what: `GET /v1/decisions, p99, ${name}`,
    unit: 'ms',
    ours,
    peer,
    peerName: `with ${SMALL.toLocaleString('en')} decisions; ours with ${LARGE.toLocaleString('en')}`,
  })
}
const bytes = await large.client.query<{ bytes: string }>(`select
  sum(pg_total_relation_size(inhrelid)) as bytes from pg_inherits
  where inhparent in ('decision'::regclass, 'decision_batch'::regclass)`)
rows.push({
  what: 'disk per decision, with indexes and signatures',
  unit: 'bytes',
  ours: Number(bytes.rows[0]?.bytes) / LARGE,
  peer: BYTES_MAX,
  peerName: 'our maximum',
})
for (const by of ['decision', 'tool', 'agent', 'source']) {
  const path = `/v1/decisions/stats?interval=day&group_by=${by}&from=${daysAgo(90)}`
  const [ours = 0] = await p99(path, [large])
  rows.push({
    what: `GET /v1/decisions/stats, 90 days by ${by}, p99`,
    unit: 'ms',
    ours,
    peer: STATS_MS_MAX,
    peerName: 'our maximum',
  })
}
await large.stop()
await small.stop()
report('decisions', rows)

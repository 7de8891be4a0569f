import { findRunning } from '@touchstone/server/embedded'
import pg from 'pg'
import { createSeed, RARE } from './decision-seed.ts'
import { type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8933
const SMALL = 50_000
const LARGE = 5_000_000
const PROBES = 100
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

const folder = createDataFolder()
const service = await startService(folder.dir, PORT, ['--role', 'api'])
const { api_key: key, org_id: orgId } = credentialsIn(folder.dir)
const client = new pg.Client({ connectionString: (await findRunning(folder.dir)) ?? '' })
await client.connect()
const seed = await createSeed(client, orgId)

async function get(path: string): Promise<number> {
  const startedAt = performance.now()
  const answer = await fetch(`http://127.0.0.1:${PORT}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const body = (await answer.json()) as { decisions?: unknown[] }
  const ms = performance.now() - startedAt
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`)
  if (body.decisions?.length === 0) throw new Error(`${path} found nothing`)
  return ms
}

async function p99(path: string): Promise<number> {
  const tookMs: number[] = []
  for (let probe = -WARM_UP_PROBES; probe < PROBES; probe += 1) {
    const ms = await get(path)
    if (probe >= 0) tookMs.push(ms)
  }
  tookMs.sort((a, b) => a - b)
  return tookMs[Math.ceil(PROBES * 0.99) - 1] ?? 0
}

async function measureAll(): Promise<Map<string, number>> {
  const figures = new Map<string, number>()
  for (const [name, query] of Object.entries(FILTERS)) {
    figures.set(name, await p99(`/v1/decisions?${query}`))
    process.stdout.write('.')
  }
  return figures
}

await seed.fill(SMALL, 0)
const small = await measureAll()
await seed.fill(LARGE - SMALL, LARGE)
await seed.count()
const large = await measureAll()
const bytes = await client.query<{ bytes: string }>(`select sum(pg_total_relation_size(inhrelid))
  as bytes from pg_inherits where inhparent in ('decision'::regclass, 'decision_batch'::regclass)`)

const rows: Row[] = [...large].map(([name, ours]) => ({
  what: `GET /v1/decisions, p99, ${name}`,
  unit: 'ms',
  ours,
  peer: small.get(name) ?? 0,
  peerName: `with ${SMALL.toLocaleString('en')} decisions; ours with ${LARGE.toLocaleString('en')}`,
}))
rows.push({
  what: 'disk per decision, with indexes and signatures',
  unit: 'bytes',
  ours: Number(bytes.rows[0]?.bytes) / LARGE,
  peer: BYTES_MAX,
  peerName: 'our maximum',
})
for (const by of ['decision', 'tool', 'agent', 'source']) {
  rows.push({
    what: `GET /v1/decisions/stats, 90 days by ${by}, p99`,
    unit: 'ms',
    ours: await p99(`/v1/decisions/stats?interval=day&group_by=${by}&from=${daysAgo(90)}`),
    peer: STATS_MS_MAX,
    peerName: 'our maximum',
  })
}
await client.end()
await service.stop()
folder.remove()
report('decisions', rows)

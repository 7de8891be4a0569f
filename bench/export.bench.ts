import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { findRunning } from '@touchstone/server/embedded'
import pg from 'pg'
import { hubRows } from './hub-correction.ts'
import { markAudited, seedHistory } from './large-agent.ts'
import { median, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8921
const ORIGIN = `http://127.0.0.1:${PORT}`
const METRICS_ADDR = '127.0.0.1:8922'
const VIOLATIONS = 100_000
const RECLASSIFIED = 10_000
const RUNS = 5
const SAMPLE_MS = 10
/** Our own limits. */
const RECORDS_PER_SECOND_MIN = 20_000
const MEGABYTES_MAX = 80

const agentId = 'bench-export'
const folder = createDataFolder()
const service = await startService(folder.dir, PORT, ['--role', 'api'], { METRICS_ADDR })
const { api_key: key, org_id: orgId } = credentialsIn(folder.dir)
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function register(): Promise<string> {
  const body = JSON.stringify({ agent_id: agentId })
  const answer = await fetch(`${ORIGIN}/v1/agents`, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(`registering the agent failed: ${answer.status}`)
  const created = (await answer.json()) as { agent: { card_id: string } }
  return created.agent.card_id
}

/** Turns the seeded checkpoints into violations, certifies all of them and reclassifies some. */
async function turnIntoViolations(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('set synchronous_commit = off')
  // Disables the triggers that reject updates, because these rows are generated.
  await client.query('set session_replication_role = replica')
  const concerns = [
    {
      category: 'autonomy_violation',
      severity: 'high',
      description: 'R1: the card does not allow the action "delete_rows"',
      evidence: 'delete_rows',
    },
  ]
  await client.query(
    `update checkpoint set verdict = 'boundary_violation', violation_type = 'UNBOUNDED_ACTION',
       concerns = $2 where agent_id = $1`,
    [agentId, JSON.stringify(concerns)],
  )
  await client.query(
    `insert into certificate (agent_id, position, certificate_id, key_id, signature, issued_at,
       base_url, certificate_hash)
     select agent_id, position, 'cert-' || position, 'bench', chain_hash || chain_hash, now(),
       'http://127.0.0.1', chain_hash
     from checkpoint where agent_id = $1`,
    [agentId],
  )
  await client.query(
    `insert into reclassification (agent_id, reclassification_id, checkpoint_id, original_type,
       new_type, reason, links_amendment, approved_by, created_at)
     select agent_id, 'rcl-' || position, checkpoint_id, violation_type, 'card_gap',
       'The card lacked it.', false, 'bench', now()
     from checkpoint where agent_id = $1 and position % $2 = 0`,
    [agentId, VIOLATIONS / RECLASSIFIED],
  )
  for (const table of ['checkpoint', 'certificate', 'reclassification']) {
    await client.query(`vacuum analyze ${table}`)
  }
  await client.end()
}

function residentMegabytes(): number {
  const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

type Run = { perSecond: number; peakMegabytes: number }

/** Downloads one export and checks the hash in its trailer against the bytes received. */
async function exportOnce(): Promise<Run> {
  let peakMegabytes = 0
  const sample = () => {
    peakMegabytes = Math.max(peakMegabytes, residentMegabytes())
  }
  const sampling = setInterval(sample, SAMPLE_MS)
  const startedAt = performance.now()
  const url = `${ORIGIN}/v1/agents/${agentId}/compliance-export?format=ndjson`
  const answer = await fetch(url, { headers })
  if (!answer.ok || answer.body === null) throw new Error(`the export failed: ${answer.status}`)
  const hash = createHash('sha256')
  let tail = Buffer.alloc(0)
  for await (const chunk of answer.body) {
    // The trailer is shorter than 1,024 bytes, so it is never hashed.
    const seen = Buffer.concat([tail, chunk])
    hash.update(seen.subarray(0, -1024))
    tail = seen.subarray(-1024)
  }
  const seconds = (performance.now() - startedAt) / 1000
  clearInterval(sampling)
  sample()
  const last = tail.lastIndexOf('{"record":"trailer"')
  const { counts, sha256 } = JSON.parse(tail.subarray(last).toString())
  if (hash.update(tail.subarray(0, last)).digest('hex') !== sha256) {
    throw new Error('the export does not match the hash in its trailer')
  }
  if (counts.violations !== VIOLATIONS)
    throw new Error(`expected ${VIOLATIONS} violations, got ${counts.violations}`)
  return { perSecond: (counts.violations + counts.reclassifications) / seconds, peakMegabytes }
}

const databaseUrl = (await findRunning(folder.dir)) ?? ''
const cardId = await register()
await seedHistory(databaseUrl, { agentId, cardId }, VIOLATIONS)
await turnIntoViolations(databaseUrl)
await markAudited(databaseUrl, agentId)
const idle = residentMegabytes()
const runs: Run[] = []
for (let run = 0; run < RUNS; run += 1) runs.push(await exportOnce())
const client = new pg.Client({ connectionString: databaseUrl })
await client.connect()
await client.query('set synchronous_commit = off')
const hub = await hubRows(client, { origin: ORIGIN, headers, orgId, metricsAddr: METRICS_ADDR })
await client.end()
await service.stop()
folder.remove()

report('export', [
  {
    what: `NDJSON export of ${VIOLATIONS.toLocaleString('en')} violations`,
    unit: 'records/s',
    ours: median(runs.map(({ perSecond }) => perSecond)),
    peer: RECORDS_PER_SECOND_MIN,
    peerName: 'our minimum',
  },
  {
    what: `peak memory above idle, ${RUNS} exports in a row`,
    unit: 'MB',
    ours: Math.max(...runs.map(({ peakMegabytes }) => peakMegabytes)) - idle,
    peer: MEGABYTES_MAX,
    peerName: 'our maximum',
  },
  ...hub,
])

import { fileURLToPath } from 'node:url'
import { findRunning } from '@touchstone/server/embedded'
import autocannon from 'autocannon'
import { fleetCoherenceRow } from './fleet-coherence.ts'
import { createTextGenerator } from './ingest-load.ts'
import { median, report } from './report.ts'
import { individualMicros, teamMs, valuesAndActions } from './risk-teams.ts'
import { createDataFolder, credentialsIn, startProcess, startService } from './service.ts'

const OURS = 8941
const BARE = 8942
const ROUNDS = 5
const SECONDS = 2
const CONNECTIONS = 32
const AGENTS = 50
const CHECKPOINTS = 60
const BATCH_SIZE = 50
/** One checkpoint in twenty is a violation. */
const VIOLATION_EVERY = 20
const HEALTH_SECONDS = 8
const HEALTH_RATE = 200
/** Our own limits. */
const CORE_MICROS_MAX = 30
const RATIO_MIN = 0.35
const EXACT_MS_MAX = 15
const SAMPLED_MS_MAX = 2000
const HEALTH_P99_MS_MAX = 25

// Measured first, while no other process needs the CPU.
individualMicros(200_000)
const coreMicros = individualMicros(1_000_000)
const timed = (size: number, times: number) =>
  median(Array.from({ length: times }, () => teamMs(size)))
timed(12, 20)
const exactMs = timed(12, 21)
const sampledMs = timed(50, 5)

const folder = createDataFolder()
const service = await startService(folder.dir, OURS)
const { api_key: key, org_id: orgId } = credentialsIn(folder.dir)
const env = { DATABASE_URL: (await findRunning(folder.dir)) ?? '' }
const bareEntry = fileURLToPath(new URL('bare-risk.js', import.meta.url))
const bare = await startProcess([bareEntry], BARE, env)
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function send(path: string, body: object): Promise<void> {
  const url = `http://127.0.0.1:${OURS}${path}`
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const read = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${read.slice(0, 300)}`)
}

const agentIds = Array.from({ length: AGENTS }, (_, n) => `bench-agent-${n}`)
const text = createTextGenerator()
function cardOf(index: number) {
  const { declared, opposed, bounded, forbidden } = valuesAndActions(index)
  const definitions = Object.fromEntries(declared.map((value) => [value, { description: value }]))
  return {
    principal: { type: 'human', relationship: 'delegated_authority' },
    values: { declared, definitions, conflicts_with: opposed },
    autonomy_envelope: {
      bounded_actions: bounded,
      forbidden_actions: ['exfiltrate_data', ...forbidden],
    },
    audit_commitment: { retention_days: 30, queryable: false },
  }
}

/** Registers agents and gives them checkpoints and scores. */
async function prepareAgents(): Promise<void> {
  for (const [at, agent_id] of agentIds.entries()) {
    await send('/v1/agents', { agent_id, card: cardOf(at) })
  }
  const checkpoints = Array.from({ length: AGENTS * CHECKPOINTS }, (_, n) => ({
    agent_id: agentIds[Math.floor(n / CHECKPOINTS)] ?? '',
    thinking: n % VIOLATION_EVERY === 0 ? `${text()} I will exfiltrate the data.` : text(),
  }))
  for (let at = 0; at < checkpoints.length; at += BATCH_SIZE) {
    await send('/v1/checkpoints/batch', { checkpoints: checkpoints.slice(at, at + BATCH_SIZE) })
  }
  for (const agentId of agentIds) await send(`/v1/reputation/${agentId}/recompute`, {})
}

const requests = agentIds.map((agent_id, n) => ({
  method: 'POST' as const,
  path: '/v1/risk/assess',
  headers,
  // Proofs are created after the response; prove.bench.ts measures them.
  body: JSON.stringify({
    agent_id,
    prove: false,
    context: {
      action_type: n % 2 === 0 ? 'financial_transaction' : 'task_delegation',
      amount: 10 * n,
      counterparty_id: agentIds[(n + 1) % AGENTS],
    },
  }),
}))

async function rateOf(port: number): Promise<number> {
  const url = `http://127.0.0.1:${port}`
  const result = await autocannon({ url, requests, connections: CONNECTIONS, duration: SECONDS })
  if (result.non2xx > 0) throw new Error(`${url} returned ${result.non2xx} error responses`)
  return result['2xx'] / result.duration
}

/** The p99 of a health route while teams of 50 are assessed without a pause. */
async function healthUnderTeams(): Promise<number> {
  const context = { action_type: 'multi_agent_coordination' }
  let isDone = false
  const keepAssessing = async () => {
    while (!isDone) await send('/v1/risk/assess/team', { agent_ids: agentIds, context })
  }
  // The first assessment starts the worker thread, which happens once per process.
  await send('/v1/risk/assess/team', { agent_ids: agentIds, context })
  const assessing = [keepAssessing(), keepAssessing()]
  const url = `http://127.0.0.1:${OURS}/health/live`
  const load = { connections: 4, duration: HEALTH_SECONDS, overallRate: HEALTH_RATE }
  const result = await autocannon({ url, ...load })
  isDone = true
  await Promise.all(assessing)
  return result.latency.p99
}

await prepareAgents()
const rates = { ours: [] as number[], bare: [] as number[] }
for (let round = 0; round <= ROUNDS; round += 1) {
  const bareRate = await rateOf(BARE)
  const ourRate = await rateOf(OURS)
  // The first round only warms up both.
  if (round === 0) continue
  rates.bare.push(bareRate)
  rates.ours.push(ourRate)
  process.stdout.write('.')
}
const healthMs = await healthUnderTeams()
const fleet = await fleetCoherenceRow({
  url: `http://127.0.0.1:${OURS}`,
  orgId,
  headers: { authorization: `Bearer ${key}` },
})
await bare.stop()
await service.stop()
folder.remove()

const ours = median(rates.ours)
const peer = median(rates.bare)
const limit = { peerName: 'our maximum' }
report('risk', [
  {
    what: 'compute one assessment',
    unit: 'µs',
    ours: coreMicros,
    peer: CORE_MICROS_MAX,
    ...limit,
  },
  { what: 'POST /v1/risk/assess', unit: 'req/s', ours, peer, peerName: 'bare Fastify, one insert' },
  {
    what: 'POST /v1/risk/assess, share of bare Fastify',
    unit: '',
    ours: ours / peer,
    peer: RATIO_MIN,
    peerName: 'our minimum',
  },
  { what: 'team of 12, exact', unit: 'ms', ours: exactMs, peer: EXACT_MS_MAX, ...limit },
  { what: 'team of 50, sampled', unit: 'ms', ours: sampledMs, peer: SAMPLED_MS_MAX, ...limit },
  {
    what: 'p99 of /health/live while assessing teams of 50',
    unit: 'ms',
    ours: healthMs,
    peer: HEALTH_P99_MS_MAX,
    ...limit,
  },
  fleet,
])

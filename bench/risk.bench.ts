import { fileURLToPath } from 'node:url'
import { findRunning } from '@touchstone/server/embedded'
import autocannon from 'autocannon'
import { fleetCoherenceRow } from './fleet-coherence.ts'
import { createTexts } from './ingest-load.ts'
import { median, report } from './report.ts'
import { individualMicros, stanceOf, teamMs } from './risk-teams.ts'
import { credentialsIn, dataFolder, startProcess, startService } from './service.ts'

const OURS = 8941
const BARE = 8942
const ROUNDS = 5
const SECONDS = 2
const CONNECTIONS = 32
const AGENTS = 50
const CHECKPOINTS = 60
const BATCH_SIZE = 50
/** One decision in so many is a violation. */
const VIOLATION_EVERY = 20
const HEALTH_SECONDS = 8
const HEALTH_RATE = 200
/** What we hold ourselves to. */
const CORE_MICROS_MAX = 30
const RATIO_MIN = 0.35
const EXACT_MS_MAX = 15
const SAMPLED_MS_MAX = 2000
const HEALTH_P99_MS_MAX = 25

// Alone, before anything else wants the machine.
individualMicros(200_000)
const coreMicros = individualMicros(1_000_000)
const timed = (size: number, times: number) =>
  median(Array.from({ length: times }, () => teamMs(size)))
timed(12, 20)
const exactMs = timed(12, 21)
const sampledMs = timed(50, 5)

const folder = dataFolder()
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
const text = createTexts()
function cardOf(index: number) {
  const { declared, opposed, bounded, forbidden } = stanceOf(index)
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

/** Rated by what they did, as agents are. */
async function prepareAgents(): Promise<void> {
  for (const [at, agent_id] of agentIds.entries()) {
    await send('/v1/agents', { agent_id, card: cardOf(at) })
  }
  const decisions = Array.from({ length: AGENTS * CHECKPOINTS }, (_, n) => ({
    agent_id: agentIds[Math.floor(n / CHECKPOINTS)] ?? '',
    thinking: n % VIOLATION_EVERY === 0 ? `${text()} I will exfiltrate the data.` : text(),
  }))
  for (let at = 0; at < decisions.length; at += BATCH_SIZE) {
    await send('/v1/checkpoints/batch', { checkpoints: decisions.slice(at, at + BATCH_SIZE) })
  }
  for (const agentId of agentIds) await send(`/v1/reputation/${agentId}/recompute`, {})
}

const requests = agentIds.map((agent_id, n) => ({
  method: 'POST' as const,
  path: '/v1/risk/assess',
  headers,
  // Proofs come after the answer, and are measured by themselves: see prove.bench.ts.
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
  if (result.non2xx > 0) throw new Error(`${url} answered ${result.non2xx} times with an error`)
  return result['2xx'] / result.duration
}

/** The slowest of a hundred answers of a health route, while teams of 50 are assessed all the time. */
async function healthUnderTeams(): Promise<number> {
  const context = { action_type: 'multi_agent_coordination' }
  let isOver = false
  const keepAssessing = async () => {
    while (!isOver) await send('/v1/risk/assess/team', { agent_ids: agentIds, context })
  }
  // The first one starts the thread, once in the life of a process.
  await send('/v1/risk/assess/team', { agent_ids: agentIds, context })
  const assessing = [keepAssessing(), keepAssessing()]
  const url = `http://127.0.0.1:${OURS}/health/live`
  const load = { connections: 4, duration: HEALTH_SECONDS, overallRate: HEALTH_RATE }
  const result = await autocannon({ url, ...load })
  isOver = true
  await Promise.all(assessing)
  return result.latency.p99
}

await prepareAgents()
const rates = { ours: [] as number[], bare: [] as number[] }
for (let round = 0; round <= ROUNDS; round += 1) {
  const bareRate = await rateOf(BARE)
  const ourRate = await rateOf(OURS)
  // The first round only warms both up.
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
const limit = { peerName: 'our limit' }
report('risk', [
  {
    what: 'one assessment, computed',
    unit: 'µs',
    ours: coreMicros,
    peer: CORE_MICROS_MAX,
    ...limit,
  },
  { what: 'POST /v1/risk/assess', unit: 'req/s', ours, peer, peerName: 'bare Fastify, one insert' },
  {
    what: 'its share of the bare one',
    unit: '',
    ours: ours / peer,
    peer: RATIO_MIN,
    peerName: 'our least',
  },
  { what: 'team of 12, exact', unit: 'ms', ours: exactMs, peer: EXACT_MS_MAX, ...limit },
  { what: 'team of 50, sampled', unit: 'ms', ours: sampledMs, peer: SAMPLED_MS_MAX, ...limit },
  {
    what: 'health p99 while teams of 50 are assessed',
    unit: 'ms',
    ours: healthMs,
    peer: HEALTH_P99_MS_MAX,
    ...limit,
  },
  fleet,
])

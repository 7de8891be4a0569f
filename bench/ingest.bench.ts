import { findRunning } from '@touchstone/server/embedded'
import { createBareWriter } from './bare-ingest.ts'
import { createTextGenerator, type Request, send } from './ingest-load.ts'
import { seededId, seedHistory } from './large-agent.ts'
import { median, type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

const PORT = 8913
const ORIGIN = `http://127.0.0.1:${PORT}`
const ROUNDS = 5
const AGENTS = 200
const SINGLES = 1200
const SINGLE_CONNECTIONS = 32
const BATCHES = 60
const BATCH_SIZE = 50
const BATCH_CONNECTIONS = 8
/** Our own limits. */
const SINGLE_RATE_MIN = 400
const BATCH_RATE_MIN = 1500
const SMALL = 1000
const LARGE = 1_000_000
const PROBES = 80
const WARM_UP_PROBES = 20

const folder = createDataFolder()
const service = await startService(folder.dir, PORT, ['--role', 'api'])
const { api_key: key } = credentialsIn(folder.dir)
const databaseUrl = (await findRunning(folder.dir)) ?? ''
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const text = createTextGenerator()

async function register(agentId: string): Promise<{ agentId: string; cardId: string }> {
  const body = JSON.stringify({ agent_id: agentId })
  const answer = await fetch(`${ORIGIN}/v1/agents`, { method: 'POST', headers, body })
  const created = (await answer.json()) as { agent: { card_id: string } }
  return { agentId, cardId: created.agent.card_id }
}

const agents: string[] = []
for (let i = 0; i < AGENTS; i += 1) agents.push((await register(`bench-agent-${i}`)).agentId)

const agentAt = (at: number) => agents[at % AGENTS] ?? ''
const singles = (): Request[] =>
  Array.from({ length: SINGLES }, (_, i) => ({
    path: `/v1/agents/${agentAt(i * 7)}/checkpoints`,
    body: JSON.stringify({ thinking: text() }),
  }))
let batched = 0
/** Each batch holds five checkpoints of each of ten agents. */
const batches = (): Request[] =>
  Array.from({ length: BATCHES }, () => {
    const checkpoints = Array.from({ length: BATCH_SIZE }, () => {
      batched += 1
      return { agent_id: agentAt(Math.floor(batched / 5)), thinking: text() }
    })
    return { path: '/v1/checkpoints/batch', body: JSON.stringify({ checkpoints }) }
  })

const single = { origin: ORIGIN, key, connections: SINGLE_CONNECTIONS }
const batch = { origin: ORIGIN, key, connections: BATCH_CONNECTIONS }
// Warms up the service, since in production it runs for weeks.
await send(single, [...singles(), ...singles()])
await send(batch, batches())
// Uses as many connections as the service does: its pool has ten.
const bareSingle = await createBareWriter(databaseUrl, 10)
const bareBatch = await createBareWriter(databaseUrl, BATCH_CONNECTIONS)
const rates: Record<'single' | 'bareSingle' | 'batch' | 'bareBatch', number[]> = {
  single: [],
  bareSingle: [],
  batch: [],
  bareBatch: [],
}
for (let round = 0; round < ROUNDS; round += 1) {
  rates.single.push(SINGLES / (await send(single, singles())))
  rates.bareSingle.push(SINGLES / (await bareSingle.write(SINGLES, 1)))
  const total = BATCHES * BATCH_SIZE
  rates.batch.push(total / (await send(batch, batches())))
  rates.bareBatch.push(total / (await bareBatch.write(total, BATCH_SIZE)))
  process.stdout.write('.')
}
await bareSingle.close()
await bareBatch.close()

/** Milliseconds of one request over a keep-alive connection. */
async function probe(method: string, path: string, body?: string): Promise<number> {
  const startedAt = performance.now()
  const answer = await fetch(`${ORIGIN}${path}`, { method, headers, ...(body ? { body } : {}) })
  const read = await answer.text()
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${read.slice(0, 300)}`)
  return performance.now() - startedAt
}

type Costs = { append: number[]; inclusion: number[]; consistency: number[] }

/** One append and two proofs, at positions spread over the whole history. */
async function probeAll(agentId: string, size: number, share: number, costs: Costs): Promise<void> {
  const leaf = Math.floor(size * share)
  const own = `/v1/agents/${agentId}`
  const body = JSON.stringify({ thinking: text() })
  costs.append.push(await probe('POST', `${own}/checkpoints`, body))
  const proof = `/v1/checkpoints/${seededId(agentId, leaf)}/inclusion-proof`
  costs.inclusion.push(await probe('GET', proof))
  const range = `first=${leaf + 1}&second=${size}`
  costs.consistency.push(await probe('GET', `${own}/consistency-proof?${range}`))
}

const small = { costs: newCosts(), ...(await register('bench-small')) }
const large = { costs: newCosts(), ...(await register('bench-large')) }
await seedHistory(databaseUrl, small, SMALL)
await seedHistory(databaseUrl, large, LARGE)
for (let i = 0; i < PROBES; i += 1) {
  const share = (i + 1) / (PROBES + 2)
  // The first probes only warm the caches, which are warm for a long-lived agent.
  const [ofSmall, ofLarge] =
    i < WARM_UP_PROBES ? [newCosts(), newCosts()] : [small.costs, large.costs]
  await probeAll(small.agentId, SMALL, share, ofSmall)
  await probeAll(large.agentId, LARGE, share, ofLarge)
}
await service.stop()
folder.remove()

function newCosts(): Costs {
  return { append: [], inclusion: [], consistency: [] }
}

const rateRows = (what: string, ours: number[], minimum: number, raw: number[]): Row[] => [
  { what, unit: '/s', ours: median(ours), peer: minimum, peerName: 'our minimum' },
  { what, unit: '/s', ours: median(ours), peer: median(raw), peerName: 'bare pg, same rows' },
]
const costRow = (what: string, kind: keyof Costs): Row => ({
  what: `${what} at 1,000,000 checkpoints`,
  unit: 'ms',
  ours: median(large.costs[kind]),
  peer: median(small.costs[kind]),
  peerName: 'at 1,000',
})
report('ingest', [
  ...rateRows('checkpoints in batches of 50', rates.batch, BATCH_RATE_MIN, rates.bareBatch),
  ...rateRows('single checkpoints', rates.single, SINGLE_RATE_MIN, rates.bareSingle),
  costRow('append', 'append'),
  costRow('inclusion proof', 'inclusion'),
  costRow('consistency proof', 'consistency'),
])

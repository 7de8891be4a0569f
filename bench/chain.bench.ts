import { findRunning } from '@touchstone/server/embedded'
import pg from 'pg'
import { median, type Row, report } from './report.ts'
import { seedPopulation } from './scored-agents.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

/** The gas limits of the specification (spec: chain §1), and our own limit for the waiting time. */
const FIRST_GAS_MAX = 34_000
const UPDATE_GAS_MAX = 17_000
const ANCHOR_GAS_MAX = 100_000
const PUBLISH_MS_MAX = 2000

const AGENTS = 200
const ROUNDS = 7
const PORT = 8941
const ORIGIN = `http://127.0.0.1:${PORT}`

const folder = createDataFolder()
const service = await startService(folder.dir, PORT)
const { api_key: key, org_id: org } = credentialsIn(folder.dir)

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(`${ORIGIN}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T
}

const connectionString = await findRunning(folder.dir)
if (connectionString === undefined) throw new Error('the database is not running')
const client = new pg.Client({ connectionString })
await client.connect()
await seedPopulation(client, org, {
  prefix: 'bench-',
  agents: AGENTS,
  checkpoints: 60,
  rows: false,
})
await client.end()
const publications: { agent_id: string; score: number; grade: string }[] = []
for (let n = 1; n <= AGENTS; n += 1) {
  await call('POST', `/v1/reputation/bench-${n}/recompute`, {})
  const { score, grade } = await call<{ score: number; grade: string }>(
    'GET',
    `/v1/reputation/bench-${n}`,
  )
  publications.push({ agent_id: `bench-${n}`, score, grade })
}

type Mined = { gas_used: number }

async function timed(work: () => Promise<Mined>): Promise<{ ms: number; gas: number }> {
  const startedAt = performance.now()
  const { gas_used: gas } = await work()
  return { ms: performance.now() - startedAt, gas }
}

const publish = () => call<Mined>('POST', '/v1/on-chain/publish-scores', { publications })
const anchor = (n: number) =>
  call<Mined>('POST', '/v1/on-chain/anchor-root', {
    merkle_root: `0x${n.toString(16).padStart(64, '0')}`,
    leaf_count: 5,
    tree_depth: 3,
  })

// Starts the chain and deploys the contracts before anything is timed.
await call('GET', '/v1/on-chain/contracts')
const first = await timed(publish)
const updates = []
const anchors = []
for (let round = 1; round <= ROUNDS; round += 1) {
  updates.push(await timed(publish))
  anchors.push(await timed(() => anchor(round)))
  process.stdout.write('.')
}
await service.stop()
folder.remove()

const limit = (what: string, unit: string, ours: number, peer: number): Row => {
  return { what, unit, ours, peer, peerName: 'our maximum' }
}
const maxGas = (mined: readonly { gas: number }[]) => Math.max(...mined.map(({ gas }) => gas))
report('chain', [
  limit('first publication, per score in a batch of 200', 'gas', first.gas / AGENTS, FIRST_GAS_MAX),
  limit('update, per score in a batch of 200', 'gas', maxGas(updates) / AGENTS, UPDATE_GAS_MAX),
  limit('anchor', 'gas', maxGas(anchors), ANCHOR_GAS_MAX),
  limit('publish-scores, first batch of 200', 'ms', first.ms, PUBLISH_MS_MAX),
  limit('publish-scores, batch of 200', 'ms', median(updates.map(({ ms }) => ms)), PUBLISH_MS_MAX),
  limit('anchor-root', 'ms', median(anchors.map(({ ms }) => ms)), PUBLISH_MS_MAX),
])

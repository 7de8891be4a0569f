import { fileURLToPath } from 'node:url'
import { findRunning } from '@touchstone/server/embedded'
import autocannon from 'autocannon'
import { signingMicroseconds } from './batch-signing.ts'
import { p99OfPacedLoad } from './paced-load.ts'
import { median, report } from './report.ts'
import { createDataFolder, credentialsIn, startProcess, startService } from './service.ts'

const ROUNDS = 12
const SECONDS = 2
const STEADY_ROUNDS = 5
/** Long enough for the JIT compiler to have optimised both servers. */
const WARM_UP_SECONDS = 12
const CONNECTIONS = 64
const OURS = 8931
const BARE = 8932
const INSERTING = 8934
/** Requests per second of a busy gateway, and our limit for their p99. */
const STEADY_RATE = 300
const STEADY_SECONDS = 4
const P99_MS_MAX = 12
/** Our limit for signing and hashing, per decision of a batch. */
const SIGNING_US_MAX = 25
const BATCH_SIZE = 32

const AGENT = 'bench-gateway'
const CALL = {
  agent_id: AGENT,
  session_id: 'bench',
  tool: 'mcp__shop__search',
  arguments: { order: 1182, text: 'Where is my parcel?', limit: 20 },
}
const POLICY = {
  meta: { schema_version: '1.0', name: 'bench', scope: 'agent' },
  capability_mappings: { shop: { tools: ['mcp__shop__*'], card_actions: ['serve'] } },
  forbidden: [{ pattern: 'mcp__shell__*', reason: 'No shell', severity: 'critical' }],
  escalation_triggers: [
    { condition: 'args.amount > 100', action: 'escalate', reason: 'High amount' },
  ],
  defaults: { enforcement_mode: 'enforce' },
}

/** The same policy with rules that every call takes counts of, none of which is ever exceeded. */
const COUNTED_AGENT = 'bench-limits'
const COUNTED_POLICY = {
  ...POLICY,
  meta: { ...POLICY.meta, schema_version: '1.1' },
  limits: [
    { name: 'day', tools: ['mcp__shop__*'], max: 1_000_000, per: 'day', reason: 'Many calls' },
    { name: 'session', tools: ['*'], max: 1_000_000, per: 'session', reason: 'Many calls' },
  ],
}

const folder = createDataFolder()
const service = await startService(folder.dir, OURS)
const { api_key: key } = credentialsIn(folder.dir)
const bare = await startProcess(
  [fileURLToPath(new URL('bare-decide.js', import.meta.url))],
  BARE,
  {},
)
/** One insert and commit per request, on the database of the service. */
const inserting = await startProcess(
  [fileURLToPath(new URL('bare-decide.js', import.meta.url))],
  INSERTING,
  { DATABASE_URL: (await findRunning(folder.dir)) ?? '' },
)
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function send(method: string, path: string, body: object): Promise<void> {
  const url = `http://127.0.0.1:${OURS}${path}`
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
}

const body = JSON.stringify(CALL)
const countedBody = JSON.stringify({ ...CALL, agent_id: COUNTED_AGENT })
const load = async (port: number, duration: number, sent = body): Promise<number> => {
  const url = `http://127.0.0.1:${port}/v1/gateway/decide`
  const common = { url, method: 'POST', headers, body: sent, connections: CONNECTIONS } as const
  const result = await autocannon({ ...common, duration })
  if (result.non2xx > 0) throw new Error(`${url} returned ${result.non2xx} error responses`)
  return result['2xx'] / result.duration
}

await send('POST', '/v1/agents', { agent_id: AGENT })
await send('PUT', `/v1/agents/${AGENT}/policy`, POLICY)
await send('POST', '/v1/agents', { agent_id: COUNTED_AGENT })
await send('PUT', `/v1/agents/${COUNTED_AGENT}/policy`, COUNTED_POLICY)

await load(BARE, WARM_UP_SECONDS)
await load(INSERTING, WARM_UP_SECONDS)
await load(OURS, WARM_UP_SECONDS)
const figures = {
  ours: [] as number[],
  bare: [] as number[],
  counted: [] as number[],
  inserting: [] as number[],
}
for (let round = 0; round < ROUNDS; round += 1) {
  figures.bare.push(await load(BARE, SECONDS))
  figures.ours.push(await load(OURS, SECONDS))
  figures.counted.push(await load(OURS, SECONDS, countedBody))
  figures.inserting.push(await load(INSERTING, SECONDS))
  process.stdout.write('.')
}
const steady = { ours: [] as number[], bare: [] as number[] }
const paced = (port: number) =>
  p99OfPacedLoad({
    origin: `http://127.0.0.1:${port}`,
    path: '/v1/gateway/decide',
    headers,
    body,
    perSecond: STEADY_RATE,
    seconds: STEADY_SECONDS,
    connections: CONNECTIONS,
  })
for (let round = 0; round < STEADY_ROUNDS; round += 1) {
  steady.bare.push(await paced(BARE))
  steady.ours.push(await paced(OURS))
  process.stdout.write('.')
}
await bare.stop()
await inserting.stop()
await service.stop()
folder.remove()

report('decide', [
  {
    what: 'POST /v1/gateway/decide, allowed, signed and stored',
    unit: 'req/s',
    ours: median(figures.ours),
    peer: median(figures.bare),
    peerName: 'bare Fastify, same schemas, no decision',
  },
  {
    what: 'the same under two limits',
    unit: 'req/s',
    ours: median(figures.counted),
    peer: median(figures.ours),
    peerName: 'without limits',
  },
  {
    what: 'POST /v1/gateway/decide, allowed, signed and stored',
    unit: 'req/s',
    ours: median(figures.ours),
    peer: median(figures.inserting),
    peerName: 'bare Fastify, one insert and commit per request',
  },
  {
    what: `sign and hash, per decision in a batch of ${BATCH_SIZE}`,
    unit: 'µs',
    ours: signingMicroseconds(BATCH_SIZE),
    peer: SIGNING_US_MAX,
    peerName: 'our maximum',
  },
  {
    what: `p99 at ${STEADY_RATE} requests/s`,
    unit: 'ms',
    ours: median(steady.ours),
    peer: P99_MS_MAX,
    peerName: 'our maximum',
  },
  {
    what: `p99 at ${STEADY_RATE} requests/s`,
    unit: 'ms',
    ours: median(steady.ours),
    peer: median(steady.bare),
    peerName: 'bare Fastify',
  },
])

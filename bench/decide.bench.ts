import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { slowestOf100 } from './paced-load.ts'
import { median, report } from './report.ts'
import { credentialsIn, dataFolder, startProcess, startService } from './service.ts'

const ROUNDS = 12
const SECONDS = 2
const STEADY_ROUNDS = 5
/** Until the code of both is compiled as well as it will be. */
const WARM_UP_SECONDS = 12
const CONNECTIONS = 32
const OURS = 8931
const BARE = 8932
/** Calls a second of a busy gateway, and how long it may wait for the slowest of a hundred. */
const STEADY_RATE = 300
const STEADY_SECONDS = 4
const P99_MS_MAX = 10

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
  escalation_triggers: [{ condition: 'args.amount > 100', action: 'escalate', reason: 'Much' }],
  defaults: { enforcement_mode: 'enforce' },
}

const folder = dataFolder()
const service = await startService(folder.dir, OURS)
const { api_key: key } = credentialsIn(folder.dir)
const bare = await startProcess(
  [fileURLToPath(new URL('bare-decide.js', import.meta.url))],
  BARE,
  {},
)
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

async function send(method: string, path: string, body: object): Promise<void> {
  const url = `http://127.0.0.1:${OURS}${path}`
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
}

const body = JSON.stringify(CALL)
const load = async (port: number, duration: number): Promise<number> => {
  const url = `http://127.0.0.1:${port}/v1/gateway/decide`
  const common = { url, method: 'POST', headers, body, connections: CONNECTIONS } as const
  const result = await autocannon({ ...common, duration })
  if (result.non2xx > 0) throw new Error(`${url} answered ${result.non2xx} times with an error`)
  return result['2xx'] / result.duration
}

await send('POST', '/v1/agents', { agent_id: AGENT })
await send('PUT', `/v1/agents/${AGENT}/policy`, POLICY)

await load(BARE, WARM_UP_SECONDS)
await load(OURS, WARM_UP_SECONDS)
const figures = { ours: [] as number[], bare: [] as number[] }
for (let round = 0; round < ROUNDS; round += 1) {
  figures.bare.push(await load(BARE, SECONDS))
  figures.ours.push(await load(OURS, SECONDS))
  process.stdout.write('.')
}
const steady = { ours: [] as number[], bare: [] as number[] }
const paced = (port: number) =>
  slowestOf100({
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
await service.stop()
folder.remove()

report('decide', [
  {
    what: 'POST /v1/gateway/decide, allowed, signed',
    unit: 'req/s',
    ours: median(figures.ours),
    peer: median(figures.bare),
    peerName: 'bare Fastify, same schemas, nothing decided',
  },
  {
    what: `slowest of 100 at ${STEADY_RATE} a second`,
    unit: 'ms',
    ours: median(steady.ours),
    peer: P99_MS_MAX,
    peerName: 'our limit',
  },
  {
    what: 'the same beside bare Fastify',
    unit: 'ms',
    ours: median(steady.ours),
    peer: median(steady.bare),
    peerName: 'bare Fastify',
  },
])

import { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findRunning } from '@touchstone/server/embedded'
import pg from 'pg'
import { Agent, request } from 'undici'
import { median, type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startProcess } from './service.ts'

const PORT = 8927
const RECEIVER_PORT = 8928
const ORGS = 4
const PER_ORG = 4
/** The most concurrent requests per endpoint (spec: platform §5.5). */
const PER_ENDPOINT = 4
const ROUNDS = 5
/** Enough that the start and end of a round, with fewer concurrent requests, hardly count. */
const MEASURED = 20_000
/** Enough for the JIT compiler to have optimised both. */
const WARM_UP_DELIVERIES = 10_000
const BACKLOG = 100_000
const PROBES = 150
/** Our own limit. */
const PER_SECOND_MIN = 1000

const RECEIVER = `http://127.0.0.1:${RECEIVER_PORT}`
const BIN = fileURLToPath(new URL('../../packages/server/bin/touchstone.mjs', import.meta.url))
const PADDING = 'x'.repeat(500)

const receiver = await startProcess(
  [fileURLToPath(new URL('./webhook-receiver.js', import.meta.url))],
  RECEIVER_PORT,
  {},
)
const folder = createDataFolder()
const service = await startProcess([BIN, 'serve', '--empty'], PORT, {
  DATA_DIR: folder.dir,
  RATE_LIMITS: 'off',
  METRICS_ADDR: 'off',
  ALLOW_LOOPBACK_EGRESS: 'true',
})
const client = new pg.Client({ connectionString: (await findRunning(folder.dir)) ?? '' })
await client.connect()

async function call(path: string, body: object, token?: string) {
  const answer = await fetch(`http://127.0.0.1:${PORT}/v1${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Record<string, string>
}

type Endpoint = { orgId: string; endpointId: string }

const { email, password } = credentialsIn(folder.dir) as unknown as Record<string, string>
const { access_token: token } = await call('/auth/login', { email, password })

async function newEndpoint(orgId: string, path: string): Promise<Endpoint> {
  const body = { url: `${RECEIVER}${path}`, event_types: ['drift.resolved'] }
  const { endpoint_id: endpointId = '' } = await call(`/orgs/${orgId}/webhooks`, body, token)
  return { orgId, endpointId }
}

const orgIds: string[] = []
const endpoints: Endpoint[] = []
for (let o = 0; o < ORGS; o += 1) {
  const org = await call('/orgs', { name: `Bench ${o}`, slug: `bench-${o}` }, token)
  orgIds.push(org['org_id'] ?? '')
  for (let e = 0; e < PER_ORG; e += 1) {
    endpoints.push(await newEndpoint(org['org_id'] ?? '', `/${o}/${e}`))
  }
}

/** Inserts deliveries as events do, spread over the given endpoints, in one transaction. */
async function enqueue(count: number, to: readonly Endpoint[], data: object = {}): Promise<void> {
  const rows = JSON.stringify(
    to.map(({ orgId, endpointId }, place) => ({ orgId, endpointId, place })),
  )
  const body = JSON.stringify({ type: 'drift.resolved', data: { padding: PADDING, ...data } })
  await client.query('begin')
  await client.query(
    `create temporary table fresh on commit drop as
     select 'evt-' || gen_random_uuid() as event_id, 'whd-' || gen_random_uuid() as delivery_id,
       r."orgId" as org_id, r."endpointId" as endpoint_id
     from generate_series(0, $2::integer - 1) as n
     join json_to_recordset($1::json) as r ("orgId" text, "endpointId" text, place integer)
       on r.place = n % $3::integer`,
    [rows, count, to.length],
  )
  await client.query(
    `insert into webhook_message (event_id, org_id, body, created_at)
     select event_id, org_id, $1, now() from fresh`,
    [body],
  )
  await client.query(
    `with inserted as (
       insert into webhook_delivery (delivery_id, event_id, endpoint_id, org_id, event_type, cause,
         status, created_at, updated_at)
       select delivery_id, event_id, endpoint_id, org_id, 'drift.resolved', 'event',
         'pending', now(), now() from fresh
       returning seq, delivery_id, endpoint_id
     )
     insert into webhook_due (seq, delivery_id, endpoint_id, due_at)
     select seq, delivery_id, endpoint_id, now() from inserted`,
  )
  await client.query("select pg_notify('touchstone', 'webhook_due ')")
  await client.query('commit')
}

type Received = { count: number; latencies: number[] }
/** Deliveries that arrived since the last call. */
const takeReceived = async (): Promise<Received> =>
  (await (await fetch(RECEIVER)).json()) as Received

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits for this many deliveries and returns their latencies. Calls `onPoll` after each poll. */
async function receive(count: number, onPoll: (soFar: number) => void = () => undefined) {
  const latencies: number[] = []
  let soFar = 0
  while (soFar < count) {
    await pause(50)
    const more = await takeReceived()
    soFar += more.count
    latencies.push(...more.latencies)
    onPoll(soFar)
  }
  return latencies
}

async function ours(count: number): Promise<number> {
  await enqueue(count, endpoints)
  const startedAt = performance.now()
  await receive(count)
  return count / ((performance.now() - startedAt) / 1000)
}

/** The same requests without a queue, a delivery log or an egress guard. */
async function bare(count: number): Promise<number> {
  const secret = `whsec_${randomBytes(32).toString('hex')}`
  const body = JSON.stringify({ type: 'drift.resolved', data: { padding: PADDING } })
  const agent = new Agent({ connections: PER_ENDPOINT * endpoints.length })
  let left = count
  const loop = async (path: string) => {
    while (left > 0) {
      left -= 1
      const timestamp = Math.floor(Date.now() / 1000)
      const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
      const headers = {
        'content-type': 'application/json',
        'x-webhook-timestamp': String(timestamp),
        'x-webhook-signature': `v1=${signature}`,
      }
      const answer = await request(`${RECEIVER}${path}`, {
        method: 'POST',
        headers,
        body,
        dispatcher: agent,
      })
      await answer.body.dump()
    }
  }
  const startedAt = performance.now()
  const loops = endpoints.flatMap((_, place) =>
    Array.from({ length: PER_ENDPOINT }, () => loop(`/bare/${place}`)),
  )
  await Promise.all(loops)
  const perSecond = count / ((performance.now() - startedAt) / 1000)
  await agent.close()
  await takeReceived()
  return perSecond
}

function residentMb(): number {
  const status = readFileSync(`/proc/${service.child.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

function p95(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0
}

/** Latencies under light load: single events, one after the other, to all the given endpoints. */
async function latenciesAt(to: readonly Endpoint[], expected: number): Promise<number[]> {
  for (let probe = 0; probe < PROBES; probe += 1) {
    await enqueue(to.length, to, { at: Date.now() })
    await pause(20)
  }
  return receive(PROBES * expected)
}

const rows: Row[] = []
await ours(WARM_UP_DELIVERIES)
await bare(WARM_UP_DELIVERIES)
const figures = { ours: [] as number[], bare: [] as number[] }
for (let round = 0; round < ROUNDS; round += 1) {
  figures.ours.push(await ours(MEASURED))
  figures.bare.push(await bare(MEASURED))
}
const perSecond = median(figures.ours)
const barePerSecond = median(figures.bare)
rows.push({
  what: 'deliveries',
  unit: '/s',
  ours: perSecond,
  peer: barePerSecond,
  peerName: 'bare undici, same concurrency',
})
rows.push({
  what: 'deliveries',
  unit: '/s',
  ours: perSecond,
  peer: PER_SECOND_MIN,
  peerName: 'our minimum',
})

const [first] = orgIds
const own = endpoints.filter(({ orgId }) => orgId === first)
const withoutHanging = p95(await latenciesAt(own, own.length))
const hanging = await newEndpoint(first ?? '', '/hang')
await enqueue(1000, [hanging])
const withHanging = p95(await latenciesAt([...own, hanging], own.length))
rows.push({
  what: 'p95 while another endpoint hangs',
  unit: 'ms',
  ours: withHanging,
  peer: withoutHanging,
  peerName: 'without the hanging endpoint',
})
for (const table of ['webhook_due', 'webhook_delivery']) {
  await client.query(`delete from ${table} where endpoint_id = $1`, [hanging.endpointId])
}

let early = 0
let peak = 0
await enqueue(BACKLOG, endpoints)
const startedAt = performance.now()
await receive(BACKLOG, (soFar) => {
  const now = residentMb()
  if (soFar < BACKLOG / 5) early = Math.max(early, now)
  peak = Math.max(peak, now)
})
const seconds = (performance.now() - startedAt) / 1000
rows.push({
  what: `peak memory for a backlog of ${BACKLOG.toLocaleString('en')}`,
  unit: 'MB',
  ours: peak,
  peer: early,
  peerName: 'during its first fifth',
})
rows.push({
  what: `deliveries from a backlog of ${BACKLOG.toLocaleString('en')}`,
  unit: '/s',
  ours: BACKLOG / seconds,
  peer: perSecond,
  peerName: `from a backlog of ${MEASURED.toLocaleString('en')}`,
})

await client.end()
await service.stop()
await receiver.stop()
folder.remove()

report('webhooks', rows)

import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Load, memoryKb, open, read, readMany, type Target } from './model-streams.ts'
import { median, type Row, report } from './report.ts'
import {
  createDataFolder,
  credentialsIn,
  type Running,
  startProcess,
  startService,
} from './service.ts'

const PORT = 8951
const PROXY_PORT = 8952
const UPSTREAM_PORT = 8953
const ROUNDS = 3
const AGENT = 'bench-caller'

/** Our own limits. */
const FIRST_P50_MS_MAX = 1
const FIRST_P99_MS_MAX = 8
const STREAMS = 100
const PACED = { model: 'paced', count: 400, concurrency: STREAMS, apartMs: 20 }
const THROUGHPUT = { model: 'stream-200', count: 300, concurrency: 16 }
const TOOL_TURNS = { model: 'tool', count: 300, concurrency: 16 }
const IDLE_STREAMS = 500
const IDLE_KB_MAX = 40
const BODY_MB = 20
const BODIES_MAX = 2
const SETTLE_MS = 3000

const POLICY = {
  meta: { schema_version: '1.0', name: 'bench', scope: 'agent' },
  capability_mappings: { search: { tools: ['bench_*'], card_actions: ['search'] } },
  forbidden: [{ pattern: 'shell_*', reason: 'No shell', severity: 'critical' }],
  defaults: { enforcement_mode: 'enforce', grace_period_hours: 0 },
}
const CARD = {
  principal: { type: 'organization', relationship: 'delegated_authority' },
  values: { declared: ['honesty'] },
  autonomy_envelope: { bounded_actions: ['search'] },
  audit_commitment: { retention_days: 90, queryable: false },
}

const file = (name: string) => fileURLToPath(new URL(`./${name}.js`, import.meta.url))
const originOf = (port: number) => `http://127.0.0.1:${port}`

const folder = createDataFolder()
const upstream = await startProcess([file('model-upstream')], UPSTREAM_PORT, {})
const proxy = await startProcess([file('bare-model-proxy')], PROXY_PORT, {
  UPSTREAM: originOf(UPSTREAM_PORT),
})
const service = await startService(folder.dir, PORT, [], {
  // All streams of the benchmark come from one address.
  CONNECTIONS_PER_ADDRESS: '0',
  MODEL_GATEWAY_UPSTREAMS: JSON.stringify({ anthropic: originOf(UPSTREAM_PORT) }),
})

async function createConnection(): Promise<string> {
  const { api_key } = credentialsIn(folder.dir)
  const call = async (method: string, path: string, body: unknown) => {
    const answer = await fetch(originOf(PORT) + path, {
      method,
      headers: { authorization: `Bearer ${api_key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`)
    return JSON.parse(text)
  }
  await call('POST', '/v1/agents', { agent_id: AGENT, card: CARD })
  await call('PUT', `/v1/agents/${AGENT}/policy`, POLICY)
  const made = await call('POST', `/v1/agents/${AGENT}/connections`, { provider: 'anthropic' })
  return made.token
}

const token = await createConnection()
const ours = targetOf(service, `${originOf(PORT)}/llm/${token}/anthropic`)
const bare = targetOf(proxy, originOf(PROXY_PORT))

function targetOf({ child }: Running, baseUrl: string): Target {
  if (child.pid === undefined) throw new Error('the process has no id')
  return { baseUrl, pid: child.pid }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN
}

/** Both sides in turn, so that a slower minute of the machine slows down both. */
async function sideBySide(load: Load) {
  const found = { ours: [] as number[], bare: [] as number[] }
  const firsts = { ours: [] as number[], bare: [] as number[] }
  for (let round = -1; round < ROUNDS; round += 1) {
    const ofBare = await readMany(bare, load)
    const ofOurs = await readMany(ours, load)
    process.stdout.write('.')
    // The first round warms up all processes.
    if (round < 0) continue
    found.ours.push(ofOurs.perSecond)
    found.bare.push(ofBare.perSecond)
    firsts.ours.push(...ofOurs.firstMs)
    firsts.bare.push(...ofBare.firstMs)
  }
  return { ours: median(found.ours), bare: median(found.bare), firsts }
}

/** Resident memory that a number of open streams adds, each with its first events delivered. */
async function idleKb(target: Target): Promise<number> {
  await sleep(SETTLE_MS)
  const before = memoryKb(target.pid)
  const streams = await Promise.all(
    Array.from({ length: IDLE_STREAMS }, async (): Promise<IncomingMessage> => {
      const answer = await open(target, 'idle')
      await new Promise((resolve) => answer.once('data', resolve))
      return answer
    }),
  )
  await sleep(SETTLE_MS)
  const added = (memoryKb(target.pid) - before) / IDLE_STREAMS
  for (const stream of streams) stream.destroy()
  await sleep(SETTLE_MS)
  return added
}

/** The most memory that a process needs above what it had, while it forwards one large body. */
async function largeBodyKb(target: Target): Promise<number> {
  await sleep(SETTLE_MS)
  const before = memoryKb(target.pid)
  let peak = before
  const sampling = setInterval(() => {
    peak = Math.max(peak, memoryKb(target.pid))
  }, 2)
  await read(target, 'short', { filler: ' '.repeat(BODY_MB * 2 ** 20) })
  clearInterval(sampling)
  return peak - before
}

const minimum = (what: string, measured: { ours: number; bare: number }): Row => ({
  what,
  unit: 'turns/s',
  ours: measured.ours,
  peer: measured.bare,
  peerName: 'bare proxy',
})

const paced = await sideBySide(PACED)
const added = (share: number) =>
  percentile(paced.firsts.ours, share) - percentile(paced.firsts.bare, share)
const streams = await sideBySide(THROUGHPUT)
const toolTurns = await sideBySide(TOOL_TURNS)
const [oursIdle, bareIdle] = [await idleKb(ours), await idleKb(bare)]
const [oursBody, bareBody] = [await largeBodyKb(ours), await largeBodyKb(bare)]

await service.stop()
await proxy.stop()
await upstream.stop()
folder.remove()

report('model-gateway', [
  {
    what: `added time to first token, p50, ${STREAMS} streams`,
    unit: 'ms',
    ours: added(0.5),
    peer: FIRST_P50_MS_MAX,
    peerName: 'our maximum',
  },
  {
    what: `added time to first token, p99, ${STREAMS} streams`,
    unit: 'ms',
    ours: added(0.99),
    peer: FIRST_P99_MS_MAX,
    peerName: 'our maximum',
  },
  minimum('streams of 200 events (at least 0.60)', streams),
  minimum('turns with a tool call (at least 0.40)', toolTurns),
  {
    what: `memory of an idle stream, ${IDLE_STREAMS} open, above the bare proxy's`,
    unit: 'KiB',
    ours: oursIdle - bareIdle,
    peer: IDLE_KB_MAX,
    peerName: 'our maximum',
  },
  {
    what: `memory for a body of ${BODY_MB} MiB, above the bare proxy's`,
    unit: 'MiB',
    ours: (oursBody - bareBody) / 1024,
    peer: BODIES_MAX * BODY_MB,
    peerName: 'our maximum',
  },
])

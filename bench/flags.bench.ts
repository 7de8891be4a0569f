import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createTextGenerator, type Request, send } from './ingest-load.ts'
import { median, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

/** Ingest with and without the flags of evidence that says little, alternating in one run. */
const ROUNDS = 9
const AGENTS = 200
const SINGLES = 600
const SINGLE_CONNECTIONS = 32
const BATCHES = 60
const BATCH_SIZE = 50
const BATCH_CONNECTIONS = 8
const WARM_UPS = 2
/** Our own limit: 8 % slower. */
const SLOWDOWN_MAX = 1.08

const WITHOUT_FLAGS = fileURLToPath(new URL('./without-flags.js', import.meta.url))
const text = createTextGenerator()

type Side = Awaited<ReturnType<typeof open>>

async function open(port: number, env: Record<string, string> = {}) {
  const folder = createDataFolder()
  const service = await startService(folder.dir, port, ['--role', 'api'], env)
  const origin = `http://127.0.0.1:${port}`
  const { api_key: key } = credentialsIn(folder.dir)
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (let i = 0; i < AGENTS; i += 1) {
    const body = JSON.stringify({ agent_id: agentAt(i) })
    const answer = await fetch(`${origin}/v1/agents`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`registering an agent answered ${answer.status}`)
  }
  const close = async () => {
    await service.stop()
    folder.remove()
  }
  const pid = service.child.pid ?? 0
  const figures = { batch: [] as number[], single: [] as number[], loop: [] as number[] }
  return { origin, key, close, pid, ...figures }
}

function agentAt(at: number): string {
  return `bench-agent-${at % AGENTS}`
}

function singles(): Request[] {
  return Array.from({ length: SINGLES }, (_, i) => ({
    path: `/v1/agents/${agentAt(i * 7)}/checkpoints`,
    body: JSON.stringify({ thinking: text() }),
  }))
}

let batched = 0
/** Each batch holds five checkpoints of each of ten agents. */
function batches(): Request[] {
  return Array.from({ length: BATCHES }, () => {
    const checkpoints = Array.from({ length: BATCH_SIZE }, () => {
      batched += 1
      return { agent_id: agentAt(Math.floor(batched / 5)), thinking: text() }
    })
    return { path: '/v1/checkpoints/batch', body: JSON.stringify({ checkpoints }) }
  })
}

/** Hundredths of a second in user and system mode: proc_pid_stat(5), fields 14 and 15. */
const TICK_MS = 10

/** CPU time of the thread that runs the event loop. */
function loopMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** Milliseconds per checkpoint. */
async function measure(side: Side, round: number): Promise<void> {
  const target = { origin: side.origin, key: side.key }
  const loopBefore = loopMs(side.pid)
  const batchSeconds = await send({ ...target, connections: BATCH_CONNECTIONS }, batches())
  const loop = loopMs(side.pid) - loopBefore
  const singleSeconds = await send({ ...target, connections: SINGLE_CONNECTIONS }, singles())
  if (round < WARM_UPS) return
  side.batch.push((batchSeconds * 1000) / (BATCHES * BATCH_SIZE))
  side.loop.push(loop / (BATCHES * BATCH_SIZE))
  side.single.push((singleSeconds * 1000) / SINGLES)
}

const sides = [
  await open(8913),
  await open(8914, { NODE_OPTIONS: `--import=${WITHOUT_FLAGS}` }),
] as const
const [flagged, bare] = sides
for (let round = 0; round < WARM_UPS + ROUNDS; round += 1) {
  // Each goes first in every other round.
  for (const side of round % 2 === 0 ? sides : sides.toReversed()) await measure(side, round)
  process.stdout.write('.')
}
for (const side of sides) await side.close()

const rowsOf = (what: string, kind: 'batch' | 'single' | 'loop') => {
  const without = median(bare[kind])
  const row = { what, unit: 'ms', ours: median(flagged[kind]) }
  return [
    { ...row, peer: without, peerName: 'without flags' },
    { ...row, peer: without * SLOWDOWN_MAX, peerName: 'our maximum, 8 % more' },
  ]
}
report('flags', [
  ...rowsOf('a checkpoint in a batch of 50', 'batch'),
  ...rowsOf('its share of the event loop', 'loop'),
  ...rowsOf('a single checkpoint', 'single'),
])

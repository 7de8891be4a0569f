import { fileURLToPath } from 'node:url'
import { createTextGenerator, type Request, send } from './ingest-load.ts'
import { median, type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startService } from './service.ts'

/** Decisions and checkpoints with and without entries in the log, alternating in one run. */
const ROUNDS = 11
const AGENTS = 200
const DECISIONS = 3000
const DECIDE_CONNECTIONS = 16
const BATCHES = 40
const BATCH_SIZE = 50
const BATCH_CONNECTIONS = 8
const WARM_UPS = 2
/** At most 5 % slower. */
const SLOWDOWN_MAX = 1.05

const WITHOUT_LOG = fileURLToPath(new URL('./without-log.js', import.meta.url))
const text = createTextGenerator()

async function open(port: number, env: Record<string, string> = {}) {
  const folder = createDataFolder()
  const service = await startService(folder.dir, port, [], env)
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
  const decide = { origin, key, connections: DECIDE_CONNECTIONS }
  const ingest = { origin, key, connections: BATCH_CONNECTIONS }
  return { decide, ingest, close, decided: [] as number[], ingested: [] as number[] }
}

function agentAt(at: number): string {
  return `bench-agent-${at % AGENTS}`
}

function decisions(): Request[] {
  return Array.from({ length: DECISIONS }, (_, i) => ({
    path: '/v1/gateway/decide',
    body: JSON.stringify({ agent_id: agentAt(i * 7), tool: `tool_${i % 25}`, arguments: { i } }),
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

const withLog = await open(8970)
const without = await open(8971, { NODE_OPTIONS: `--import=${WITHOUT_LOG}` })
for (let round = 0; round < ROUNDS + WARM_UPS; round += 1) {
  // Neither is always first.
  const sides = round % 2 === 0 ? [withLog, without] : [without, withLog]
  for (const side of sides) {
    const decideS = await send(side.decide, decisions())
    const ingestS = await send(side.ingest, batches())
    if (round < WARM_UPS) continue
    side.decided.push(decideS)
    side.ingested.push(ingestS)
  }
  process.stdout.write('.')
}
await withLog.close()
await without.close()

function rowOf(what: string, name: 'decided' | 'ingested'): Row[] {
  const [ours, peer] = [median(withLog[name]), median(without[name])]
  return [
    { what: `${what}, seconds of a round`, unit: 's', ours, peer, peerName: 'without the log' },
    {
      what: `${what}, slowdown`,
      unit: '×',
      ours: ours / peer,
      peer: SLOWDOWN_MAX,
      peerName: 'our limit',
    },
  ]
}

report('log-cost', [
  ...rowOf('decide, 16 connections', 'decided'),
  ...rowOf('ingest in batches of 50', 'ingested'),
])

import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { createTextGenerator } from './ingest-load.ts'
import { median, type Row, report } from './report.ts'
import { createDataFolder, credentialsIn, startProcess, startService } from './service.ts'

/** Short, alternating rounds, so that other load on the machine affects both servers alike. */
const ROUNDS = 15
const SECONDS = 1
const WARM_UP_ROUNDS = 3
const CONNECTIONS = 32
const OURS = 8916
const BARE = 8917
const ORIGIN = `http://127.0.0.1:${OURS}`
const AGENT = 'bench-rated'
/** Our own limit, as a share of a server that only replays responses. */
const SHARE_MIN = 0.4

const folder = createDataFolder()
const service = await startService(folder.dir, OURS, ['--role', 'api'])
const { api_key: key } = credentialsIn(folder.dir)

async function post(path: string, body: object): Promise<void> {
  const answer = await fetch(`${ORIGIN}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
}

const text = createTextGenerator()
const now = Date.now()
await post('/v1/agents', { agent_id: AGENT })
await post('/v1/checkpoints/batch', {
  checkpoints: Array.from({ length: 50 }, (_, n) => ({
    agent_id: AGENT,
    thinking: text(),
    timestamp: new Date(now - 600_000 + n * 10_000 + (n % 5) * 700).toISOString(),
  })),
})
await post(`/v1/reputation/${AGENT}/recompute`, {})

const paths = {
  score: `/v1/reputation/${AGENT}`,
  badge: `/v1/reputation/${AGENT}/badge.svg`,
}
const peer = fileURLToPath(new URL('bare-replay.js', import.meta.url))
const bare = await startProcess([peer], BARE, {
  SOURCE: ORIGIN,
  PATHS: Object.values(paths).join(' '),
})

/** Requests per second. Throws if a response is not 2xx. */
async function rate(port: number, path: string): Promise<number> {
  const url = `http://127.0.0.1:${port}${path}`
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS })
  if (result.non2xx > 0) throw new Error(`${url} returned ${result.non2xx} error responses`)
  return result['2xx'] / result.duration
}

const rows: Row[] = []
for (const [what, path] of Object.entries(paths)) {
  const ours: number[] = []
  const others: number[] = []
  for (let round = 0; round < ROUNDS + WARM_UP_ROUNDS; round += 1) {
    const [other, own] = [await rate(BARE, path), await rate(OURS, path)]
    // The first rounds only warm up both.
    if (round < WARM_UP_ROUNDS) continue
    others.push(other)
    ours.push(own)
    process.stdout.write('.')
  }
  const row = { what: `GET ${what}`, unit: 'req/s', ours: median(ours), peer: median(others) }
  rows.push({ ...row, peerName: 'bare Fastify, same bytes' })
  rows.push({ ...row, peer: SHARE_MIN * row.peer, peerName: `our minimum, ${SHARE_MIN} × that` })
}
await bare.stop()
await service.stop()
folder.remove()
report('score-read', rows)

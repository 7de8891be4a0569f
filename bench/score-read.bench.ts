import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { createTexts } from './ingest-load.ts'
import { median, type Row, report } from './report.ts'
import { credentialsIn, dataFolder, startProcess, startService } from './service.ts'

/** Short turns: whatever else the machine does then falls on both alike. */
const ROUNDS = 15
const SECONDS = 1
const WARMING = 3
const CONNECTIONS = 32
const OURS = 8916
const BARE = 8917
const ORIGIN = `http://127.0.0.1:${OURS}`
const AGENT = 'bench-rated'
/** What we hold ourselves to, beside a server that only sends. */
const SHARE_MIN = 0.4

const folder = dataFolder()
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

const text = createTexts()
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

/** Answers a second, counted only when they are 2xx. */
async function rate(port: number, path: string): Promise<number> {
  const url = `http://127.0.0.1:${port}${path}`
  const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS })
  if (result.non2xx > 0) throw new Error(`${url} answered ${result.non2xx} times with an error`)
  return result['2xx'] / result.duration
}

const rows: Row[] = []
for (const [what, path] of Object.entries(paths)) {
  const ours: number[] = []
  const others: number[] = []
  for (let round = 0; round < ROUNDS + WARMING; round += 1) {
    const [other, own] = [await rate(BARE, path), await rate(OURS, path)]
    // The first rounds only warm both up.
    if (round < WARMING) continue
    others.push(other)
    ours.push(own)
    process.stdout.write('.')
  }
  const row = { what: `GET ${what}`, unit: 'req/s', ours: median(ours), peer: median(others) }
  rows.push({ ...row, peerName: 'bare Fastify, same bytes' })
  rows.push({ ...row, peer: SHARE_MIN * row.peer, peerName: `our least, ${SHARE_MIN} of that` })
}
await bare.stop()
await service.stop()
folder.remove()
report('score-read', rows)

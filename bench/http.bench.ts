import { fileURLToPath } from 'node:url'
import { findRunning } from '@touchstone/server/embedded'
import autocannon from 'autocannon'
import { median, report } from './report.ts'
import { createDataFolder, credentialsIn, startProcess, startService } from './service.ts'

const ROUNDS = 5
const SECONDS = 3
const CONNECTIONS = 32
const OURS = 8911
const BARE = 8912

/** Requests per second of one URL. Throws if a response is not 2xx. */
async function rate(url: string, headers: Record<string, string> = {}): Promise<number> {
  const result = await autocannon({ url, headers, connections: CONNECTIONS, duration: SECONDS })
  if (result.non2xx > 0) throw new Error(`${url} returned ${result.non2xx} error responses`)
  return result['2xx'] / result.duration
}

const folder = createDataFolder()
const service = await startService(folder.dir, OURS)
const { org_id: org, api_key: key } = credentialsIn(folder.dir)
const databaseUrl = await findRunning(folder.dir)
const bare = await startProcess(
  [fileURLToPath(new URL('bare-fastify.js', import.meta.url))],
  BARE,
  {
    DATABASE_URL: databaseUrl ?? '',
  },
)

const pairs = {
  read: {
    ours: () => rate(`http://127.0.0.1:${OURS}/v1/orgs/${org}`, { authorization: `Bearer ${key}` }),
    bare: () => rate(`http://127.0.0.1:${BARE}/orgs/${org}`),
  },
  health: {
    ours: () => rate(`http://127.0.0.1:${OURS}/health/live`),
    bare: () => rate(`http://127.0.0.1:${BARE}/health/live`),
  },
}
const figures = { read: { ours: [0], bare: [0] }, health: { ours: [0], bare: [0] } }
for (const kind of ['read', 'health'] as const) {
  figures[kind] = { ours: [], bare: [] }
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [bareRate, ourRate] = [await pairs[kind].bare(), await pairs[kind].ours()]
    // The first round only warms up both.
    if (round === 0) continue
    figures[kind].bare.push(bareRate)
    figures[kind].ours.push(ourRate)
    process.stdout.write('.')
  }
}
await bare.stop()
await service.stop()
folder.remove()

const peerName = 'bare Fastify, same query'
report('http', [
  {
    what: 'authenticated GET, one indexed read',
    unit: 'req/s',
    ours: median(figures.read.ours),
    peer: median(figures.read.bare),
    peerName,
  },
  {
    what: 'GET /health/live',
    unit: 'req/s',
    ours: median(figures.health.ours),
    peer: median(figures.health.bare),
    peerName: 'bare Fastify',
  },
])

import { Agent, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { percentile, report } from './report.ts'
import { createDataFolder, startService } from './service.ts'

/**
 * How long others wait while a stranger sends ten expensive requests at once: the time of GET
 * /health/live, asked every few milliseconds on connections of its own.
 */
const PORT = 8923
const ORIGIN = `http://127.0.0.1:${PORT}`
const AT_ONCE = 10
const ROUNDS = 15
const PROBE_EVERY_MS = 5
const MIB = 1024 * 1024
/** Our own limit (spec: platform §1.4). */
const MS_MAX = 50

const brackets = (bytes: number): string => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`

const ATTACKS = [
  { name: 'gzip', path: '/v1/verify-proof', body: gzipSync(brackets(8 * MIB)), gzip: true },
  { name: 'deep', path: '/v1/verify-proof', body: Buffer.from(brackets(MIB)), gzip: false },
  {
    name: 'wide',
    path: '/v1/verify',
    body: Buffer.from(`{"certificate":[${'{},'.repeat(MIB / 4)}0]}`),
    gzip: false,
  },
] as const

const agent = new Agent({ keepAlive: true, maxSockets: 200 })

function send(method: string, path: string, body?: Buffer, headers: Record<string, string> = {}) {
  return new Promise<number>((resolve, reject) => {
    const startedAt = performance.now()
    const req = request(`${ORIGIN}${path}`, { method, agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(performance.now() - startedAt))
    })
    req.on('error', reject)
    req.end(body)
  })
}

async function healthBeside(work: () => Promise<unknown>): Promise<number[]> {
  const probes: Promise<number>[] = []
  const timer = setInterval(() => probes.push(send('GET', '/health/live')), PROBE_EVERY_MS)
  await work()
  clearInterval(timer)
  return Promise.all(probes)
}

const folder = createDataFolder()
const service = await startService(folder.dir, PORT, ['--role', 'api'])
const idle = await healthBeside(() => new Promise((resolve) => setTimeout(resolve, 2000)))
const beside: number[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { path, body, gzip } of ATTACKS) {
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    }
    const attack = () =>
      Promise.all(Array.from({ length: AT_ONCE }, () => send('POST', path, body, headers)))
    beside.push(...(await healthBeside(attack)))
  }
}
await service.stop()
folder.remove()
agent.destroy()

report('hostile', [
  {
    what: 'GET /health/live beside hostile requests, p99',
    unit: 'ms',
    ours: percentile(beside, 0.99),
    peer: MS_MAX,
    peerName: 'our maximum',
  },
  {
    what: 'GET /health/live beside hostile requests, p99',
    unit: 'ms',
    ours: percentile(beside, 0.99),
    peer: percentile(idle, 0.99),
    peerName: 'without them',
  },
])

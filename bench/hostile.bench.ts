import { Agent, request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { startHealthProbe } from './health-probe.ts'
import { percentile, report } from './report.ts'
import { createDataFolder, startService } from './service.ts'

/** How long others wait while a stranger sends ten expensive requests at once. */
const PORT = 8923
const ORIGIN = `http://127.0.0.1:${PORT}`
const AT_ONCE = 10
const ROUNDS = 100
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

function send(path: string, body: Buffer, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    const req = request(`${ORIGIN}${path}`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume()
      answer.on('end', resolve)
    })
    req.on('error', reject)
    req.end(body)
  })
}

const folder = createDataFolder()
const service = await startService(folder.dir, PORT, ['--role', 'api'])
const health = startHealthProbe(ORIGIN)
const idle = await health.beside(() => new Promise((resolve) => setTimeout(resolve, 2000)))
const beside: number[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { path, body, gzip } of ATTACKS) {
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
      ...(gzip ? { 'content-encoding': 'gzip' } : {}),
    }
    const attack = () =>
      Promise.all(Array.from({ length: AT_ONCE }, () => send(path, body, headers)))
    beside.push(...(await health.beside(attack)))
  }
}
await health.stop()
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

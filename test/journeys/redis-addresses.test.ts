import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { freePort } from '#harness/port.ts'
import { hasRedis, startRedis, startSentinel, stopRedis } from '#harness/redis.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { createRedisRateLimits } from '../../packages/server/src/http/limits/rate-limit-redis.ts'
import { parseRedisAddress } from '../../packages/server/src/http/limits/redis-address.ts'

async function startNode(settings: readonly string[] = []): Promise<number> {
  const port = await freePort()
  const server = await startRedis(port, await temporaryDir(), settings)
  onTestFinished(() => stopRedis(server))
  return port
}

async function connectTo(url: string) {
  const limits = createRedisRateLimits({ address: parseRedisAddress(url), timeoutMs: 5_000 })
  onTestFinished(() => limits.close())
  await limits.connect()
  return limits
}

type Limits = Awaited<ReturnType<typeof connectTo>>

let names = 0

/** How many of ten requests a new caller is allowed, with a window and a bucket. */
async function allowedOf(limits: Limits, limit: number): Promise<number> {
  names += 1
  const caller = `caller-${names}`
  const window = { key: `${caller} GET /`, limit, caller }
  const taken = Array.from({ length: 10 }, () =>
    limits.take(window, { key: caller, perSecond: 100 }, 0),
  )
  return (await Promise.all(taken)).filter(({ allowed }) => allowed).length
}

async function startCluster(): Promise<string> {
  const own = ['--cluster-enabled', 'yes']
  const ports = [await startNode(own), await startNode(own)] as const
  const [first, second] = ports.map((port) => new Redis(port, '127.0.0.1'))
  if (first === undefined || second === undefined) throw new Error('two nodes were to start')
  await first.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: 8192 }, (_, slot) => slot))
  await second.call('CLUSTER', 'ADDSLOTS', ...Array.from({ length: 8192 }, (_, n) => n + 8192))
  await second.call('CLUSTER', 'SET-CONFIG-EPOCH', 2)
  await first.call('CLUSTER', 'MEET', '127.0.0.1', ports[1])
  for (const node of [first, second]) {
    await eventually(async () => {
      expect(String(await node.call('CLUSTER', 'INFO'))).toContain('cluster_state:ok')
    })
    await node.quit()
  }
  return `redis+cluster://127.0.0.1:${ports[0]}`
}

if (hasRedis) {
  describe('rate limits in a Redis Cluster', () => {
    it('are exact for callers on every node of it', async () => {
      const address = await startCluster()
      const [one, other] = [await connectTo(address), await connectTo(address)]
      for (let caller = 0; caller < 20; caller += 1) expect(await allowedOf(one, 7)).toBe(7)
      const window = { key: 'shared', limit: 3 }
      await one.take(window, undefined, 0)
      await one.charge(window, 2)
      expect(await other.take(window, undefined, 0)).toMatchObject({ allowed: false })
    })
  })

  describe('rate limits in a Redis with sentinels', () => {
    it('follow a failover', async () => {
      const folder = await temporaryDir()
      const port = await freePort()
      const primary = await startRedis(port, await temporaryDir())
      onTestFinished(() => stopRedis(primary))
      await startNode(['--replicaof', '127.0.0.1', String(port)])
      const sentinelPort = await freePort()
      const sentinel = await startSentinel(sentinelPort, folder, { name: 'main', port })
      onTestFinished(() => stopRedis(sentinel))
      const limits = await connectTo(`redis+sentinel://127.0.0.1:${sentinelPort}/main`)
      expect(await allowedOf(limits, 7)).toBe(7)
      const watch = new Redis(sentinelPort, '127.0.0.1')
      await eventually(async () => {
        expect(String(await watch.call('SENTINEL', 'replicas', 'main'))).toContain('127.0.0.1')
      })
      watch.disconnect()
      primary.kill('SIGKILL')
      await eventually(async () => expect(await allowedOf(limits, 7)).toBe(7))
    })
  })
}

import type { ChildProcess } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { freePort } from '#harness/port.ts'
import { hasRedis, startRedis, stopRedis } from '#harness/redis.ts'
import type { Bucket, RateLimitStore, RouteWindow } from './rate-limit.ts'
import { WINDOW_MS } from './rate-limit.ts'
import { createFallbackRateLimits } from './rate-limit-fallback.ts'
import { createMemoryRateLimits } from './rate-limit-memory.ts'
import { createRedisRateLimits } from './rate-limit-redis.ts'
import { parseRedisAddress } from './redis-address.ts'

const START_MS = Date.UTC(2026, 0, 1, 12)

/** Unique names per test, so that tests do not share counters. */
let names = 0
function fresh(): string {
  names += 1
  return `caller-${names}`
}

/** The contract of every store, tested with the same cases. */
function contract(name: string, limits: () => RateLimitStore): void {
  describe(`${name} rate limits`, () => {
    measured(limits)
    combined(limits)
  })
}

function measured(limits: () => RateLimitStore): void {
  it('return the documented wait: opened 12:00:05.200, eleventh of ten at 12:00:40.900', async () => {
    const window = { key: fresh(), limit: 10 }
    const opened = START_MS + 5_200
    for (let n = 1; n <= 10; n += 1) {
      const decision = await limits().take(window, undefined, opened + n - 1)
      expect(decision).toMatchObject({ allowed: true, remaining: 10 - n })
    }
    const refused = await limits().take(window, undefined, START_MS + 40_900)
    expect(refused).toMatchObject({ allowed: false, by: 'window', retryAfterSeconds: 25 })
    const late = await limits().take(window, undefined, opened + WINDOW_MS - 50)
    expect(late).toMatchObject({ allowed: false, resetMs: 50, retryAfterSeconds: 1 })
    const next = await limits().take(window, undefined, opened + WINDOW_MS)
    expect(next).toMatchObject({ allowed: true, remaining: 9, resetMs: WINDOW_MS })
  })

  it('count further in an open window, also beyond the limit, and not after it', async () => {
    const window = { key: fresh(), limit: 12 }
    const take = (atMs: number) => limits().take(window, undefined, START_MS + atMs)
    await limits().charge(window, 9, START_MS)
    expect(await take(0)).toMatchObject({ remaining: 11 })
    await limits().charge(window, 9, START_MS + 1)
    expect(await take(2)).toMatchObject({ allowed: true, remaining: 1 })
    await limits().charge(window, 9, START_MS + 3)
    expect(await take(4)).toMatchObject({ allowed: false, remaining: 0 })
    await limits().charge(window, 9, START_MS + WINDOW_MS)
    expect(await take(WINDOW_MS)).toMatchObject({ allowed: true, remaining: 11 })
  })

  it('refill a bucket at its rate up to its capacity', async () => {
    const bucket = { key: fresh(), perSecond: 4 }
    const burst = async (nowMs: number) => {
      const taken = Array.from({ length: 6 }, () => limits().take(undefined, bucket, nowMs))
      return (await Promise.all(taken)).filter((decision) => decision.allowed).length
    }
    expect(await burst(START_MS)).toBe(4)
    expect(await burst(START_MS + 249)).toBe(0)
    expect(await burst(START_MS + 250)).toBe(1)
    expect(await burst(START_MS + 30_000)).toBe(4)
  })
}

function combined(limits: () => RateLimitStore): void {
  it('do not count a request in the window if the bucket rejects it, and vice versa', async () => {
    const caller = fresh()
    const window = { key: `${caller} r`, limit: 3 }
    const bucket = { key: caller, perSecond: 1 }
    const take = (at: number) => limits().take(window, bucket, START_MS + at)
    expect(await take(0)).toMatchObject({ allowed: true, remaining: 2 })
    expect(await take(1)).toMatchObject({ allowed: false, by: 'bucket' })
    expect(await take(1_000)).toMatchObject({ allowed: true, remaining: 1 })
    expect(await take(2_000)).toMatchObject({ allowed: true, remaining: 0 })
    expect(await take(3_000)).toMatchObject({ allowed: false, by: 'window' })
    const alone = await limits().take(undefined, bucket, START_MS + 3_000)
    expect(alone).toMatchObject({ allowed: true, by: 'bucket', remaining: 0 })
  })

  it('open no window with a rejected request', async () => {
    const caller = fresh()
    const bucket = { key: caller, perSecond: 1 }
    const window = { key: `${caller} r`, limit: 3 }
    await limits().take(undefined, bucket, START_MS)
    await limits().take(window, bucket, START_MS + 500)
    const first = await limits().take(window, bucket, START_MS + 1_000)
    expect(first).toMatchObject({ allowed: true, remaining: 2, resetMs: WINDOW_MS })
  })

  it('separate callers, and the window of a caller from its bucket', async () => {
    const [one, two] = [fresh(), fresh()]
    const take = (key: string) => limits().take({ key, limit: 1 }, { key, perSecond: 1 }, START_MS)
    expect(await take(one)).toMatchObject({ allowed: true })
    expect(await take(two)).toMatchObject({ allowed: true })
    expect(await take(one)).toMatchObject({ allowed: false })
  })

  it('keep the count and limit the wait to a window when the clock is set back', async () => {
    const caller = fresh()
    const window = { key: `${caller} r`, limit: 2 }
    const bucket = { key: caller, perSecond: 2 }
    const take = (at: number) => limits().take(window, bucket, START_MS + at)
    await take(0)
    expect(await take(-3_600_000)).toMatchObject({ remaining: 0, resetMs: WINDOW_MS })
    const refused = { allowed: false, by: 'window' }
    expect(await take(-3_600_000 + 1_000)).toMatchObject({ ...refused, resetMs: 59_000 })
    expect(await take(-7_200_000)).toMatchObject({ ...refused, resetMs: WINDOW_MS })
    expect(await take(-7_200_000 + WINDOW_MS)).toMatchObject({ allowed: true, remaining: 1 })
  })

  it('allow requests without a limit', async () => {
    const decision = await limits().take(undefined, undefined, START_MS)
    expect(decision).toEqual({ allowed: true, by: 'none' })
  })
}

const memory = createMemoryRateLimits()
contract('memory', () => memory)

/** A Redis for the tests of one describe block, which keeps its port when restarted. */
function useRedis() {
  const redis = { port: 0, folder: '', url: '' }
  let server: ChildProcess | undefined
  const start = async () => {
    server = await startRedis(redis.port, redis.folder)
  }
  const end = async () => {
    if (server) await stopRedis(server)
    server = undefined
  }
  beforeAll(async () => {
    redis.folder = await mkdtemp(join(tmpdir(), 'rate-limit-redis-'))
    redis.port = await freePort()
    redis.url = `redis://127.0.0.1:${redis.port}`
    await start()
  })
  afterAll(async () => {
    await end()
    await rm(redis.folder, { recursive: true })
  })
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => server?.kill(name)
  return Object.assign(redis, { start, end, signal })
}

/** Connected counters that reject if Redis is away. */
async function connectTo(
  { url }: { url: string },
  options: Partial<Parameters<typeof createRedisRateLimits>[0]> = {},
) {
  const limits = createRedisRateLimits({ address: parseRedisAddress(url), ...options })
  await limits.connect()
  return limits
}

type Step = { gap: number; window: RouteWindow | undefined; bucket: Bucket | undefined }

const steps = fc.array(
  fc.record<Step>({
    gap: fc.oneof(fc.nat(400), fc.nat(15_000), fc.constantFrom(WINDOW_MS - 1, WINDOW_MS)),
    window: fc.option(fc.record({ key: fc.constantFrom('a r', 'a s', 'b r'), limit: fc.nat(6) }), {
      nil: undefined,
    }),
    bucket: fc.option(fc.record({ key: fc.constantFrom('a', 'b'), perSecond: fc.nat(4) }), {
      nil: undefined,
    }),
  }),
  { maxLength: 60 },
)

function sameAnswers(): void {
  const redis = useRedis()
  let limits: RateLimitStore
  beforeAll(async () => {
    limits = await connectTo(redis, { timeoutMs: 5_000, clock: 'caller' })
  })
  afterAll(() => limits.close())

  contract('Redis', () => limits)

  it('give the same decisions as those in memory', async () => {
    const run = fc.asyncProperty(steps, async (sequence) => {
      const [prefix, other] = [fresh(), createMemoryRateLimits()]
      let nowMs = START_MS
      for (const { gap, window, bucket } of sequence) {
        nowMs += gap
        const mine = window && { ...window, key: `${prefix} ${window.key}` }
        const full = bucket && { ...bucket, key: `${prefix} ${bucket.key}` }
        const decision = await limits.take(mine, full, nowMs)
        expect(decision).toEqual(other.take(mine, full, nowMs))
      }
    })
    await fc.assert(run, { numRuns: 60 })
  })
}

function sharedCounters(): void {
  const redis = useRedis()
  const stores: RateLimitStore[] = []
  let admin: Redis
  beforeAll(async () => {
    admin = new Redis(redis.url)
    for (let n = 0; n < 4; n += 1) {
      stores.push(await connectTo(redis, { timeoutMs: 5_000 }))
    }
  })
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await admin.quit()
  })

  /** Concurrent requests over all stores, each of which has a very different clock. */
  async function allowedOf(requests: number, window?: RouteWindow, bucket?: Bucket) {
    const taken = Array.from({ length: requests }, (_, n) =>
      stores[n % stores.length]?.take(window, bucket, n * 1e9),
    )
    return (await Promise.all(taken)).filter((decision) => decision?.allowed).length
  }

  it('allow exactly the limit among 500 concurrent requests over four clients', async () => {
    expect(await allowedOf(500, { key: fresh(), limit: 137 })).toBe(137)
  })

  it('do not count a request in the shared window if the shared bucket rejects it', async () => {
    const caller = fresh()
    const window = { key: `${caller} r`, limit: 1_000 }
    const allowed = await allowedOf(500, window, { key: caller, perSecond: 1 })
    const counted = await admin.hget(`touchstone:rl:w:{${window.key}}`, 'count')
    expect(Number(counted)).toBe(allowed)
    expect(allowed).toBeLessThan(500)
  })

  it('leave only keys that expire within a minute', async () => {
    await allowedOf(8, { key: fresh(), limit: 4 }, { key: fresh(), perSecond: 50 })
    const keys = await admin.keys('*')
    expect(keys.length).toBeGreaterThanOrEqual(2)
    for (const key of keys) {
      expect(key).toMatch(/^touchstone:rl:[wb]:/)
      const ttl = await admin.pttl(key)
      expect(ttl, key).toBeLessThanOrEqual(WINDOW_MS)
      // -1 means that the key never expires, -2 that it has expired meanwhile.
      expect(ttl, key).not.toBe(-1)
    }
  })

  it('load the script again when Redis has lost it', async () => {
    await admin.script('FLUSH')
    expect(await allowedOf(40, { key: fresh(), limit: 7 })).toBe(7)
  })

  it('reconnect to the new primary when the server becomes a read-only replica', async () => {
    const connections = async () =>
      Number(/total_connections_received:(\d+)/.exec(await admin.info('stats'))?.[1])
    const before = await connections()
    await admin.replicaof('127.0.0.1', 1)
    await expect(allowedOf(4, { key: fresh(), limit: 1 })).rejects.toThrow('READONLY')
    await eventually(async () => expect(await connections()).toBeGreaterThan(before))
    await admin.replicaof('NO', 'ONE')
    await eventually(async () => {
      expect(await allowedOf(8, { key: fresh(), limit: 1 })).toBe(1)
    })
  })
}

const PROCESSES = 4

function outages(): void {
  const redis = useRedis()
  const window = () => ({ key: fresh(), limit: 10 })

  /** As the service has them, with three other processes. */
  function open(timeoutMs = 5_000) {
    const remote = createRedisRateLimits({ address: parseRedisAddress(redis.url), timeoutMs })
    const onAway = vi.fn<(err: Error) => void>()
    const onBack = vi.fn<() => void>()
    const onFallback = vi.fn<() => void>()
    const limits = createFallbackRateLimits({
      remote,
      countProcesses: async () => PROCESSES,
      probeEveryMs: 20,
      onAway,
      onBack,
      onFallback,
    })
    return { limits, remote, onAway, onBack, onFallback }
  }

  const allowedOf = async (limits: RateLimitStore, requests: number): Promise<number> => {
    const one = window()
    const taken = Array.from({ length: requests }, () => limits.take(one, undefined, 0))
    return (await Promise.all(taken)).filter(({ allowed }) => allowed).length
  }

  it('count in memory up to a share while Redis is down, report it once, and come back', async () => {
    const { limits, remote, onAway, onBack, onFallback } = open()
    await remote.connect()
    expect(await allowedOf(limits, 20)).toBe(10)
    await redis.end()
    await eventually(async () => {
      await limits.take(window(), undefined, 0)
      expect(onFallback).toHaveBeenCalled()
    })
    // 10 of 4 processes, rounded up.
    expect(await allowedOf(limits, 100)).toBe(3)
    expect(onAway).toHaveBeenCalledTimes(1)
    await redis.start()
    await eventually(() => expect(onBack).toHaveBeenCalledTimes(1))
    expect(await allowedOf(limits, 20)).toBe(10)
    await limits.close()
  })

  it('start without Redis, and count there as soon as it is available', async () => {
    await redis.end()
    const { limits, remote, onAway, onBack } = open()
    await remote.connect().catch((err) => limits.open(err))
    expect(onAway.mock.lastCall?.[0].message).toContain('ECONNREFUSED')
    const { by } = await limits.take(window(), undefined, 0)
    expect(by).toBe('window')
    await redis.start()
    await eventually(() => expect(onBack).toHaveBeenCalledTimes(1))
    expect(await allowedOf(limits, 20)).toBe(10)
    await limits.close()
  })

  it('delay requests at most by the timeout when Redis hangs, and later ones not at all', async () => {
    const { limits, remote, onBack, onFallback } = open(100)
    await remote.connect()
    redis.signal('SIGSTOP')
    // Without a timeout this would hang forever.
    await limits.take(window(), undefined, 0)
    const waited = new Promise((resolve) => setImmediate(resolve, 'waited'))
    const next = await Promise.race([limits.take(window(), undefined, 0), waited])
    expect(next).toMatchObject({ by: 'window' })
    expect(onFallback).toHaveBeenCalledTimes(2)
    redis.signal('SIGCONT')
    await eventually(() => expect(onBack).toHaveBeenCalled())
    await limits.close()
  })

  it('stay in memory while Redis is a read-only replica', async () => {
    const { limits, remote, onBack } = open()
    const admin = new Redis(redis.url)
    await remote.connect()
    await admin.replicaof('127.0.0.1', 1)
    await eventually(async () => expect(await allowedOf(limits, 100)).toBe(3))
    expect(onBack).not.toHaveBeenCalled()
    await admin.replicaof('NO', 'ONE')
    await eventually(() => expect(onBack).toHaveBeenCalled())
    await admin.quit()
    await limits.close()
  })

  it('close immediately, with or without a connection', async () => {
    const { limits, remote } = open()
    await remote.connect()
    await limits.close()
    await redis.end()
    const unconnected = open()
    await unconnected.limits.close()
    await redis.start()
  })
}

if (hasRedis) {
  describe('rate limits in Redis with a test clock', sameAnswers)
  describe('rate limits in Redis, shared', sharedCounters)
  describe('rate limits in Redis, during an outage', outages)
} else {
  it('runs the Redis tests, or reports that it did not', () => {
    process.stdout.write('Redis suite did not run: no redis-server was found on the PATH.\n')
    expect(process.env['REQUIRE_REDIS'], 'REQUIRE_REDIS=1 but there is no redis-server').not.toBe(
      '1',
    )
  })
}

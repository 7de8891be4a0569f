import { Redis, type Result } from 'ioredis'
import {
  type Bucket,
  decide,
  type RateDecision,
  type RateLimitStore,
  type RouteWindow,
  TOKEN_COST,
  UNMEASURED,
  WINDOW_MS,
} from './rate-limit.ts'

/**
 * Reads both counters, counts the request in both or in neither, and returns what it found before
 * counting: used, milliseconds to the window's end, millitokens. `decide` turns that into the
 * answer; the condition before the writes is the only part of it repeated here.
 *
 * A window expires as it ends. A bucket is full after a second but is kept as long as a window:
 * there are fewer of them, and one lifetime needs no reasoning about rounding.
 */
const TAKE = `
local now, limit, rate = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local used, opened, level = 0, now, 0
if limit then
  local window = redis.call('HMGET', KEYS[1], 'opened', 'count')
  local at = tonumber(window[1])
  if at and now - at < ${WINDOW_MS} then
    used, opened = tonumber(window[2]), math.min(at, now)
    if now < at then
      redis.call('HSET', KEYS[1], 'opened', now)
      redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS})
    end
  end
end
if rate then
  local bucket = redis.call('HMGET', KEYS[2], 'filled', 'level')
  local at = tonumber(bucket[1])
  level = rate * ${TOKEN_COST}
  if at then
    level = math.min(level, tonumber(bucket[2]) + math.max(0, now - at) * rate)
    if now < at then redis.call('HSET', KEYS[2], 'filled', now) end
  end
end

if (not limit or used < limit) and (not rate or level >= ${TOKEN_COST}) then
  if limit and used == 0 then
    redis.call('HSET', KEYS[1], 'opened', now, 'count', 1)
    redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS})
  elseif limit then
    redis.call('HINCRBY', KEYS[1], 'count', 1)
  end
  if rate then
    redis.call('HSET', KEYS[2], 'filled', now, 'level', level - ${TOKEN_COST})
    redis.call('PEXPIRE', KEYS[2], ${WINDOW_MS})
  end
end
return { used, opened + ${WINDOW_MS} - now, level }
`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeRate(
      windowKey: string,
      bucketKey: string,
      nowMs: number | '',
      limit: number | '',
      perSecond: number | '',
    ): Result<[used: number, resetMs: number, millitokens: number], Context>
  }
}

type RedisRateLimitOptions = {
  url: string
  /** Called for every request that was let through uncounted, and for a failed first connection. */
  onError(err: Error): void
  timeoutMs?: number
  /**
   * `redis` (default) reads the time inside the script: the clocks of several nodes differ, and
   * with theirs a window would end at a different moment for each. `caller` takes the time passed
   * in, so that tests can hold the same cases against every store.
   */
  clock?: 'redis' | 'caller'
}

/**
 * Counters shared by every process on one Redis (5 or later), exact because each take is one
 * script. An outage must not become ours: a request Redis does not answer for in time passes.
 *
 * Resolves once connected or, Redis being down, after the first attempt; it goes on trying.
 */
export async function createRedisRateLimits(options: RedisRateLimitOptions) {
  const { onError, timeoutMs = 250, clock = 'redis' } = options
  const redis = connect(options.url, timeoutMs)
  // The reason for the outage; a command alone only says that there is no connection.
  let connectionError: Error | undefined
  redis.on('error', (err: Error) => {
    connectionError = err
  })
  redis.on('ready', () => {
    connectionError = undefined
  })
  await redis.connect().catch((err: Error) => onError(connectionError ?? err))

  return {
    async take(
      window: RouteWindow | undefined,
      bucket: Bucket | undefined,
      nowMs: number,
    ): Promise<RateDecision> {
      if (window === undefined && bucket === undefined) return UNMEASURED
      try {
        const [used, resetMs, millitokens] = await redis.takeRate(
          `w:${window?.key ?? ''}`,
          `b:${bucket?.key ?? ''}`,
          clock === 'caller' ? Math.floor(nowMs) : '',
          window?.limit ?? '',
          bucket?.perSecond ?? '',
        )
        return decide({ window, bucket, used, resetMs, millitokens })
      } catch (err) {
        onError(connectionError ?? (err instanceof Error ? err : new Error(String(err))))
        return UNMEASURED
      }
    },

    /** Lets the takes under way finish; without a connection there are none. */
    async close(): Promise<void> {
      if (redis.status === 'ready') await redis.quit().catch(() => redis.disconnect())
      else redis.disconnect()
    },
  } satisfies RateLimitStore
}

function connect(url: string, timeoutMs: number): Redis {
  return new Redis(url, {
    lazyConnect: true,
    keyPrefix: 'touchstone:rl:',
    scripts: { takeRate: { lua: TAKE, numberOfKeys: 2 } },
    connectTimeout: Math.max(timeoutMs, 2_000),
    commandTimeout: timeoutMs,
    // A server that hangs is left after one timeout; until it is back, requests pass at once
    // instead of each waiting in turn, and nothing piles up behind the dead connection.
    socketTimeout: timeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // The request has long passed: counting it later would charge the caller for our outage.
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
    // After a failover the old primary keeps our connection but takes no writes.
    reconnectOnError: (err) => err.message.includes('READONLY'),
  })
}

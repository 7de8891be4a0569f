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
 * Reads both counters, counts the request in both or in neither, and returns the state before
 * counting: requests used, milliseconds to the end of the window, millitokens. `decide` computes the
 * decision from it; the script repeats only the condition for counting.
 *
 * A window expires when it ends. A bucket is full after a second but expires after the duration of
 * a window, to avoid rounding issues; there are fewer buckets than windows.
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

/** Counts further only in a window that is open: an expired one must not come back without its end. */
const CHARGE = `
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], 'count', tonumber(ARGV[1]))
end
`

declare module 'ioredis' {
  interface RedisCommander<Context> {
    chargeRate(windowKey: string, count: number): Result<null, Context>
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
  /** Called for every request that was allowed without counting, and for a failed first connection. */
  onError(err: Error): void
  timeoutMs?: number
  /**
   * `redis` (default) uses the clock of Redis, because the clocks of several nodes differ and would
   * give a window a different end on each. `caller` uses the given time, so that tests can run the
   * same cases on every store.
   */
  clock?: 'redis' | 'caller'
}

/**
 * Counters shared by all processes through Redis (5 or later); exact, because each request runs one
 * script. Fails open: a request is allowed if Redis does not answer in time.
 *
 * Resolves when connected, or after the first failed attempt; reconnects in the background.
 */
export async function createRedisRateLimits(options: RedisRateLimitOptions) {
  const { onError, timeoutMs = 250, clock = 'redis' } = options
  const redis = connect(options.url, timeoutMs)
  // The cause of an outage; the error of a command only says that there is no connection.
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

    async charge(window: RouteWindow, count: number): Promise<void> {
      try {
        await redis.chargeRate(`w:${window.key}`, count)
      } catch (err) {
        onError(connectionError ?? (err instanceof Error ? err : new Error(String(err))))
      }
    },

    /** Waits for pending commands; without a connection there are none. */
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
    scripts: {
      takeRate: { lua: TAKE, numberOfKeys: 2 },
      chargeRate: { lua: CHARGE, numberOfKeys: 1 },
    },
    connectTimeout: Math.max(timeoutMs, 2_000),
    commandTimeout: timeoutMs,
    // Disconnects from a server that hangs. Until it is back, requests are allowed immediately
    // instead of waiting for a timeout each, and no commands queue up.
    socketTimeout: timeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    // The request was already allowed; counting it later would charge the caller for the outage.
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
    // After a failover the old primary keeps the connection but rejects writes.
    reconnectOnError: (err) => err.message.includes('READONLY'),
  })
}

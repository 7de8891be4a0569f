import type { Redis, Result } from 'ioredis'
import { toError } from '../../kernel/problem.ts'
import {
  type Bucket,
  decide,
  type RateDecision,
  type RouteWindow,
  TOKEN_COST,
  UNMEASURED,
  WINDOW_MS,
} from './rate-limit.ts'
import type { RemoteRateLimits } from './rate-limit-fallback.ts'
import { createRedis, type RedisAddress } from './redis-address.ts'

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
  address: RedisAddress
  timeoutMs?: number
  /**
   * `redis` (default) uses the clock of Redis, because the clocks of several nodes differ and would
   * give a window a different end on each. `caller` uses the given time, so that tests can run the
   * same cases on every store.
   */
  clock?: 'redis' | 'caller'
}

/** No caller has it. */
const PROBE: Bucket = { key: 'probe', perSecond: 1000 }

/**
 * Counters shared by all processes through Redis (5 or later); exact, because each request runs one
 * script. Rejects if Redis does not answer in time; reconnects in the background.
 */
export function createRedisRateLimits(options: RedisRateLimitOptions) {
  const { timeoutMs = 250, clock = 'redis' } = options
  const redis = openRedis(options.address, timeoutMs)
  // The cause of an outage; the error of a command only says that there is no connection.
  let connectionError: Error | undefined
  redis.on('error', (err: Error) => {
    connectionError = err
  })
  redis.on('ready', () => {
    connectionError = undefined
  })
  const failure = (err: unknown): Error => connectionError ?? toError(err)

  const take = async (
    window: RouteWindow | undefined,
    bucket: Bucket | undefined,
    nowMs: number,
  ): Promise<RateDecision> => {
    if (window === undefined && bucket === undefined) return UNMEASURED
    try {
      const [used, resetMs, millitokens] = await redis.takeRate(
        windowKey(window, bucket),
        bucketKey(bucket, window),
        clock === 'caller' ? Math.floor(nowMs) : '',
        window?.limit ?? '',
        bucket?.perSecond ?? '',
      )
      return decide({ window, bucket, used, resetMs, millitokens })
    } catch (err) {
      throw failure(err)
    }
  }

  return {
    /** Rejects if the first attempt to connect failed. */
    async connect(): Promise<void> {
      await redis.connect().catch((err: unknown) => {
        throw failure(err)
      })
    },

    take,

    async charge(window: RouteWindow, count: number): Promise<void> {
      try {
        await redis.chargeRate(windowKey(window, undefined), count)
      } catch (err) {
        throw failure(err)
      }
    },

    /** Counts, because a server that has become a replica answers reads. */
    probe: async (): Promise<void> => void (await take(undefined, PROBE, Date.now())),

    /** Waits for pending commands; without a connection there are none. */
    async close(): Promise<void> {
      if (redis.status === 'ready') await redis.quit().catch(() => redis.disconnect())
      else redis.disconnect()
    },
  } satisfies RemoteRateLimits & { connect(): Promise<void> }
}

/**
 * A cluster keeps keys with the same text in braces on one server, which a script needs: the window of
 * a caller and its bucket.
 */
function windowKey(window: RouteWindow | undefined, bucket: Bucket | undefined): string {
  const tag = window?.caller ?? window?.key ?? bucket?.key ?? ''
  return `w:{${tag}}${window?.caller === undefined ? '' : window.key.slice(window.caller.length)}`
}

function bucketKey(bucket: Bucket | undefined, window: RouteWindow | undefined): string {
  return `b:{${bucket?.key ?? window?.caller ?? window?.key ?? ''}}`
}

function openRedis(address: RedisAddress, timeoutMs: number): Redis {
  return createRedis(address, {
    keyPrefix: 'touchstone:rl:',
    scripts: {
      takeRate: { lua: TAKE, numberOfKeys: 2 },
      chargeRate: { lua: CHARGE, numberOfKeys: 1 },
    },
    options: {
      connectTimeout: Math.max(timeoutMs, 2_000),
      commandTimeout: timeoutMs,
      // Disconnects from a server that hangs, so that no commands queue up.
      socketTimeout: timeoutMs,
      maxRetriesPerRequest: 0,
      // The request was counted in memory; counting it later would charge the caller twice.
      autoResendUnfulfilledCommands: false,
      // After a failover the old primary keeps the connection but rejects writes.
      reconnectOnError: (err) => err.message.includes('READONLY'),
    },
    retryDelayMs: (attempt) => Math.min(50 * attempt, 1_000),
  })
}

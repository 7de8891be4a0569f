import { sql } from 'kysely'
import type { RateLimitStore } from '../http/limits/rate-limit.ts'
import { createFallbackRateLimits } from '../http/limits/rate-limit-fallback.ts'
import { createMemoryRateLimits } from '../http/limits/rate-limit-memory.ts'
import { createRedisRateLimits } from '../http/limits/rate-limit-redis.ts'
import type { Db } from '../kernel/db.ts'
import { toError } from '../kernel/problem.ts'
import type { Kernel } from './kernel.ts'

/** Undefined with RATE_LIMITS=off. */
export async function openRateLimits(kernel: Kernel): Promise<RateLimitStore | undefined> {
  const { config, db, log, metrics } = kernel
  if (!config.rateLimits) return undefined
  if (config.redis === undefined) return createMemoryRateLimits()
  const redis = createRedisRateLimits({ address: config.redis })
  const limits = createFallbackRateLimits({
    remote: redis,
    countProcesses: async () => 1 + (await countSiblings(db)),
    onAway: (err) =>
      log.warn({ err }, 'Redis does not respond; rate limits are counted in memory until it does'),
    onBack: () => log.info('Redis responds again and counts rate limits'),
    onFallback: () => metrics.rateLimitErrors.inc(),
  })
  await redis.connect().catch((err: unknown) => limits.open(toError(err)))
  return limits
}

/** Warns that rate limits in memory are per process if there are several (spec: platform §3). */
export async function warnAboutSiblings({ config, db, log }: Kernel): Promise<void> {
  if (!config.rateLimits || config.redis !== undefined || (await countSiblings(db)) === 0) return
  log.warn('several API processes without REDIS_URL: each counts rate limits separately')
}

/** The other processes on this database that answer requests, by the names of their sessions. */
async function countSiblings(db: Db): Promise<number> {
  const found = await sql<{ nodes: number }>`select count(distinct application_name) as nodes
    from pg_stat_activity where datname = current_database()
      and (application_name like 'touchstone api %' or application_name like 'touchstone all %')
      and application_name <> current_setting('application_name')`.execute(db)
  return found.rows[0]?.nodes ?? 0
}

import { MINUTE_MS } from '../../kernel/clock.ts'
import { toError } from '../../kernel/problem.ts'
import type { Bucket, RateDecision, RateLimitStore, RouteWindow } from './rate-limit.ts'
import { createMemoryRateLimits } from './rate-limit-memory.ts'

/** A store that other processes share; it rejects if it cannot count. */
export type RemoteRateLimits = {
  take(
    window: RouteWindow | undefined,
    bucket: Bucket | undefined,
    nowMs: number,
  ): Promise<RateDecision>
  charge(window: RouteWindow, count: number): Promise<void>
  /** Resolves if the store can count again. */
  probe(): Promise<void>
  close(): Promise<void>
}

type FallbackOptions = {
  remote: RemoteRateLimits
  /** The number of processes that share the limits. */
  countProcesses(): Promise<number>
  /** Called when the store is away, at most once a minute. */
  onAway(err: Error): void
  onBack(): void
  /** A request was counted in memory. */
  onFallback(): void
  probeEveryMs?: number
}

const PROBE_EVERY_MS = 1000

/**
 * Counts in memory while the shared store is away, each process up to its share of every limit. After
 * the first failure no request asks the store; it is probed once a second until it answers.
 */
export function createFallbackRateLimits(options: FallbackOptions) {
  const { remote, countProcesses, onAway, onBack, onFallback } = options
  const memory = createMemoryRateLimits()
  let processes = 1
  let probing: NodeJS.Timeout | undefined
  let toldAtMs = Number.NEGATIVE_INFINITY
  let isClosed = false

  const tell = (err: Error): void => {
    const nowMs = performance.now()
    if (nowMs - toldAtMs < MINUTE_MS) return
    toldAtMs = nowMs
    onAway(err)
    countProcesses().then(
      (count) => {
        processes = Math.max(1, count)
      },
      // Without the database the number stays as it was.
      () => undefined,
    )
  }

  const open = (err: Error): void => {
    tell(err)
    if (probing !== undefined || isClosed) return
    probing = setInterval(() => void probe(), options.probeEveryMs ?? PROBE_EVERY_MS).unref()
  }

  const probe = async (): Promise<void> => {
    try {
      await remote.probe()
    } catch (err) {
      return tell(toError(err))
    }
    if (probing === undefined) return
    clearInterval(probing)
    probing = undefined
    onBack()
  }

  const share = (limit: number): number => Math.max(1, Math.ceil(limit / processes))

  const takeHere = (
    window: RouteWindow | undefined,
    bucket: Bucket | undefined,
    nowMs: number,
  ): RateDecision => {
    onFallback()
    return memory.take(
      window && { ...window, limit: share(window.limit) },
      bucket && { ...bucket, perSecond: share(bucket.perSecond) },
      nowMs,
    )
  }

  return {
    /** The outcome of the first connection. */
    open,

    async take(
      window: RouteWindow | undefined,
      bucket: Bucket | undefined,
      nowMs: number,
    ): Promise<RateDecision> {
      if (probing !== undefined) return takeHere(window, bucket, nowMs)
      try {
        return await remote.take(window, bucket, nowMs)
      } catch (err) {
        open(toError(err))
        return takeHere(window, bucket, nowMs)
      }
    },

    async charge(window: RouteWindow, count: number, nowMs: number): Promise<void> {
      if (probing !== undefined) return memory.charge(window, count, nowMs)
      try {
        await remote.charge(window, count)
      } catch (err) {
        open(toError(err))
      }
    },

    async close(): Promise<void> {
      isClosed = true
      clearInterval(probing)
      await remote.close()
    },
  } satisfies RateLimitStore & { open(err: Error): void }
}

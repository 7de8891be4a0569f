import { randomInt } from 'node:crypto'
import {
  type Bucket,
  decide,
  type RateDecision,
  type RateLimitStore,
  type RouteWindow,
  TOKEN_COST,
  WINDOW_MS,
} from './rate-limit.ts'

type WindowState = { openedAtMs: number; count: number }
type BucketState = { filledAtMs: number; millitokens: number }

/** Earlier than any valid time, and finite, because 0 × -Infinity is NaN. */
const LONG_AGO_MS = Number.MIN_SAFE_INTEGER

/** Applies to windows and to buckets: 40 MB if both are full, 80 MB with every slot in use. */
const ENTRIES_MAX = 100_000

/**
 * Slots that new keys share while the table is full. To starve new callers, an attacker must use up
 * the limit of every slot each minute: 43,000 requests a second at a limit of 10.
 */
const SLOT_BITS = 18

/** Entries inspected per new key: more than the one added, so that idle ones cannot accumulate. */
const SWEEP_STEPS = 4

/** `seed` prevents an attacker from choosing addresses that share a slot with a victim. */
type MemoryRateLimitOptions = { entriesMax?: number; seed?: number }

/** Counters of this process. Synchronous, to keep promises off the hot path. */
export function createMemoryRateLimits(options: MemoryRateLimitOptions = {}) {
  const { entriesMax = ENTRIES_MAX, seed = randomInt(2 ** 32) } = options
  const windows = createCounterTable<WindowState>({
    entriesMax,
    seed,
    isIdle: (state, nowMs) => nowMs - state.openedAtMs >= WINDOW_MS,
    blank: () => ({ openedAtMs: LONG_AGO_MS, count: 0 }),
  })
  const buckets = createCounterTable<BucketState>({
    entriesMax,
    seed,
    // After one second a bucket of any rate is full, which equals a missing one.
    isIdle: (state, nowMs) => nowMs - state.filledAtMs >= 1_000,
    blank: () => ({ filledAtMs: LONG_AGO_MS, millitokens: 0 }),
  })

  return {
    take(window: RouteWindow | undefined, bucket: Bucket | undefined, nowMs: number): RateDecision {
      const opened = window && windows.stateOf(window.key, nowMs)
      const filled = bucket && buckets.stateOf(bucket.key, nowMs)
      const resetMs = opened ? updateWindow(opened, nowMs) : 0
      const millitokens = filled ? refilled(filled, bucket.perSecond, nowMs) : 0
      const decision = decide({ window, bucket, used: opened?.count ?? 0, resetMs, millitokens })
      if (!decision.allowed) return decision
      if (opened) opened.count += 1
      if (filled) {
        filled.filledAtMs = nowMs
        filled.millitokens = millitokens - TOKEN_COST
      }
      return decision
    },

    charge(window: RouteWindow, count: number, nowMs: number): void {
      const opened = windows.stateOf(window.key, nowMs)
      updateWindow(opened, nowMs)
      if (opened.count > 0) opened.count += count
    },

    /** The number of entries, without shared slots. */
    size(): number {
      return windows.size() + buckets.size()
    },

    async close(): Promise<void> {},
  } satisfies RateLimitStore & { size(): number }
}

/** Updates the window to the current time and returns the time to its end. */
function updateWindow(state: WindowState, nowMs: number): number {
  if (nowMs - state.openedAtMs >= WINDOW_MS) state.count = 0
  // A window opens with its first counted request. After the clock was set back, it restarts, so
  // that no caller waits longer than one window.
  if (state.count === 0 || nowMs < state.openedAtMs) state.openedAtMs = nowMs
  return state.openedAtMs + WINDOW_MS - nowMs
}

function refilled(state: BucketState, perSecond: number, nowMs: number): number {
  if (nowMs < state.filledAtMs) state.filledAtMs = nowMs
  const refill = (nowMs - state.filledAtMs) * perSecond
  return Math.min(perSecond * TOKEN_COST, state.millitokens + refill)
}

type CounterTableOptions<State> = {
  entriesMax: number
  seed: number
  isIdle(state: State, nowMs: number): boolean
  blank(): State
}

/**
 * A bounded table of counters, one entry per key.
 *
 * Only idle entries are evicted, which are those equivalent to a missing one. If a full table
 * evicted live entries, a caller with many addresses could reset counters; if it rejected new keys,
 * the same caller could lock out everyone. So new keys share hashed slots while the table is full:
 * colliding keys are limited more strictly, never less, and present keys are not affected.
 *
 * Every new key advances a cursor by a few entries, in insertion order and cyclically, and evicts
 * the idle ones. This needs no timer, and no request waits for a full sweep.
 */
function createCounterTable<State>({
  entriesMax,
  seed,
  isIdle,
  blank,
}: CounterTableOptions<State>) {
  const entries = new Map<string, State>()
  let cursor = entries.entries()
  let slots: (State | undefined)[] | undefined
  let slotsUsedAtMs = LONG_AGO_MS

  function sweep(nowMs: number): void {
    for (let step = 0; step < SWEEP_STEPS; step += 1) {
      const next = cursor.next()
      if (next.done) {
        cursor = entries.entries()
        return
      }
      if (isIdle(next.value[1], nowMs)) entries.delete(next.value[0])
    }
  }

  function sharedSlot(key: string, nowMs: number): State | undefined {
    if (slots === undefined) return undefined
    if (nowMs - slotsUsedAtMs >= WINDOW_MS) {
      slots = undefined
      return undefined
    }
    const state = slots[slotOf(key, seed)]
    // INVARIANT: a key counted in a slot stays there until the slot is idle, because moving it to a
    // free entry within its window would reset its count.
    return state === undefined || isIdle(state, nowMs) ? undefined : state
  }

  function openSlot(key: string, nowMs: number): State {
    slots ??= Array.from<State | undefined>({ length: 2 ** SLOT_BITS })
    slotsUsedAtMs = nowMs
    const slot = slotOf(key, seed)
    const state = slots[slot] ?? blank()
    slots[slot] = state
    return state
  }

  return {
    stateOf(key: string, nowMs: number): State {
      const known = entries.get(key)
      if (known !== undefined) return known
      const shared = sharedSlot(key, nowMs)
      if (shared !== undefined) {
        slotsUsedAtMs = nowMs
        return shared
      }
      sweep(nowMs)
      if (entries.size >= entriesMax) return openSlot(key, nowMs)
      const fresh = blank()
      entries.set(key, fresh)
      return fresh
    },

    size: () => entries.size,
  }
}

/** Seeded FNV-1a with the finaliser of MurmurHash3, which lets each bit depend on all others. */
function slotOf(key: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> (32 - SLOT_BITS)
}

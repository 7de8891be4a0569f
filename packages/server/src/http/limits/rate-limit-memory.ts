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

/** Before every time a caller can pass, and finite: 0 × -Infinity would be NaN. */
const LONG_AGO_MS = Number.MIN_SAFE_INTEGER

/** Windows, and as many buckets again: 40 MB when both are full, 80 MB with every slot in use. */
const ENTRIES_MAX = 100_000

/**
 * Slots that newcomers share once the table is full. To starve a newcomer, a flood must fill every
 * slot: this many times the limit, each minute — 43,000 requests a second at a limit of 10.
 */
const SLOT_BITS = 18

/** Entries a newcomer inspects: more than the one it adds, so idle ones cannot pile up. */
const SWEEP_STEPS = 4

/** `seed` keeps an attacker from choosing addresses that share a slot with a victim. */
type MemoryRateLimitOptions = { entriesMax?: number; seed?: number }

/** Counters of this process. Synchronous: the hot path waits for no promise. */
export function createMemoryRateLimits(options: MemoryRateLimitOptions = {}) {
  const { entriesMax = ENTRIES_MAX, seed = randomInt(2 ** 32) } = options
  const windows = createSeats<WindowState>({
    entriesMax,
    seed,
    isIdle: (state, nowMs) => nowMs - state.openedAtMs >= WINDOW_MS,
    blank: () => ({ openedAtMs: LONG_AGO_MS, count: 0 }),
  })
  const buckets = createSeats<BucketState>({
    entriesMax,
    seed,
    // After one second a bucket is full whatever its rate: the same as having none.
    isIdle: (state, nowMs) => nowMs - state.filledAtMs >= 1_000,
    blank: () => ({ filledAtMs: LONG_AGO_MS, millitokens: 0 }),
  })

  return {
    take(window: RouteWindow | undefined, bucket: Bucket | undefined, nowMs: number): RateDecision {
      const opened = window && windows.seat(window.key, nowMs)
      const filled = bucket && buckets.seat(bucket.key, nowMs)
      const resetMs = opened ? settle(opened, nowMs) : 0
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

    /** Entries held, shared slots aside. */
    size(): number {
      return windows.size() + buckets.size()
    },

    async close(): Promise<void> {},
  } satisfies RateLimitStore & { size(): number }
}

/** Brings the window up to now and returns the time to its end. */
function settle(state: WindowState, nowMs: number): number {
  if (nowMs - state.openedAtMs >= WINDOW_MS) state.count = 0
  // Without a counted request there is no window yet, so this one would open it. And a clock that
  // was set back must not make a caller wait for longer than one window.
  if (state.count === 0 || nowMs < state.openedAtMs) state.openedAtMs = nowMs
  return state.openedAtMs + WINDOW_MS - nowMs
}

function refilled(state: BucketState, perSecond: number, nowMs: number): number {
  if (nowMs < state.filledAtMs) state.filledAtMs = nowMs
  const refill = (nowMs - state.filledAtMs) * perSecond
  return Math.min(perSecond * TOKEN_COST, state.millitokens + refill)
}

type SeatOptions<State> = {
  entriesMax: number
  seed: number
  isIdle(state: State, nowMs: number): boolean
  blank(): State
}

/**
 * A bounded table of counters, one seat per key.
 *
 * An entry leaves only when idle, that is when it says no more than a missing one would. Were a
 * full table to drop live entries, a caller with many addresses could erase its own count or
 * anyone's; were it to refuse newcomers, the same caller could lock everybody out. So newcomers to
 * a full table share hashed slots: stricter for those who collide, never laxer, and known callers
 * notice nothing.
 *
 * Every newcomer moves a cursor a few entries on through the table, in order of arrival and round
 * again, and drops the idle ones it meets. No timer, and no request pays for a full sweep.
 */
function createSeats<State>({ entriesMax, seed, isIdle, blank }: SeatOptions<State>) {
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
    // INVARIANT: a key counted in a slot stays there until the slot is idle; a seat that came
    // free in the middle of its window would start its count again.
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
    seat(key: string, nowMs: number): State {
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

/** FNV-1a with a seed, finished as in MurmurHash3 so that the low bits depend on all others. */
function slotOf(key: string, seed: number): number {
  let hash = seed ^ 0x811c9dc5
  for (let at = 0; at < key.length; at += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> (32 - SLOT_BITS)
}

import type { Clock } from './clock.ts'
import type { Db } from './db.ts'
import type { Notices } from './notices.ts'

export type Cache<V> = {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
}

export type CacheOptions<V> = {
  clock: Clock
  entriesMax: number
  ttlMs: number
  weight?: { of(value: V): number; max: number } | undefined
}

/**
 * Bounded, per process: the least recently used entry leaves first, and none outlives its time.
 * Where entries differ much in size, `weight` bounds what they come to together.
 */
export function createCache<V>(options: CacheOptions<V>): Cache<V> {
  const entries = new Map<string, { value: V; expiresAt: number; weight: number }>()
  let total = 0
  const remove = (key: string): void => {
    total -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }
  const isOver = () =>
    entries.size > options.entriesMax ||
    (options.weight !== undefined && total > options.weight.max)
  /** Far from its bounds nobody has to leave soon, so no order has to be kept. */
  const isRoomy = () =>
    entries.size * 2 <= options.entriesMax &&
    (options.weight === undefined || total * 2 <= options.weight.max)
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      if (entry.expiresAt <= options.clock.nowMs()) {
        remove(key)
        return undefined
      }
      if (isRoomy()) return entry.value
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key, value) {
      remove(key)
      const weight = options.weight?.of(value) ?? 0
      // It would drive out all the others and then itself.
      if (options.weight !== undefined && weight > options.weight.max) return
      total += weight
      const expiresAt = options.clock.nowMs() + options.ttlMs
      entries.set(key, { value, expiresAt, weight })
      while (isOver()) {
        const oldest = entries.keys().next()
        if (oldest.done) return
        remove(oldest.value)
      }
    },
    delete: remove,
    clear() {
      entries.clear()
      total = 0
    },
  }
}

/** In the place of a key: any of them may have changed. */
const ALL = '*'

export type Known<V> = {
  get(key: string): V | undefined
  /** How often word of a change arrived: while it stays the same, so does what was read of it. */
  changes(): number
  /** Reads one and keeps it, if it is there. */
  load<Found extends V | undefined>(key: string, read: () => Promise<Found>): Promise<Found>
  /** The same for several at once: asked for before they are read, it gives what keeps them. */
  reading(): (key: string, value: V) => void
  /** To all nodes, once the transaction is through. */
  tell(tx: Db, key: string): Promise<void>
  /** The same where it is not known which have changed. */
  tellAll(tx: Db): Promise<void>
  /** At once on this node, which has seen the transaction through. */
  forget(key: string): void
}

/**
 * What was read from the database and holds until word of a change arrives under the topic.
 * INVARIANT: what was read before a change and arrives after it is not kept.
 */
export function createKnown<V>(
  options: CacheOptions<V> & { notices: Notices; topic: string },
): Known<V> {
  const { notices, topic } = options
  const kept = createCache<V>(options)
  let changes = 0
  const forget = (key: string): void => {
    changes += 1
    if (key === ALL) kept.clear()
    else kept.delete(key)
  }
  notices.on(topic, forget)
  notices.onReset(() => forget(ALL))
  const reading = () => {
    const changesBefore = changes
    return (key: string, value: V): void => {
      if (changes === changesBefore) kept.set(key, value)
    }
  }
  return {
    get: kept.get,
    changes: () => changes,
    reading,
    async load(key, read) {
      const keep = reading()
      const found = await read()
      if (found !== undefined) keep(key, found)
      return found
    },
    tell: (tx, key) => notices.publish(tx, topic, key),
    tellAll: (tx) => notices.publish(tx, topic, ALL),
    forget,
  }
}

/**
 * Memoises a pure function of a string, for at most `entriesMax` inputs; once full it starts over.
 * An input whose computation throws is not kept.
 */
export function createMemo<V>(
  entriesMax: number,
  compute: (input: string) => V,
): (input: string) => V {
  const known = new Map<string, V>()
  return (input) => {
    const found = known.get(input)
    if (found !== undefined) return found
    const value = compute(input)
    if (known.size >= entriesMax) known.clear()
    known.set(input, value)
    return value
  }
}

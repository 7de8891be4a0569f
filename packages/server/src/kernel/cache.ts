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
 * A bounded cache of this process: least recently used entries are evicted first, and entries expire
 * after `ttlMs`. If entries differ much in size, `weight` bounds their total.
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
  /** Far below the bounds no eviction is near, so the order of use need not be maintained. */
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
      // An entry over the bound would evict all others and then itself.
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

/** Sent instead of a key if any entry may have changed. */
const ALL = '*'

export type SharedCache<V> = {
  get(key: string): V | undefined
  /** Reads one entry and caches it, if it exists. */
  load<Found extends V | undefined>(key: string, read: () => Promise<Found>): Promise<Found>
  /** For reading several entries: call it before the read; returns the function that caches them. */
  beginRead(): (key: string, value: V) => void
  /** Invalidates an entry on all nodes after commit. */
  invalidate(tx: Db, key: string): Promise<void>
  /** Invalidates all entries on all nodes after commit. */
  invalidateAll(tx: Db): Promise<void>
  /** Evicts an entry on this node now; call it after the transaction has committed. */
  evict(key: string): void
  /** Called after each eviction with the key, or with undefined if all entries were evicted. */
  onChange(listener: (key: string | undefined) => void): void
}

/**
 * A cache of database reads, invalidated by notices on a topic.
 * INVARIANT: a value read before an invalidation and arriving after it is not cached. While notices may
 * be missed, nothing is cached, so that every use reads the database.
 */
export function createSharedCache<V>(
  options: CacheOptions<V> & { notices: Notices; topic: string },
): SharedCache<V> {
  const { notices, topic } = options
  const kept = createCache<V>(options)
  const listeners: ((key: string | undefined) => void)[] = []
  let changes = 0
  const evict = (key: string): void => {
    changes += 1
    if (key === ALL) kept.clear()
    else kept.delete(key)
    for (const listener of listeners) listener(key === ALL ? undefined : key)
  }
  notices.on(topic, evict)
  notices.onReset(() => evict(ALL))
  const beginRead = () => {
    const changesBefore = changes
    return (key: string, value: V): void => {
      if (changes === changesBefore && notices.isLive()) kept.set(key, value)
    }
  }
  return {
    get: kept.get,
    beginRead,
    async load(key, read) {
      const keep = beginRead()
      const found = await read()
      if (found !== undefined) keep(key, found)
      return found
    },
    invalidate: (tx, key) => notices.publish(tx, topic, key),
    invalidateAll: (tx) => notices.publish(tx, topic, ALL),
    evict,
    onChange: (listener) => void listeners.push(listener),
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

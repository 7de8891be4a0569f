import type { Clock } from './clock.ts'

export type Cache<V> = {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
}

/**
 * Bounded, per process: the least recently used entry leaves first, and none outlives its time.
 * Where entries differ much in size, `weight` bounds what they come to together.
 */
export function createCache<V>(options: {
  clock: Clock
  entriesMax: number
  ttlMs: number
  weight?: { of(value: V): number; max: number } | undefined
}): Cache<V> {
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
      if (entry.expiresAt <= options.clock.now().getTime()) {
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
      const expiresAt = options.clock.now().getTime() + options.ttlMs
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

import type { Clock } from './clock.ts'

export type Cache<V> = {
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
}

/** Bounded, per process: the least recently used entry leaves first, and none outlives its time. */
export function createCache<V>(options: {
  clock: Clock
  entriesMax: number
  ttlMs: number
}): Cache<V> {
  const entries = new Map<string, { value: V; expiresAt: number }>()
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      if (entry.expiresAt <= options.clock.now().getTime()) return undefined
      entries.set(key, entry)
      return entry.value
    },
    set(key, value) {
      entries.delete(key)
      entries.set(key, { value, expiresAt: options.clock.now().getTime() + options.ttlMs })
      if (entries.size <= options.entriesMax) return
      const oldest = entries.keys().next()
      if (!oldest.done) entries.delete(oldest.value)
    },
    delete: (key) => void entries.delete(key),
    clear: () => entries.clear(),
  }
}

import { createCache, createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { Connection } from './connection.ts'
import { createConnectionStore, type Recognised } from './store.ts'

export const CONNECTION_TOPIC = 'model_connection'
/** A notice invalidates the cache on every node; if one is lost, entries expire after this. */
const CACHE_TTL_MS = 5 * SECOND_MS
const CACHE_ENTRIES_MAX = 10_000
/** `last_used_at` is written at most this often per connection. */
const TOUCH_EVERY_MS = MINUTE_MS
/** Finds connections by their tokens. */
export function createConnectionLookup(deps: {
  db: Db
  clock: Clock
  notices: Notices
  onError(err: unknown): void
  /** Smaller in tests. */
  entriesMax?: number
}) {
  const { entriesMax = CACHE_ENTRIES_MAX } = deps
  const store = createConnectionStore(deps.db)
  /**
   * Cached by hash, although notices carry connection ids: any notice keeps a read that is under way
   * from being cached, and `hashesOf` finds the entries to evict.
   */
  const known = createSharedCache<Recognised>({
    clock: deps.clock,
    notices: deps.notices,
    topic: CONNECTION_TOPIC,
    entriesMax,
    ttlMs: CACHE_TTL_MS,
  })
  const hashesOf = new Map<string, Set<string>>()
  const touched = createCache<true>({
    clock: deps.clock,
    entriesMax: CACHE_ENTRIES_MAX,
    ttlMs: TOUCH_EVERY_MS,
  })

  /** INVARIANT: every hash that is cached is known here, or a revocation would not reach it. */
  const evict = (connectionId: string): void => {
    for (const hash of hashesOf.get(connectionId) ?? []) known.evict(hash)
    hashesOf.delete(connectionId)
  }
  deps.notices.on(CONNECTION_TOPIC, evict)
  deps.notices.onReset(() => hashesOf.clear())

  const load = async (hash: string): Promise<Recognised | undefined> => {
    const found = await known.load(hash, () => store.findByHash(hash))
    if (found === undefined) return undefined
    const hashes = hashesOf.get(found.connectionId) ?? new Set()
    hashesOf.set(found.connectionId, hashes.add(hash))
    const [oldest] = hashesOf.keys()
    if (hashesOf.size > entriesMax && oldest !== undefined) evict(oldest)
    return found
  }

  const touch = (connection: Connection, now: Date): void => {
    if (touched.get(connection.connectionId) !== undefined) return
    touched.set(connection.connectionId, true)
    store.touch(connection, now, later(now, -TOUCH_EVERY_MS)).catch(deps.onError)
  }

  return {
    /** The connection with this token hash, unless it is revoked or the grace of the token ended. */
    async recognise(hash: string): Promise<Connection | undefined> {
      const found = known.get(hash) ?? (await load(hash))
      const now = deps.clock.now()
      if (found === undefined || (found.worksUntil !== null && found.worksUntil <= now)) {
        return undefined
      }
      touch(found, now)
      return found
    },
  }
}

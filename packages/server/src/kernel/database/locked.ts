import { isLockTimeout } from '../db.ts'
import { Problem } from '../problem.ts'

/**
 * Stores the items of many callers in one transaction. If that waited too long for a lock, for example
 * of an agent whose rows a frozen process holds, the items of locked agents are refused and the rest
 * is stored without them. Results are in the order of the items.
 */
export async function storeUnlocked<Item, Result>(
  items: readonly Item[],
  options: {
    /** All or nothing, with one result per item. */
    store(items: readonly Item[]): Promise<readonly Result[]>
    agentOf(item: Item): string
    /** The agents among these with rows that another transaction has locked. */
    lockedAmong(agentIds: readonly string[]): Promise<ReadonlySet<string>>
    refuse(item: Item): Result
  },
): Promise<readonly Result[]> {
  const { store, agentOf, lockedAmong, refuse } = options
  try {
    return await store(items)
  } catch (err) {
    if (!isLockTimeout(err)) throw err
    const locked = await lockedAmong([...new Set(items.map(agentOf))])
    const free = items.filter((item) => !locked.has(agentOf(item)))
    // The lock is of something else, or was released a moment ago: the caller decides.
    if (free.length === items.length) throw err
    const stored = free.length === 0 ? [] : await storeUnlocked(free, options)
    const results = stored.values()
    return items.map((item): Result => {
      if (locked.has(agentOf(item))) return refuse(item)
      const next = results.next()
      if (next.done === true) throw new Error('a stored item has no result')
      return next.value
    })
  }
}

/** Longer than the server lets an idle transaction hold its locks. */
const RETRY_AFTER_SECONDS = 6

export function lockedAgent(): Problem {
  return new Problem(
    'unavailable',
    'Another operation has locked this agent. Retry in a few seconds.',
    { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
  )
}

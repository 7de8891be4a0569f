import { isLockTimeout } from '../kernel/db.ts'
import { Problem } from '../kernel/problem.ts'

export type GroupOptions<Item, Result> = {
  /** All or nothing, with one result per item. */
  store(items: readonly Item[]): Promise<readonly Result[]>
  agentOf(item: Item): string
  /** The agents among these with rows that another transaction has locked. */
  lockedAmong(agentIds: readonly string[]): Promise<ReadonlySet<string>>
  refuse(item: Item): Result
}

/**
 * Stores the items of many callers in one transaction. If that waited too long for a lock, for example
 * of an agent whose rows a frozen process holds, the rest is stored without the items of locked agents.
 * Those are tried once more, because a busy agent is locked at most moments, and refused if they wait
 * too long again. Results are in the order of the items.
 */
export async function storeUnlocked<Item, Result>(
  items: readonly Item[],
  options: GroupOptions<Item, Result>,
): Promise<readonly Result[]> {
  const { store, agentOf, lockedAmong } = options
  try {
    return await store(items)
  } catch (err) {
    if (!isLockTimeout(err)) throw err
    const locked = await lockedAmong([...new Set(items.map(agentOf))])
    const free = items.filter((item) => !locked.has(agentOf(item)))
    // The lock is of something else, or was released a moment ago: the caller decides.
    if (free.length === items.length) throw err
    const stored = free.length === 0 ? [] : await storeUnlocked(free, options)
    const late = items.filter((item) => locked.has(agentOf(item)))
    const results = { free: stored.values(), late: (await storeOrRefuse(late, options)).values() }
    return items.map((item): Result => {
      const next = results[locked.has(agentOf(item)) ? 'late' : 'free'].next()
      if (next.done === true) throw new Error('an item has no result')
      return next.value
    })
  }
}

/** Refuses them whatever goes wrong, because the rest of the group is stored. */
async function storeOrRefuse<Item, Result>(
  items: readonly Item[],
  { store, refuse }: GroupOptions<Item, Result>,
): Promise<readonly Result[]> {
  try {
    return await store(items)
  } catch {
    return items.map(refuse)
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

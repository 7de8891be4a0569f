import { isDatabaseDown } from './db.ts'

/** How long a first one waits for others to come with it, and one that somebody waits for. */
const GATHER_MS = 20
const GATHER_SOON_MS = 2

const GROUP_MAX = 200
const GROUPS_AT_ONCE_MAX = 2

/** What waits is in memory only; beyond this the database is hopelessly behind. */
const WAITING_MAX = 10_000

export type Recorder<Item> = {
  /** Resolves once it is committed, and rejects when it will not be. Soon, unless nobody waits. */
  add(item: Item, when?: { soon: boolean }): Promise<void>
  /** Writes what is waiting; nothing comes after it. */
  close(): Promise<void>
}

type Waiting<Item> = { item: Item; resolve(): void; reject(err: unknown): void }

/**
 * Joins what is to be written within a few milliseconds into one transaction, so that the price of
 * a commit is paid once for many. An item that cannot be written takes no other with it.
 */
export function createRecorder<Item>(deps: {
  /** In one transaction: all of them or none. */
  write(items: readonly Item[]): Promise<void>
  onFailure(err: unknown, items: number): void
  /** Where somebody waits for every item, 0: what comes during a write is gathered as it is. */
  gatherSoonMs?: number
}): Recorder<Item> {
  const { gatherSoonMs = GATHER_SOON_MS } = deps
  const waiting: Waiting<Item>[] = []
  let timer: NodeJS.Timeout | undefined
  let isDueSoon = false
  // Some waited long enough but for a free place.
  let isOverdue = false
  const running = new Set<Promise<void>>()

  const writeAll = async (group: readonly Waiting<Item>[]): Promise<void> => {
    try {
      await deps.write(group.map(({ item }) => item))
      for (const { resolve } of group) resolve()
    } catch (err) {
      // Where nothing can be written now, smaller groups fare no better.
      if (group.length <= 1 || isDatabaseDown(err)) {
        deps.onFailure(err, group.length)
        for (const { reject } of group) reject(err)
        return
      }
      // Halves find the one at fault in few steps, and let all the others through.
      const middle = Math.ceil(group.length / 2)
      await writeAll(group.slice(0, middle))
      await writeAll(group.slice(middle))
    }
  }

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    isDueSoon = false
    while (waiting.length > 0 && running.size < GROUPS_AT_ONCE_MAX) {
      const group = waiting.splice(0, GROUP_MAX)
      const run = writeAll(group).finally(() => {
        running.delete(run)
        // The others still gather: one transaction for each handful would cost more than it writes.
        if (isOverdue || waiting.length >= GROUP_MAX) flush()
      })
      running.add(run)
    }
    isOverdue = waiting.length > 0
  }

  const flushWithin = (soon: boolean): void => {
    if (timer !== undefined && (isDueSoon || !soon)) return
    clearTimeout(timer)
    isDueSoon = soon
    timer = setTimeout(flush, soon ? gatherSoonMs : GATHER_MS)
  }

  return {
    add(item, { soon } = { soon: true }) {
      const recorded = new Promise<void>((resolve, reject) => {
        if (waiting.length >= WAITING_MAX) {
          const err = new Error('too much is waiting to be recorded')
          deps.onFailure(err, 1)
          reject(err)
          return
        }
        waiting.push({ item, resolve, reject })
        if (waiting.length >= GROUP_MAX) flush()
        else flushWithin(soon)
      })
      // Not everybody waits for it; a failure that nobody hears must not end the process.
      recorded.catch(() => undefined)
      return recorded
    },

    async close() {
      flush()
      while (running.size > 0) await Promise.all(running)
    },
  }
}

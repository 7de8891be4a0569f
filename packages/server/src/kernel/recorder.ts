import { isDatabaseDown } from './db.ts'

/** How long a first one waits for others to come with it, and one that somebody waits for. */
const GATHER_MS = 50
const GATHER_SOON_MS = 2

const GROUP_MAX = 500
const GROUPS_AT_ONCE_MAX = 2

/** What waits is in memory only; beyond this the database is hopelessly behind. */
const WAITING_MAX = 10_000

export type Recorder<Item> = {
  /** Resolves once it is committed, and rejects when it will not be. */
  add(item: Item): Promise<void>
  /** The same for what mostly nobody waits for; who does asks for it. */
  put(item: Item, when: { soon: boolean }): () => Promise<void>
  /** Writes what is waiting; nothing comes after it. */
  close(): Promise<void>
}

type Outcome = { err: unknown } | 'written'
type Waiting<Item> = { item: Item; outcome: Outcome | undefined; tell: (() => void) | undefined }

function settle(one: Waiting<unknown>, outcome: Outcome): void {
  one.outcome = outcome
  one.tell?.()
}

async function outcomeOf(one: Waiting<unknown>): Promise<void> {
  if (one.outcome === undefined) {
    await new Promise<void>((resolve) => {
      const before = one.tell
      one.tell = () => {
        before?.()
        resolve()
      }
    })
  }
  if (one.outcome !== undefined && one.outcome !== 'written') throw one.outcome.err
}

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
      for (const one of group) settle(one, 'written')
    } catch (err) {
      // Where nothing can be written now, smaller groups fare no better.
      if (group.length <= 1 || isDatabaseDown(err)) {
        deps.onFailure(err, group.length)
        for (const one of group) settle(one, { err })
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

  const put: Recorder<Item>['put'] = (item, { soon }) => {
    const one: Waiting<Item> = { item, outcome: undefined, tell: undefined }
    if (waiting.length >= WAITING_MAX) {
      const err = new Error('too much is waiting to be recorded')
      deps.onFailure(err, 1)
      settle(one, { err })
    } else {
      waiting.push(one)
      if (waiting.length >= GROUP_MAX) flush()
      else flushWithin(soon)
    }
    return () => outcomeOf(one)
  }

  return {
    put,
    add: (item) => put(item, { soon: true })(),

    async close() {
      flush()
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/**
 * Batches items that arrive one by one, so that a fixed cost, such as a commit, a wake-up of a worker
 * thread or a system call, is paid once for many of them.
 *
 * - **Limits.** A batch starts when its oldest item has waited for its age limit, or as soon as a full
 *   batch is waiting: `itemsMax` items or a weight (bytes, rows) of `weightMax`. An age of 0 starts
 *   immediately while a slot is free; items that arrive during a run then form the next batch. An item
 *   heavier than `weightMax` runs alone.
 * - **Concurrency.** At most `concurrency` batches run at once, or `concurrencyFull` while a full batch
 *   is waiting.
 * - **Order.** Batches take items in arrival order and `run` sees them in that order. Batches that run
 *   at the same time may finish in any order.
 * - **Grouping.** With `groupOf`, a batch holds only neighbours of one group, compared by identity.
 * - **Failure.** `run` is all or nothing. When it rejects, the batch is split in halves and run again,
 *   so that only the item at fault fails; with `failTogether(err)` true (the database is down, say)
 *   the whole batch fails immediately. `onFailure` hears of every failed item once.
 * - **Back-pressure.** Items beyond `waitingMax` are rejected with `BatcherFull`; nothing waits without
 *   bound. Items in a running batch do not count.
 * - **Stop.** `stop` runs what is waiting, resolves when the last batch has ended, and rejects later
 *   items with `BatcherStopped`. `flush` starts every waiting batch that has a free slot; with an
 *   unlimited concurrency the synchronous part of `run` has happened when it returns.
 */
export type BatcherOptions<Item, Result> = {
  /** Processes one batch, all or nothing; results in the order of the items. */
  run(items: readonly Item[]): Promise<readonly Result[]>
  itemsMax: number
  /** How long an item waits for others, unless `add` or `post` says otherwise. */
  ageMsMax: number
  weight?: { of(item: Item): number; max: number }
  groupOf?(item: Item): unknown
  concurrency?: number
  concurrencyFull?: number
  waitingMax?: number
  /** True for an error that every part of the batch would meet again. */
  failTogether?(err: unknown): boolean
  onFailure?(err: unknown, items: readonly Item[]): void
  /** False for work that must not keep the process alive, such as log lines. */
  keepsProcessAlive?: boolean
}

export type Batcher<Item, Result> = {
  /** Resolves with the item's own result once its batch has run. */
  add(item: Item, wait?: { ageMsMax: number }): Promise<Result>
  /** For callers that do not wait: failures reach `onFailure` only. */
  post(item: Item, wait?: { ageMsMax: number }): void
  flush(): void
  /** How many items are waiting for a batch or in one that runs. */
  pending(): number
  stop(): Promise<void>
}

export class BatcherFull extends Error {
  override name = 'BatcherFull'
}

export class BatcherStopped extends Error {
  override name = 'BatcherStopped'
}

type Entry<Item, Result> = {
  item: Item
  dueMs: number
  weight: number
  /** Absent where nobody waits. */
  waiter: { resolve(result: Result): void; reject(err: unknown): void } | undefined
}

const WAITING_MAX = 10_000

export function createBatcher<Item, Result>(
  options: BatcherOptions<Item, Result>,
): Batcher<Item, Result> {
  const { itemsMax, weight, groupOf, concurrency = 1, waitingMax = WAITING_MAX } = options
  const concurrencyFull = options.concurrencyFull ?? concurrency
  const weightMax = weight?.max ?? Number.POSITIVE_INFINITY
  const queue: Entry<Item, Result>[] = []
  const running = new Set<Promise<void>>()
  let queuedWeight = 0
  let runningItems = 0
  let dueMs = Number.POSITIVE_INFINITY
  let timer: { at: number; handle: NodeJS.Timeout } | undefined
  let isFlushing = false
  let isStopped = false

  const isFull = (): boolean => queue.length >= itemsMax || queuedWeight >= weightMax

  const settle = async (batch: readonly Entry<Item, Result>[]): Promise<void> => {
    const items = batch.map(({ item }) => item)
    try {
      const results = await options.run(items)
      if (results.length !== batch.length) {
        throw new Error(`a batch of ${batch.length} items gave ${results.length} results`)
      }
      for (const [at, { waiter }] of batch.entries()) waiter?.resolve(results[at] as Result)
    } catch (err) {
      if (batch.length > 1 && options.failTogether?.(err) !== true) {
        const middle = Math.ceil(batch.length / 2)
        await settle(batch.slice(0, middle))
        await settle(batch.slice(middle))
        return
      }
      options.onFailure?.(err, items)
      for (const { waiter } of batch) waiter?.reject(err)
    }
  }

  const start = (): void => {
    const batch = queue.splice(0, batchLength(queue, { itemsMax, weightMax, groupOf }))
    for (const entry of batch) queuedWeight -= entry.weight
    dueMs = queue.reduce((least, entry) => Math.min(least, entry.dueMs), Number.POSITIVE_INFINITY)
    runningItems += batch.length
    const run: Promise<void> = settle(batch).finally(() => {
      running.delete(run)
      runningItems -= batch.length
      startDue()
    })
    running.add(run)
  }

  const startDue = (): void => {
    while (queue.length > 0 && running.size < (isFull() ? concurrencyFull : concurrency)) {
      if (!isFlushing && !isFull() && dueMs > performance.now()) break
      start()
    }
    if (queue.length === 0) isFlushing = false
    arm()
  }

  /** A timer only while items wait for their age: with every slot taken, the next end of a run starts them. */
  const arm = (): void => {
    const wanted = queue.length > 0 && running.size < concurrency ? dueMs : undefined
    if (timer?.at === wanted) return
    if (timer !== undefined) clearTimeout(timer.handle)
    timer = undefined
    if (wanted === undefined) return
    // Rounded up: a timer that fires early would only be armed again.
    const handle = setTimeout(onTimer, Math.max(0, Math.ceil(wanted - performance.now())))
    if (options.keepsProcessAlive === false) handle.unref()
    timer = { at: wanted, handle }
  }

  const onTimer = (): void => {
    timer = undefined
    startDue()
  }

  const enqueue = (entry: Entry<Item, Result>): void => {
    queue.push(entry)
    queuedWeight += entry.weight
    const isEarliest = entry.dueMs < dueMs
    if (isEarliest) dueMs = entry.dueMs
    if (isFull() || isEarliest) startDue()
  }

  const refusal = (): Error | undefined => {
    if (isStopped) return new BatcherStopped('the batcher has stopped')
    if (queue.length < waitingMax) return undefined
    return new BatcherFull(`${queue.length} items are waiting already`)
  }

  const entryOf = (
    item: Item,
    waiter: Entry<Item, Result>['waiter'],
    ageMsMax = options.ageMsMax,
  ): Entry<Item, Result> => ({
    item,
    dueMs: ageMsMax === 0 ? 0 : performance.now() + ageMsMax,
    weight: weight?.of(item) ?? 0,
    waiter,
  })

  return {
    add: (item, wait) =>
      new Promise((resolve, reject) => {
        const err = refusal()
        if (err === undefined) return enqueue(entryOf(item, { resolve, reject }, wait?.ageMsMax))
        options.onFailure?.(err, [item])
        reject(err)
      }),

    post(item, wait) {
      const err = refusal()
      if (err === undefined) enqueue(entryOf(item, undefined, wait?.ageMsMax))
      else options.onFailure?.(err, [item])
    },

    flush() {
      isFlushing = true
      startDue()
    },

    pending: () => queue.length + runningItems,

    async stop() {
      isStopped = true
      isFlushing = true
      startDue()
      while (running.size > 0) await Promise.all(running)
    },
  }
}

/** How many entries from the front make the next batch: at least one, within the limits, of one group. */
function batchLength<Item, Result>(
  queue: readonly Entry<Item, Result>[],
  limits: {
    itemsMax: number
    weightMax: number
    groupOf: ((item: Item) => unknown) | undefined
  },
): number {
  const first = queue[0]
  if (first === undefined) return 0
  const group = limits.groupOf?.(first.item)
  let total = 0
  const beyond = queue.findIndex(({ item, weight }, at) => {
    total += weight
    if (at === 0) return false
    return at >= limits.itemsMax || total > limits.weightMax || limits.groupOf?.(item) !== group
  })
  return beyond < 0 ? queue.length : beyond
}

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
 * - **Units.** Items of one `addAll` are never separated: they run in one batch, even if it is larger
 *   than `itemsMax`, and fail together.
 * - **Order.** Batches take items in arrival order and `run` sees them in that order. Batches that run
 *   at the same time may finish in any order.
 * - **Grouping.** With `groupOf`, a batch contains consecutive items of one group only, compared by
 *   identity.
 * - **Failure.** `run` is all or nothing. When it rejects, the batch is split in halves and run again,
 *   so that only the item (or unit) at fault fails; if `failTogether(err)` is true (for example, the
 *   database is down), the whole batch fails immediately. `onFailure` is called once for every failed
 *   item.
 * - **Back-pressure.** Items beyond `waitingMax` are rejected with `BatcherFull`; the queue is
 *   bounded. Items in a running batch do not count.
 * - **Stop.** `stop` runs the waiting items, resolves when the last batch has ended, and rejects later
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
  /** True for an error that every part of the batch would get again. */
  failTogether?(err: unknown): boolean
  onFailure?(err: unknown, items: readonly Item[]): void
  /** False for work that must not keep the process alive, such as log lines. */
  keepsProcessAlive?: boolean
}

export type Batcher<Item, Result> = {
  /** Resolves with the result of the item after its batch has run. */
  add(item: Item, wait?: { ageMsMax: number }): Promise<Result>
  /** Adds items that must run in the same batch, all of one group. Results in the order of the items. */
  addAll(items: readonly Item[], wait?: { ageMsMax: number }): Promise<readonly Result[]>
  /** For callers that do not wait: failures reach `onFailure` only. */
  post(item: Item, wait?: { ageMsMax: number }): void
  flush(): void
  /** The number of items that are waiting or in a running batch. */
  pending(): number
  stop(): Promise<void>
}

export class BatcherFull extends Error {
  override name = 'BatcherFull'
}

export class BatcherStopped extends Error {
  override name = 'BatcherStopped'
}

/** A unit of items that run together; almost always one item. */
type Entry<Item, Result> = {
  items: readonly Item[]
  dueMs: number
  weight: number
  /** Undefined for posted items. */
  waiter: { resolve(results: readonly Result[]): void; reject(err: unknown): void } | undefined
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
  let queuedItems = 0
  let queuedWeight = 0
  let runningItems = 0
  let dueMs = Number.POSITIVE_INFINITY
  let timer: { at: number; handle: NodeJS.Timeout } | undefined
  let isFlushing = false
  let isStopped = false

  const isFull = (): boolean => queuedItems >= itemsMax || queuedWeight >= weightMax

  const start = (): void => {
    const batch = queue.splice(0, batchLength(queue, { itemsMax, weightMax, groupOf }))
    const count = countItems(batch)
    queuedItems -= count
    for (const entry of batch) queuedWeight -= entry.weight
    dueMs = queue.reduce((least, entry) => Math.min(least, entry.dueMs), Number.POSITIVE_INFINITY)
    runningItems += count
    const run: Promise<void> = settle(options, batch).finally(() => {
      running.delete(run)
      runningItems -= count
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

  /** Needed only while a slot is free; otherwise the end of a run starts the next batch. */
  const arm = (): void => {
    const wanted = queue.length > 0 && running.size < concurrency ? dueMs : undefined
    if (timer?.at === wanted) return
    if (timer !== undefined) clearTimeout(timer.handle)
    timer = undefined
    if (wanted === undefined) return
    // Rounded up, because a timer that fires early would only be set again.
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
    queuedItems += entry.items.length
    queuedWeight += entry.weight
    const isEarliest = entry.dueMs < dueMs
    if (isEarliest) dueMs = entry.dueMs
    if (isFull() || isEarliest) startDue()
  }

  const refusal = (count: number): Error | undefined => {
    if (isStopped) return new BatcherStopped('the batcher has stopped')
    if (queuedItems + count <= waitingMax) return undefined
    return new BatcherFull(`${queuedItems} items are waiting already`)
  }

  const entryOf = (
    items: readonly Item[],
    waiter: Entry<Item, Result>['waiter'],
    ageMsMax = options.ageMsMax,
  ): Entry<Item, Result> => ({
    items,
    dueMs: ageMsMax === 0 ? 0 : performance.now() + ageMsMax,
    weight: weight === undefined ? 0 : items.reduce((sum, item) => sum + weight.of(item), 0),
    waiter,
  })

  const addAll: Batcher<Item, Result>['addAll'] = (items, wait) =>
    new Promise((resolve, reject) => {
      if (items.length === 0) return resolve([])
      const err = refusal(items.length)
      if (err === undefined) return enqueue(entryOf(items, { resolve, reject }, wait?.ageMsMax))
      options.onFailure?.(err, items)
      reject(err)
    })

  return {
    async add(item, wait) {
      const [result] = await addAll([item], wait)
      // The cast is safe, because there are as many results as items.
      return result as Result
    },

    addAll,

    post(item, wait) {
      const err = refusal(1)
      if (err === undefined) enqueue(entryOf([item], undefined, wait?.ageMsMax))
      else options.onFailure?.(err, [item])
    },

    flush() {
      isFlushing = true
      startDue()
    },

    pending: () => queuedItems + runningItems,

    async stop() {
      isStopped = true
      isFlushing = true
      startDue()
      while (running.size > 0) await Promise.all(running)
    },
  }
}

async function settle<Item, Result>(
  options: BatcherOptions<Item, Result>,
  batch: readonly Entry<Item, Result>[],
): Promise<void> {
  const items = batch.flatMap((entry) => entry.items)
  try {
    const results = await options.run(items)
    if (results.length !== items.length) {
      throw new Error(`a batch of ${items.length} items gave ${results.length} results`)
    }
    let first = 0
    for (const { items: own, waiter } of batch) {
      waiter?.resolve(results.slice(first, first + own.length))
      first += own.length
    }
  } catch (err) {
    if (batch.length > 1 && options.failTogether?.(err) !== true) {
      const middle = Math.ceil(batch.length / 2)
      await settle(options, batch.slice(0, middle))
      await settle(options, batch.slice(middle))
      return
    }
    options.onFailure?.(err, items)
    for (const { waiter } of batch) waiter?.reject(err)
  }
}

/** The number of entries in the next batch: at least one, within the limits, of one group. */
function batchLength<Item, Result>(
  queue: readonly Entry<Item, Result>[],
  limits: {
    itemsMax: number
    weightMax: number
    groupOf: ((item: Item) => unknown) | undefined
  },
): number {
  const groupOf = ({ items: [first] }: Entry<Item, Result>): unknown =>
    first === undefined ? undefined : limits.groupOf?.(first)
  const [oldest] = queue
  if (oldest === undefined) return 0
  const group = groupOf(oldest)
  let weights = 0
  let items = 0
  const beyond = queue.findIndex((entry, at) => {
    weights += entry.weight
    items += entry.items.length
    if (at === 0) return false
    return items > limits.itemsMax || weights > limits.weightMax || groupOf(entry) !== group
  })
  return beyond < 0 ? queue.length : beyond
}

function countItems<Item, Result>(batch: readonly Entry<Item, Result>[]): number {
  return batch.reduce((sum, { items }) => sum + items.length, 0)
}

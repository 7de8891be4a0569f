export type WriteQueueOptions<Batch> = {
  /** Stores batches, all or nothing. */
  write(batches: readonly Batch[]): Promise<void>
  /** The number of decisions in a batch. */
  sizeOf(batch: Batch): number
  /** True if the database is unreachable, so that the write is retried. */
  isDown(err: unknown): boolean
  /** Reports batches that the database rejected; retrying would not help. */
  onError(err: unknown): void
  /** How long a batch waits for others. */
  delayMs: number
  retryMs: number
  /** The batches of one write. */
  batchesMax: number
}

export type WriteQueue<Batch> = {
  add(batch: Batch): void
  /** The number of decisions that are not stored yet. */
  waiting(): number
  /** Whether the last write failed because the database is down. */
  isDown(): boolean
  /** Writes everything now. Rejects if the database is down. */
  flush(): Promise<void>
  /** Writes everything as far as the database is reachable, and sets no more timers. */
  stop(): Promise<void>
}

/**
 * Keeps answered decisions in memory until they are stored, and retries while the database is down.
 * INVARIANT: a batch leaves the queue after it was stored or rejected, never before.
 */
export function createWriteQueue<Batch>(options: WriteQueueOptions<Batch>): WriteQueue<Batch> {
  const queue: Batch[] = []
  let waiting = 0
  let isDown = false
  let isStopped = false
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  const remove = (batches: readonly Batch[]): void => {
    queue.splice(0, batches.length)
    for (const batch of batches) waiting -= options.sizeOf(batch)
  }

  /** One by one, so that a rejected batch does not hold up the others. */
  const writeEach = async (batches: readonly Batch[]): Promise<void> => {
    for (const batch of batches) {
      try {
        await options.write([batch])
      } catch (err) {
        if (options.isDown(err)) throw err
        options.onError(err)
      }
      remove([batch])
    }
  }

  const writeAll = async (): Promise<void> => {
    try {
      while (queue.length > 0) {
        const batches = queue.slice(0, options.batchesMax)
        try {
          await options.write(batches)
          remove(batches)
        } catch (err) {
          if (options.isDown(err)) throw err
          await writeEach(batches)
        }
      }
      isDown = false
    } catch (err) {
      isDown = true
      throw err
    }
  }

  const flush = (): Promise<void> => {
    running ??= writeAll().finally(() => {
      running = undefined
    })
    return running
  }

  const arm = (ms: number): void => {
    if (timer !== undefined || isStopped) return
    timer = setTimeout(() => {
      timer = undefined
      flush().then(
        () => queue.length > 0 && arm(options.delayMs),
        () => arm(options.retryMs),
      )
    }, ms)
    timer.unref()
  }

  return {
    add(batch) {
      queue.push(batch)
      waiting += options.sizeOf(batch)
      arm(isDown ? options.retryMs : options.delayMs)
    },

    waiting: () => waiting,
    isDown: () => isDown,
    flush,

    async stop() {
      isStopped = true
      clearTimeout(timer)
      // A write that is running may not have seen the newest batches.
      await running?.catch(() => undefined)
      await flush().catch(options.onError)
    },
  }
}

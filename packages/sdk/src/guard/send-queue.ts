export type SendQueueOptions<Item> = {
  /** Capacity: how many items may wait while the service cannot be reached. */
  max: number
  batchMax: number
  /** Throws if the batch is to be retried. */
  send(batch: readonly Item[]): Promise<void>
  /** Called for the oldest item if the queue is full. */
  onEvicted(item: Item): void
  /** Called with the error each time a batch could not be sent; it is retried. */
  onDelayed(error: unknown): void
}

export type SendQueue<Item> = {
  /** How many items wait. */
  size(): number
  /** Evicts the oldest item if the queue is full. */
  add(item: Item): void
  /** Sends the waiting items; throws if any could not be sent. */
  flush(): Promise<void>
}

/** A batch is sent once calls have paused for this long, so that it does not slow them down. */
const QUIET_MS = 200
/** Age and number of waiting records at which a batch is sent without waiting for a pause. */
const AGE_MS_MAX = 2_000
const WAITING_MAX = 500
const BACKOFF_MS_FIRST = 1_000
const BACKOFF_MS_MAX = 60_000

/** Sends items in order, in batches, and retries with backoff until the service has them. */
export function createSendQueue<Item extends object>(
  options: SendQueueOptions<Item>,
): SendQueue<Item> {
  const { max, batchMax, send, onEvicted, onDelayed } = options
  let waiting: Item[] = []
  let sending: Promise<void> | undefined
  const timer = createFlushTimer(() => void startSending().catch(() => undefined))
  let backoffMs = BACKOFF_MS_FIRST

  /** Sends the items that wait now; later ones wait for their own pause. */
  async function sendWaiting(): Promise<void> {
    for (let left = waiting.length; left > 0; left -= batchMax) {
      const batch = waiting.slice(0, Math.min(batchMax, left))
      await send(batch)
      // add() may have evicted some of them in the meantime.
      const sent = new Set(batch)
      waiting = waiting.filter((item) => !sent.has(item))
      backoffMs = BACKOFF_MS_FIRST
    }
  }

  function startSending(): Promise<void> {
    timer.stop()
    sending ??= sendWaiting().then(onSent, onFailed)
    return sending
  }

  function onSent(): void {
    sending = undefined
    if (waiting.length > 0) timer.schedule(waiting.length >= WAITING_MAX)
  }

  function onFailed(error: unknown): never {
    sending = undefined
    onDelayed(error)
    timer.backOff(backoffMs)
    backoffMs = Math.min(BACKOFF_MS_MAX, backoffMs * 2)
    throw error
  }

  return {
    size: () => waiting.length,
    add(item) {
      if (waiting.length >= max) {
        const [oldest, ...rest] = waiting
        waiting = rest
        if (oldest !== undefined) onEvicted(oldest)
      }
      waiting.push(item)
      if (sending === undefined) timer.schedule(waiting.length >= WAITING_MAX)
    },
    async flush() {
      await sending?.catch(() => undefined)
      await startSending()
    },
  }
}

/** Schedules the next flush: when calls pause, or after a backoff that new items do not cut short. */
function createFlushTimer(send: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isBackingOff = false
  let waitingSinceMs: number | undefined
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
    isBackingOff = false
    waitingSinceMs = undefined
  }
  return {
    stop,
    schedule(isDue: boolean): void {
      if (isBackingOff) return
      const nowMs = Date.now()
      waitingSinceMs ??= nowMs
      const leftMs = isDue ? 0 : waitingSinceMs + AGE_MS_MAX - nowMs
      clearTimeout(timer)
      timer = setTimeout(send, Math.max(0, Math.min(QUIET_MS, leftMs)))
    },
    backOff(delayMs: number): void {
      stop()
      isBackingOff = true
      timer = setTimeout(send, delayMs)
      // Does not keep the process alive: a program calls flush() before it ends.
      if (typeof timer === 'object') timer.unref()
    },
  }
}

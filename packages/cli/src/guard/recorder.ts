/** How many wait at most; beyond that new ones are counted and dropped, and the calls go on. */
const QUEUE_MAX = 1000
/** The interface takes 50 checkpoints at a time. */
const BATCH_MAX = 50
const INTERVAL_MS = 1000

export type RecorderOptions<Item> = {
  /** Throws for what may be tried again later; what is refused for good it tells itself. */
  send(batch: readonly Item[]): Promise<void>
  note(line: string): void
}

export type Recorder<Item> = {
  add(item: Item): void
  /** Sends what waits, or gives up after so long. */
  end(withinMs: number): Promise<void>
}

/**
 * Sends records in groups, one at a time, behind the back of the calls they are about: adding one
 * never waits and never throws.
 */
export function createRecorder<Item>({ send, note }: RecorderOptions<Item>): Recorder<Item> {
  const queue: Item[] = []
  let dropped = 0
  let sending: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined

  async function sendAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH_MAX)
      await send(batch)
      queue.splice(0, batch.length)
    }
  }

  function begin(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll()
      .catch((err: unknown) => {
        note(`${queue.length} records wait, as they could not be sent: ${messageOf(err)}`)
      })
      .finally(() => {
        sending = undefined
        if (queue.length > 0) schedule()
      })
    return sending
  }

  function schedule(): void {
    // The program may end while a record waits: `end` is what sends it.
    timer ??= setTimeout(begin, INTERVAL_MS).unref()
  }

  return {
    add(item) {
      if (queue.length >= QUEUE_MAX) {
        dropped += 1
        if (dropped === 1) note(`more than ${QUEUE_MAX} records wait; further ones are dropped`)
        return
      }
      queue.push(item)
      if (queue.length >= BATCH_MAX) void begin()
      else schedule()
    },
    async end(withinMs) {
      let deadline: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        deadline = setTimeout(resolve, withinMs)
      })
      // One that is under way may have begun before the last was added.
      await Promise.race([begin().then(begin), late])
      clearTimeout(deadline)
      clearTimeout(timer)
      const lost = queue.length + dropped
      if (lost > 0) note(`${lost} records were not sent`)
    },
  }
}

function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err)
}

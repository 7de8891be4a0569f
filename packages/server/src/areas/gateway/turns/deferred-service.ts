import { SECOND_MS } from '../../../kernel/clock.ts'
import { isDatabaseDown } from '../../../kernel/db.ts'

type Work = () => Promise<unknown>

/** At most this many records wait for the database; then the oldest is dropped. */
const WAITING_MAX = 1000

export type Deferred = ReturnType<typeof createDeferred>

/**
 * Writes the records of turns off their requests. While the database is away they wait in memory,
 * because a turn that passed without a decision is the one that has to be on record.
 */
export function createDeferred({
  onError,
  retryMs = SECOND_MS,
}: {
  onError(err: unknown): void
  /** Shorter in tests. */
  retryMs?: number
}) {
  let waiting: Work[] = []
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  const underWay = new Set<Promise<void>>()

  const arm = (): void => {
    if (timer !== undefined || isStopped || waiting.length === 0) return
    timer = setTimeout(() => {
      timer = undefined
      track(retry())
    }, retryMs)
  }

  /** False if the work has to be tried again. */
  const attempt = async (work: Work): Promise<boolean> => {
    try {
      await work()
      return true
    } catch (err) {
      onError(err)
      return !isDatabaseDown(err)
    }
  }

  const retry = async (): Promise<void> => {
    const due = waiting
    waiting = []
    for (const [at, work] of due.entries()) {
      if (await attempt(work)) continue
      waiting = [...due.slice(at), ...waiting]
      break
    }
    arm()
  }

  const start = async (work: Work): Promise<void> => {
    if (await attempt(work)) return
    waiting.push(work)
    if (waiting.length > WAITING_MAX) waiting.shift()
    arm()
  }

  const track = (done: Promise<void>): Promise<void> => {
    underWay.add(done)
    void done.finally(() => underWay.delete(done))
    return done
  }

  return {
    /** Resolves after the first attempt and never rejects. */
    run: (work: Work): Promise<void> => track(start(work)),

    /** Finishes the work under way, and tries once more what is waiting. */
    async drain(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      while (underWay.size > 0) await Promise.all(underWay)
      await retry()
    },
  }
}

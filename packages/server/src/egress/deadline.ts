/** A point in time after which the result is not needed. */
export type Deadline = {
  isOver(): boolean
  /**
   * Calls `act` at the deadline, or immediately if it has passed; only the last callback is
   * kept.
   */
  onOver(act: () => void): void
  /** Cancels the deadline. */
  end(): void
}

/** Uses a bare timer: an AbortSignal per request would cost as much as writing the request. */
export function createDeadline(ms: number): Deadline {
  let over = false
  let act: () => void = () => undefined
  const timer = setTimeout(() => {
    over = true
    act()
  }, ms)
  return {
    isOver: () => over,
    onOver(next) {
      act = next
      if (over) act()
    },
    end: () => clearTimeout(timer),
  }
}

/** Rejects at the deadline; the work itself may continue, and its result is ignored. */
export async function before<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    deadline.onOver(() => reject(new Error('the deadline has passed')))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    deadline.onOver(() => undefined)
  }
}

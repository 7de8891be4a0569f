/** A timeout shared by all steps of one request. */
export type Deadline = {
  hasExpired(): boolean
  /**
   * Calls `act` at the deadline, or immediately if it has passed; only the last callback is
   * kept.
   */
  onExpiry(act: () => void): void
  cancel(): void
}

/** Uses a bare timer: an AbortSignal per request would cost as much as writing the request. */
export function createDeadline(ms: number): Deadline {
  let expired = false
  let act: () => void = () => undefined
  const timer = setTimeout(() => {
    expired = true
    act()
  }, ms)
  return {
    hasExpired: () => expired,
    onExpiry(next) {
      act = next
      if (expired) act()
    },
    cancel: () => clearTimeout(timer),
  }
}

/** Rejects at the deadline; the work itself may continue, and its result is ignored. */
export async function withDeadline<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    deadline.onExpiry(() => reject(new Error('the deadline has passed')))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    deadline.onExpiry(() => undefined)
  }
}

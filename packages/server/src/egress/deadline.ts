/** A moment after which nobody waits any more. */
export type Deadline = {
  isOver(): boolean
  /** Does it at that moment, or now when it is over; only the last one given is done. */
  onOver(act: () => void): void
  /** Nothing waits any more: it will not come. */
  end(): void
}

/** A bare timer: a signal for each request would cost as much as writing the request. */
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

/** Rejects at the deadline; the work itself may go on, unheard. */
export async function before<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    deadline.onOver(() => reject(new Error('the deadline is over')))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    deadline.onOver(() => undefined)
  }
}

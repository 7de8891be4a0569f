/**
 * Who may be sent to now: so many at a time for each endpoint and over all, in the order in which
 * they came. The others wait, so that there is something to do while the next ones are fetched.
 */
export function createLanes<T extends { endpointId: string }>(limits: {
  perEndpoint: number
  atOnce: number
}) {
  const running = new Map<string, number>()
  let waiting: T[] = []
  let started = 0
  const isFree = (endpointId: string) => (running.get(endpointId) ?? 0) < limits.perEndpoint

  return {
    add(items: readonly T[]): void {
      waiting.push(...items)
    },

    /** Those that may begin; each must be told as `done`. */
    begin(): T[] {
      const begun: T[] = []
      const left: T[] = []
      for (const item of waiting) {
        const { endpointId } = item
        if (started >= limits.atOnce || !isFree(endpointId)) {
          left.push(item)
          continue
        }
        running.set(endpointId, (running.get(endpointId) ?? 0) + 1)
        started += 1
        begun.push(item)
      }
      waiting = left
      return begun
    },

    done({ endpointId }: T): void {
      const rest = (running.get(endpointId) ?? 0) - 1
      if (rest > 0) running.set(endpointId, rest)
      else running.delete(endpointId)
      started -= 1
    },

    /** Takes back what has not begun. */
    drop(): T[] {
      const dropped = waiting
      waiting = []
      return dropped
    },

    size: () => started + waiting.length,
  }
}

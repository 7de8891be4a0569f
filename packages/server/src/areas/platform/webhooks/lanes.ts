/**
 * Limits concurrency per endpoint and in total, and starts items in order of arrival. The others
 * wait, so that there is work while the next items are claimed.
 */
export function createLanes<T extends { endpointId: string }>(limits: {
  perEndpoint: number
  atOnce: number
}) {
  /** Queues by endpoint, oldest first; only the head of a queue can be next. */
  const waiting = new Map<string, Waiting<T>[]>()
  const running = new Map<string, number>()
  let arrived = 0
  let startedCount = 0
  let runningCount = 0

  const next = (): Waiting<T> | undefined => {
    let first: Waiting<T> | undefined
    for (const [endpointId, [own]] of waiting) {
      const isFree = (running.get(endpointId) ?? 0) < limits.perEndpoint
      if (isFree && own !== undefined && own.place < (first?.place ?? arrived)) first = own
    }
    return first
  }

  const take = ({ item: { endpointId } }: Waiting<T>): void => {
    const own = waiting.get(endpointId)
    own?.shift()
    if (own?.length === 0) waiting.delete(endpointId)
    running.set(endpointId, (running.get(endpointId) ?? 0) + 1)
    startedCount += 1
    runningCount += 1
  }

  return {
    add(items: readonly T[]): void {
      for (const item of items) {
        const own = waiting.get(item.endpointId)
        const last = { item, place: arrived }
        if (own === undefined) waiting.set(item.endpointId, [last])
        else own.push(last)
        arrived += 1
      }
    },

    /** Returns the items that can start now; call `done` for each when it has finished. */
    start(): T[] {
      const started: T[] = []
      while (runningCount < limits.atOnce) {
        const first = next()
        if (first === undefined) break
        take(first)
        started.push(first.item)
      }
      return started
    },

    done({ endpointId }: T): void {
      const rest = (running.get(endpointId) ?? 0) - 1
      if (rest > 0) running.set(endpointId, rest)
      else running.delete(endpointId)
      runningCount -= 1
    },

    /** Removes and returns the items that have not started, in order of arrival. */
    drop(): T[] {
      const dropped = [...waiting.values()].flat().sort((a, b) => a.place - b.place)
      waiting.clear()
      startedCount = arrived
      return dropped.map(({ item }) => item)
    },

    /** Number of items per endpoint, waiting or running. */
    held(): Map<string, number> {
      const held = new Map(running)
      for (const [endpointId, own] of waiting) {
        held.set(endpointId, (held.get(endpointId) ?? 0) + own.length)
      }
      return held
    },

    size: () => runningCount + arrived - startedCount,
  }
}

type Waiting<T> = { item: T; place: number }

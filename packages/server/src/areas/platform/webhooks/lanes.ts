/**
 * Who may be sent to now: so many at a time for each endpoint and over all, in the order in which
 * they came. The others wait, so that there is something to do while the next ones are fetched.
 */
export function createLanes<T extends { endpointId: string }>(limits: {
  perEndpoint: number
  atOnce: number
}) {
  /** By endpoint, the longest waiting first: of each only that one can be next. */
  const waiting = new Map<string, Waiting<T>[]>()
  const running = new Map<string, number>()
  let arrived = 0
  let begunCount = 0
  let started = 0

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
    begunCount += 1
    started += 1
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

    /** Those that may begin; each must be told as `done`. */
    begin(): T[] {
      const begun: T[] = []
      while (started < limits.atOnce) {
        const first = next()
        if (first === undefined) break
        take(first)
        begun.push(first.item)
      }
      return begun
    },

    done({ endpointId }: T): void {
      const rest = (running.get(endpointId) ?? 0) - 1
      if (rest > 0) running.set(endpointId, rest)
      else running.delete(endpointId)
      started -= 1
    },

    /** Takes back what has not begun, in the order in which it came. */
    drop(): T[] {
      const dropped = [...waiting.values()].flat().sort((a, b) => a.place - b.place)
      waiting.clear()
      begunCount = arrived
      return dropped.map(({ item }) => item)
    },

    /** How many there are of each endpoint, waiting or begun. */
    held(): Map<string, number> {
      const held = new Map(running)
      for (const [endpointId, own] of waiting) {
        held.set(endpointId, (held.get(endpointId) ?? 0) + own.length)
      }
      return held
    },

    size: () => started + arrived - begunCount,
  }
}

type Waiting<T> = { item: T; place: number }

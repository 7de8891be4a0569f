/** Numbers in an order that is kept while what they stand for changes. */
export type Ranking = {
  ordered(): Uint32Array
  /** These stand for something else now, or for nothing. */
  changed(numbers: Iterable<number>): void
}

type Comparing = (a: number, b: number) => number

/**
 * Put in order when it is asked for: most of the time most orders are not. INVARIANT: whatever
 * `compare` looks at changes only for numbers that are told of, so the others are still sorted.
 */
export function createRanking(compare: Comparing, isPresent: (number: number) => boolean): Ranking {
  let ordered = new Uint32Array(0)
  const pending = new Set<number>()
  return {
    changed(numbers) {
      for (const number of numbers) pending.add(number)
    },
    ordered() {
      if (pending.size > 0) {
        ordered = merge(
          without(ordered, pending),
          [...pending].filter(isPresent).sort(compare),
          compare,
        )
        pending.clear()
      }
      return ordered
    },
  }
}

/** As a loop: `filter` of a typed array takes several times as long. */
function without(numbers: Uint32Array, unwanted: ReadonlySet<number>): Uint32Array {
  const kept = new Uint32Array(numbers.length)
  let size = 0
  for (const number of numbers) {
    if (unwanted.has(number)) continue
    kept[size] = number
    size += 1
  }
  return kept.subarray(0, size)
}

/** Few are put in among many: looking for their places costs less than comparing with everyone. */
function merge(
  many: Uint32Array,
  few: readonly number[],
  compare: Comparing,
): Uint32Array<ArrayBuffer> {
  const merged = new Uint32Array(many.length + few.length)
  let from = 0
  for (const [before, number] of few.entries()) {
    const place = placeOf(number, many, { from, compare })
    merged.set(many.subarray(from, place), from + before)
    merged[place + before] = number
    from = place
  }
  merged.set(many.subarray(from), from + few.length)
  return merged
}

function placeOf(
  number: number,
  sorted: Uint32Array,
  { from, compare }: { from: number; compare: Comparing },
): number {
  let [low, high] = [from, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(sorted[middle] ?? 0, number) < 0) low = middle + 1
    else high = middle
  }
  return low
}

/** Slot numbers in sort order, kept up to date as entries change. */
export type Ranking = {
  ordered(): Uint32Array
  /** The entries in these slots were replaced or removed. */
  invalidate(numbers: Iterable<number>): void
}

type Comparator = (a: number, b: number) => number

/**
 * Sorts lazily, because most orders are rarely read. INVARIANT: the data behind `compare` changes
 * only for invalidated numbers, so the others stay sorted.
 */
export function createRanking(
  compare: Comparator,
  isPresent: (number: number) => boolean,
): Ranking {
  let ordered = new Uint32Array(0)
  const pending = new Set<number>()
  return {
    invalidate(numbers) {
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

/** A loop, because `filter` of a typed array takes several times as long. */
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

/** Inserts few into many: a binary search for each costs less than a linear merge. */
function merge(
  many: Uint32Array,
  few: readonly number[],
  compare: Comparator,
): Uint32Array<ArrayBuffer> {
  const merged = new Uint32Array(many.length + few.length)
  let from = 0
  for (const [before, number] of few.entries()) {
    const index = insertionIndex(number, many, { from, compare })
    merged.set(many.subarray(from, index), from + before)
    merged[index + before] = number
    from = index
  }
  merged.set(many.subarray(from), from + few.length)
  return merged
}

function insertionIndex(
  number: number,
  sorted: Uint32Array,
  { from, compare }: { from: number; compare: Comparator },
): number {
  let [low, high] = [from, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(sorted[middle] ?? 0, number) < 0) low = middle + 1
    else high = middle
  }
  return low
}

import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { BatcherFull, type BatcherOptions, BatcherStopped, createBatcher } from './batcher.ts'

type Options = Partial<BatcherOptions<number, number>>

/** Doubles each item and records the batches. */
function doubling(options: Options = {}) {
  const batches: (readonly number[])[] = []
  const failed: { err: unknown; items: readonly number[] }[] = []
  const batcher = createBatcher<number, number>({
    itemsMax: 3,
    ageMsMax: 0,
    run: async (items) => {
      batches.push(items)
      return items.map((item) => item * 2)
    },
    onFailure: (err, items) => failed.push({ err, items }),
    ...options,
  })
  return { ...batcher, batches, failed }
}

/** A run that ends only on request. */
function gate() {
  const releases: (() => void)[] = []
  return {
    run: (items: readonly number[]): Promise<readonly number[]> =>
      new Promise((resolve) => releases.push(() => resolve(items))),
    /** Ends the oldest run, once one has started. */
    async release(): Promise<void> {
      while (releases.length === 0) await new Promise(setImmediate)
      releases.shift()?.()
    },
    running: () => releases.length,
  }
}

afterEach(() => vi.useRealTimers())

describe('limits', () => {
  it('starts the first item immediately at age 0, and batches what arrives meanwhile', async () => {
    const { add, batches } = doubling({ itemsMax: 10 })
    expect(await Promise.all([add(1), add(2), add(3)])).toEqual([2, 4, 6])
    expect(batches).toEqual([[1], [2, 3]])
  })

  it('waits for the age limit of the oldest item, then runs one batch', async () => {
    vi.useFakeTimers()
    const { post, batches } = doubling({ ageMsMax: 50, itemsMax: 10 })
    post(1)
    vi.advanceTimersByTime(30)
    post(2)
    vi.advanceTimersByTime(19)
    expect(batches).toEqual([])
    vi.advanceTimersByTime(1)
    expect(batches).toEqual([[1, 2]])
  })

  it('runs all waiting items when an urgent one is due', () => {
    vi.useFakeTimers()
    const { post, batches } = doubling({ ageMsMax: 50, itemsMax: 10 })
    post(1)
    post(2, { ageMsMax: 2 })
    vi.advanceTimersByTime(2)
    expect(batches).toEqual([[1, 2]])
  })

  it('starts a full batch without waiting', () => {
    vi.useFakeTimers()
    const { post, batches } = doubling({ ageMsMax: 1000, itemsMax: 3 })
    for (const item of [1, 2, 3, 4]) post(item)
    expect(batches).toEqual([[1, 2, 3]])
  })

  it('limits a batch by weight, and runs an item heavier than the limit alone', async () => {
    vi.useFakeTimers()
    const weight = { of: (item: number) => item, max: 10 }
    const { post, flush, batches } = doubling({
      ageMsMax: 1000,
      itemsMax: 100,
      concurrency: 9,
      weight,
    })
    for (const item of [4, 5]) post(item)
    expect(batches).toEqual([])
    for (const item of [3, 40, 2]) post(item)
    flush()
    expect(batches).toEqual([[4, 5], [3], [40], [2]])
  })

  it('never mixes groups in a batch', () => {
    vi.useFakeTimers()
    const { post, flush, batches } = doubling({
      ageMsMax: 1000,
      itemsMax: 10,
      concurrency: 9,
      groupOf: (item) => item % 2,
    })
    for (const item of [1, 3, 2, 4, 5]) post(item)
    flush()
    expect(batches).toEqual([[1, 3], [2, 4], [5]])
  })

  it('runs more batches concurrently while a full one is waiting', () => {
    const held = gate()
    const { post } = doubling({
      run: held.run,
      itemsMax: 2,
      concurrency: 1,
      concurrencyFull: 2,
    })
    post(1)
    post(2)
    expect(held.running()).toBe(1)
    post(3)
    expect(held.running()).toBe(2)
    for (const item of [4, 5]) post(item)
    expect(held.running()).toBe(2)
  })
})

describe('failure', () => {
  it('fails only the items at fault', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ item: fc.nat(99), isBad: fc.boolean() }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 8 }),
        async (given, itemsMax) => {
          const bad = new Set(given.flatMap(({ isBad }, at) => (isBad ? [at] : [])))
          const { add, failed } = doubling({
            itemsMax,
            run: async (items) => {
              if (items.some((at) => bad.has(at))) throw new Error('bad')
              return items.map((at) => at * 2)
            },
          })
          const outcomes = await Promise.allSettled(given.map((_, at) => add(at)))
          outcomes.forEach((outcome, at) => {
            if (bad.has(at)) expect(outcome.status).toBe('rejected')
            else expect(outcome).toEqual({ status: 'fulfilled', value: at * 2 })
          })
          expect(failed.flatMap(({ items }) => items).sort((a, b) => a - b)).toEqual([...bad])
        },
      ),
    )
  })

  it('fails a whole batch without splitting it if every part would get the same error', async () => {
    let runs = 0
    const { add, flush, failed } = doubling({
      ageMsMax: 1000,
      failTogether: () => true,
      run: async () => {
        runs += 1
        throw new Error('down')
      },
    })
    const added = Promise.allSettled([add(1), add(2)])
    flush()
    expect((await added).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(runs).toBe(1)
    expect(failed).toMatchObject([{ items: [1, 2] }])
  })

  it('rejects a run that does not return a result for every item', async () => {
    const { add } = doubling({ run: async () => [] })
    await expect(add(1)).rejects.toThrow('gave 0 results')
  })

  it('reports the failure of a posted item', async () => {
    const { post, stop, failed } = doubling({ run: () => Promise.reject(new Error('no')) })
    post(1)
    await stop()
    expect(failed).toMatchObject([{ items: [1], err: { message: 'no' } }])
  })
})

describe('units', () => {
  it('run in one batch, whole or not at all, and keep the order of all items', async () => {
    const unit = fc.record({ size: fc.integer({ min: 1, max: 7 }), isBad: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.array(unit, { maxLength: 12 }),
        fc.integer({ min: 1, max: 8 }),
        async (units, itemsMax) => {
          let next = 0
          const given = units.map(({ size }) => Array.from({ length: size }, () => next++))
          const bad = new Set(units.flatMap(({ isBad }, at) => (isBad ? given[at]?.[0] : [])))
          const stored: (readonly number[])[] = []
          const { addAll, add } = doubling({
            itemsMax,
            run: async (items) => {
              if (items.some((item) => bad.has(item))) throw new Error('bad')
              stored.push(items)
              return items.map((item) => item * 2)
            },
          })
          const outcomes = await Promise.allSettled(
            given.map((items) =>
              items.length === 1 ? add(items[0] ?? 0).then((one) => [one]) : addAll(items),
            ),
          )
          outcomes.forEach((outcome, at) => {
            const items = given[at] ?? []
            const batches = stored.filter((batch) => batch.some((item) => items.includes(item)))
            if (units[at]?.isBad) {
              expect(outcome.status).toBe('rejected')
              expect(batches).toEqual([])
            } else {
              expect(outcome).toEqual({
                status: 'fulfilled',
                value: items.map((item) => item * 2),
              })
              expect(batches).toHaveLength(1)
            }
          })
          const all = stored.flat()
          expect(all).toEqual([...all].sort((a, b) => a - b))
          for (const batch of stored) {
            const owners = new Set(given.filter((items) => items.includes(batch[0] ?? -1)))
            expect(batch.length <= itemsMax || owners.size === 1).toBe(true)
          }
        },
      ),
    )
  })

  it('need no run without items', async () => {
    const { addAll, batches } = doubling()
    expect(await addAll([])).toEqual([])
    expect(batches).toEqual([])
  })
})

describe('back-pressure', () => {
  it('rejects items beyond the limit, and accepts new ones when there is room', async () => {
    const held = gate()
    const { add, post, failed, pending } = doubling({ run: held.run, itemsMax: 1, waitingMax: 2 })
    const first = add(1)
    const [second, third] = [add(2), add(3)]
    await expect(add(4)).rejects.toThrow(BatcherFull)
    post(5)
    expect(failed.map(({ items }) => items)).toEqual([[4], [5]])
    expect(pending()).toBe(3)
    await held.release()
    await first
    post(6)
    await held.release()
    await second
    await held.release()
    await third
    expect(failed).toHaveLength(2)
  })
})

describe('stop', () => {
  it('runs the waiting items, then rejects new ones', async () => {
    const { add, stop, batches } = doubling({ ageMsMax: 60_000 })
    const added = [1, 2, 3, 4].map((item) => add(item))
    await stop()
    expect(await Promise.all(added)).toEqual([2, 4, 6, 8])
    expect(batches).toEqual([[1, 2, 3], [4]])
    await expect(add(5)).rejects.toThrow(BatcherStopped)
  })

  it('has run synchronously when flush returns, with unlimited concurrency', () => {
    const { post, flush, batches } = doubling({
      ageMsMax: 60_000,
      concurrency: Number.POSITIVE_INFINITY,
      keepsProcessAlive: false,
    })
    post(1)
    flush()
    expect(batches).toEqual([[1]])
  })
})

describe('order', () => {
  it('keeps arrival order, returns the result of each item, and respects every limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ weight: fc.nat(6), pause: fc.boolean() }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 3 }),
        async (given, itemsMax, max, concurrency) => {
          const weightOf = (at: number) => given[at]?.weight ?? 0
          let running = 0
          const { add, stop, batches } = doubling({
            itemsMax,
            concurrency,
            weight: { of: weightOf, max },
            run: async (items) => {
              batches.push(items)
              running += 1
              expect(running).toBeLessThanOrEqual(concurrency)
              await new Promise(setImmediate)
              running -= 1
              return items.map((item) => item * 2)
            },
          })
          const added: Promise<number>[] = []
          for (const [at, { pause }] of given.entries()) {
            added.push(add(at))
            if (pause) await new Promise(setImmediate)
          }
          await stop()
          expect(await Promise.all(added)).toEqual(given.map((_, at) => at * 2))
          expect(batches.flat()).toEqual(given.map((_, at) => at))
          for (const batch of batches) {
            expect(batch.length).toBeLessThanOrEqual(itemsMax)
            const total = batch.reduce((sum, at) => sum + weightOf(at), 0)
            if (batch.length > 1) expect(total).toBeLessThanOrEqual(max)
          }
        },
      ),
    )
  })
})

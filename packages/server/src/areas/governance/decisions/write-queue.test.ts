import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createWriteQueue } from './write-queue.ts'

const DOWN = new Error('down')

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A database that can be down and rejects the batches named bad. */
function database() {
  const stored: string[] = []
  const rejected: unknown[] = []
  const state = { isDown: false }
  const queue = createWriteQueue<string>({
    async write(batches) {
      if (state.isDown) throw DOWN
      if (batches.includes('bad')) throw new Error('bad')
      stored.push(...batches)
    },
    sizeOf: (batch) => batch.length,
    isDown: (err) => err === DOWN,
    onError: (err) => rejected.push(err),
    delayMs: 20,
    retryMs: 1000,
    batchesMax: 3,
  })
  return { ...queue, stored, rejected, state }
}

describe('the queue of decisions to store', () => {
  it('stores batches after a short delay', async () => {
    const { add, stored, waiting } = database()
    add('one')
    add('three')
    expect(waiting()).toBe(8)
    await vi.advanceTimersByTimeAsync(19)
    expect(stored).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(stored).toEqual(['one', 'three'])
    expect(waiting()).toBe(0)
  })

  it('keeps batches while the database is down, and stores them in order when it is up', async () => {
    const { add, stored, waiting, isDown, state } = database()
    state.isDown = true
    for (const batch of ['a', 'b', 'c', 'd', 'e']) add(batch)
    await vi.advanceTimersByTimeAsync(5000)
    expect(isDown()).toBe(true)
    expect(waiting()).toBe(5)
    add('f')
    state.isDown = false
    await vi.advanceTimersByTimeAsync(1000)
    expect(stored).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(isDown()).toBe(false)
  })

  it('reports a batch that is rejected, and stores the others', async () => {
    const { add, stored, rejected, waiting } = database()
    for (const batch of ['a', 'bad', 'c', 'd']) add(batch)
    await vi.advanceTimersByTimeAsync(20)
    expect(stored).toEqual(['a', 'c', 'd'])
    expect(rejected).toHaveLength(1)
    expect(waiting()).toBe(0)
  })

  it('stores every batch exactly once, in order, however often the database goes down', async () => {
    const step = fc.oneof(
      fc.constant('add' as const),
      fc.constant('down' as const),
      fc.constant('up' as const),
      fc.constant('wait' as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { add, stop, stored, state } = database()
        let next = 0
        for (const one of steps) {
          if (one === 'add') add(`batch-${next++}`)
          else if (one === 'wait') await vi.advanceTimersByTimeAsync(500)
          else state.isDown = one === 'down'
        }
        state.isDown = false
        await stop()
        expect(stored).toEqual(Array.from({ length: next }, (_, at) => `batch-${at}`))
      }),
    )
  })
})

import { expect, it, vi } from 'vitest'
import { createDeferred } from './deferred-service.ts'

/** As the database driver says that it cannot connect. */
const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

it('repeats work while the database is away, in order, and no other failures', async () => {
  const errors: unknown[] = []
  const done: string[] = []
  let isAway = true
  const work = (name: string) => async () => {
    if (isAway) throw away()
    done.push(name)
  }
  const deferred = createDeferred({ onError: (err) => errors.push(err), retryMs: 5 })
  await deferred.run(work('a'))
  await deferred.run(work('b'))
  await deferred.run(async () => {
    throw new Error('invalid')
  })
  await vi.waitFor(() => expect(errors.length).toBeGreaterThan(4))
  expect(done).toEqual([])
  isAway = false
  await vi.waitFor(() => expect(done).toEqual(['a', 'b']))
  await deferred.drain()
  expect(done).toEqual(['a', 'b'])
})

it('tries once more before the process stops', async () => {
  let attempts = 0
  const deferred = createDeferred({ onError: () => undefined, retryMs: 60_000 })
  await deferred.run(async () => {
    attempts += 1
    throw away()
  })
  await deferred.drain()
  expect(attempts).toBe(2)
})

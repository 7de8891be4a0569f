import { expect, it } from 'vitest'
import { createOpenCalls } from './open-calls.ts'

it('returns an open call once', () => {
  const calls = createOpenCalls<string>()
  calls.open('a', 'first')
  expect(calls.find('a')).toBe('first')
  expect(calls.take('a')).toBe('first')
  expect(calls.take('a')).toBe(undefined)
})

it('forgets the oldest call beyond its limit', () => {
  const calls = createOpenCalls<number>(2)
  for (const [place, id] of ['a', 'b', 'c'].entries()) calls.open(id, place)
  expect(['a', 'b', 'c'].map(calls.find)).toEqual([undefined, 1, 2])
})

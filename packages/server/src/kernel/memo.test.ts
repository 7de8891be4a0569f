import { expect, it } from 'vitest'
import { createMemo } from './memo.ts'

it('finds a text once, until there are too many', () => {
  const asked: string[] = []
  const lengthOf = createMemo(2, (text) => {
    asked.push(text)
    return text.length
  })
  expect(['a', 'bb', 'a', 'bb'].map(lengthOf)).toEqual([1, 2, 1, 2])
  expect(asked).toEqual(['a', 'bb'])
  expect(['ccc', 'a'].map(lengthOf)).toEqual([3, 1])
  expect(asked).toEqual(['a', 'bb', 'ccc', 'a'])
})

it('asks again what could not be found', () => {
  let isThere = false
  const find = createMemo(2, () => {
    if (!isThere) throw new Error('not yet')
    return 'found'
  })
  expect(() => find('a')).toThrow('not yet')
  isThere = true
  expect(find('a')).toBe('found')
})

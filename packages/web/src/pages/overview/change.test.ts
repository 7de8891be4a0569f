import { describe, expect, it } from 'vitest'
import { changeOf } from './change.ts'

describe('the change since the period before', () => {
  it.each([
    [0, 0, undefined],
    [3, 0, { text: 'none before', direction: 'up' }],
    [3, 3, { text: 'no change', direction: 'same' }],
    [1000, 1001, { text: 'no change', direction: 'same' }],
    [150, 100, { text: '+50%', direction: 'up' }],
    [0, 40, { text: '−100%', direction: 'down' }],
    [1200, 100, { text: '×12', direction: 'up' }],
  ] as const)('of %i after %i', (now, before, expected) => {
    expect(changeOf(now, before)).toEqual(expected)
  })
})

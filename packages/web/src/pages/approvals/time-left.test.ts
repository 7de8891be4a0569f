import { describe, expect, it } from 'vitest'
import { timeLeft } from './time-left.ts'

const NOW = new Date('2026-11-18T12:00:00.000Z')

describe('the time left', () => {
  it.each([
    ['2026-11-18T12:00:00.000Z', 'Expired'],
    ['2026-11-18T11:00:00.000Z', 'Expired'],
    ['2026-11-18T12:00:59.000Z', 'Less than a minute left'],
    ['2026-11-18T12:01:30.000Z', '1 minute left'],
    ['2026-11-18T13:59:59.000Z', '119 minutes left'],
    ['2026-11-18T14:00:00.000Z', '2 hours left'],
    ['2026-11-19T11:59:00.000Z', '23 hours left'],
  ])('until %s: %s', (until, expected) => {
    expect(timeLeft(until, NOW)).toBe(expected)
  })
})

import { describe, expect, it } from 'vitest'
import { filtersIn, isFiltered, readDecisionSearch } from './search.ts'

describe('the filters in the URL', () => {
  it('accept one decision or several, in a fixed order', () => {
    expect(readDecisionSearch({ decision: 'block' }).decision).toEqual(['block'])
    expect(readDecisionSearch({ decision: ['block', 'warn'] }).decision).toEqual(['warn', 'block'])
  })

  it('drop unknown words, so that the request stays valid', () => {
    const found = readDecisionSearch({
      decision: ['maybe'],
      source: 'fax',
      outcome: 'lost',
      from: 'yesterday',
      tool: '',
    })
    expect(Object.values(found).every((value) => value === undefined)).toBe(true)
  })

  it('keep numeric ids as text', () => {
    expect(readDecisionSearch({ call_id: 42 }).call_id).toBe('42')
  })

  it('do not include the page', () => {
    expect(isFiltered(readDecisionSearch({ cursor: 'abc' }))).toBe(false)
    expect(isFiltered(readDecisionSearch({ cursor: 'abc', tool: 'mcp__*' }))).toBe(true)
  })
})

describe('the time range of the console', () => {
  const NOW = new Date('2026-11-18T12:00:00.000Z')
  const FIXED = { from: '2026-11-01T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' }

  it('limits the list, with an open end if it ends now', () => {
    expect(filtersIn({ tool: 'shell' }, '24h', NOW)).toEqual({
      tool: 'shell',
      from: '2026-11-17T12:00:00.000Z',
    })
    expect(filtersIn({}, FIXED, NOW)).toEqual(FIXED)
    expect(filtersIn({}, undefined, NOW)).toEqual({})
  })

  it('gives way to times of the list', () => {
    expect(filtersIn({ to: FIXED.to }, '24h', NOW)).toEqual({ to: FIXED.to })
  })
})

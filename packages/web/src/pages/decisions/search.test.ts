import { describe, expect, it } from 'vitest'
import { fromLocalInput, isFiltered, readDecisionSearch, toLocalInput } from './search.ts'

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

describe('a time filter', () => {
  it('survives the input in the time zone of the reader', () => {
    const at = '2026-11-18T14:35:00.000Z'
    expect(fromLocalInput(toLocalInput(at))).toBe(at)
    expect(toLocalInput(undefined)).toBe('')
    expect(fromLocalInput('')).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { componentsOf, toolsOf } from './trace.ts'

const action = { type: 'execute', name: 'search', category: 'bounded' } as const

describe('toolsOf', () => {
  it('returns the named tools, else the executed action', () => {
    expect(toolsOf({ action })).toEqual(['search'])
    expect(toolsOf({ action: { ...action, type: 'recommend' } })).toEqual([])
    expect(toolsOf({ action, tools: [] })).toEqual([])
    expect(toolsOf({ action: { ...action, type: 'deny' }, tools: ['t'] })).toEqual(['t'])
  })
})

describe('componentsOf', () => {
  it('splits at a comma followed by a space only', () => {
    expect(componentsOf('search, compare')).toEqual(['search', 'compare'])
    expect(componentsOf('search,compare')).toEqual(['search,compare'])
  })
})

import { describe, expect, it } from 'vitest'
import {
  addView,
  deleteView,
  NAME_LENGTH_MAX,
  nameProblem,
  readViews,
  renameView,
  VIEWS_MAX,
  viewOf,
} from './saved-views.ts'

const BLOCKED = { name: 'Blocked mail', filters: { decision: ['block' as const], tool: 'mail*' } }
const HOOKS = { name: 'Hooks', filters: { source: 'hook' as const } }

describe('saved views', () => {
  it('survive being stored', () => {
    const views = addView(addView([], BLOCKED), HOOKS)
    expect(readViews(JSON.stringify(views))).toEqual([BLOCKED, HOOKS])
  })

  it('are read without what is no view, and without unknown filters', () => {
    const stored = [
      { name: 'Old', filters: { tool: 't', colour: 'red', source: 'fax' } },
      { name: ' ', filters: {} },
      { name: 'No filters' },
      'text',
    ]
    expect(readViews(JSON.stringify(stored))).toEqual([{ name: 'Old', filters: { tool: 't' } }])
    expect(readViews('{')).toEqual([])
    expect(readViews(null)).toEqual([])
  })

  it('are bounded in number and length', () => {
    const many = Array.from({ length: VIEWS_MAX + 5 }, (_, n) => ({ ...HOOKS, name: `view ${n}` }))
    const views = readViews(JSON.stringify(many))
    expect(views).toHaveLength(VIEWS_MAX)
    expect(nameProblem(views, 'One more')).toContain(String(VIEWS_MAX))
    expect(nameProblem(views, 'Renamed', 'view 1')).toBeUndefined()
    expect(addView([], { ...HOOKS, name: 'x'.repeat(99) })[0]?.name).toHaveLength(NAME_LENGTH_MAX)
  })

  it('have a name of their own', () => {
    expect(nameProblem([BLOCKED], '  ')).toBe('Enter a name.')
    expect(nameProblem([BLOCKED, HOOKS], ' Hooks ')).toBe('Another view has this name.')
    expect(nameProblem([], 'All decisions')).toBe('Another view has this name.')
    expect(nameProblem([BLOCKED, HOOKS], 'Hooks', 'Hooks')).toBeUndefined()
  })

  it('are renamed and deleted', () => {
    expect(renameView([BLOCKED, HOOKS], 'Hooks', 'Guards')).toEqual([
      BLOCKED,
      { ...HOOKS, name: 'Guards' },
    ])
    expect(deleteView([BLOCKED, HOOKS], 'Blocked mail')).toEqual([HOOKS])
  })

  it('are recognised by their filters, whatever their order', () => {
    expect(viewOf([HOOKS, BLOCKED], { tool: 'mail*', decision: ['block'] })).toEqual(BLOCKED)
    expect(viewOf([HOOKS, BLOCKED], { tool: 'mail*' })).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import type { Entry, Group } from './entry.ts'
import { findEntries } from './find-entries.ts'

const entry = (group: Group, label: string, more: Partial<Entry> = {}): Entry => ({
  key: `${group} ${label}`,
  group,
  label,
  act: '/',
  ...more,
})

const ENTRIES = [
  entry('Pages', 'Agents'),
  entry('Pages', 'Audit log', { detail: 'Settings' }),
  entry('Agents', 'Travel agent', { words: 'trip-7' }),
  entry('Agents', 'Agent of the night'),
  entry('Agents', 'Café guide'),
  entry('Actions', 'Register agent'),
]

const labels = (query: string) => findEntries(ENTRIES, query).map(({ label }) => label)

describe('findEntries', () => {
  it('finds every word of the query, in the label, its detail or its hidden words', () => {
    expect(labels('audit')).toEqual(['Audit log'])
    expect(labels('settings log')).toEqual(['Audit log'])
    expect(labels('TRIP-7')).toEqual(['Travel agent'])
    expect(labels('audit agent')).toEqual([])
  })

  it('keeps the order of the groups, and ranks the beginning of a label first', () => {
    expect(labels('agent')).toEqual([
      'Agents',
      'Agent of the night',
      'Travel agent',
      'Register agent',
    ])
  })

  it('ignores accents and case, in the query too', () => {
    expect(labels('cafe')).toEqual(['Café guide'])
    expect(labels('CAFÉ')).toEqual(['Café guide'])
  })

  it('finds everything without a query, but not more than eight of a group', () => {
    expect(labels('  ')).toEqual(ENTRIES.map(({ label }) => label))
    const many = Array.from({ length: 50 }, (_, n) => entry('Agents', `Agent ${n}`))
    expect(findEntries([...many, ...ENTRIES], 'agent').map(({ group }) => group)).toEqual([
      'Pages',
      ...Array(8).fill('Agents'),
      'Actions',
    ])
  })
})

import { readToolDefinition } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { resolveChange, type ToolPin, withoutDuplicates } from './tool-pin.ts'

const toolOf = (name: string, description: string) => {
  const read = readToolDefinition('shop', { name, description, input_schema: {} })
  if (!read.ok) throw new Error(read.reason)
  return read.tool
}

describe('withoutDuplicates', () => {
  it('keeps equal duplicates once and stores different ones in a second group', () => {
    const [a, other, b] = [toolOf('a', '1'), toolOf('a', '2'), toolOf('b', '1')]
    expect(withoutDuplicates([a, b, a])).toEqual([[a, b]])
    expect(withoutDuplicates([a, other, b, toolOf('a', '3')])).toEqual([[a, b], [toolOf('a', '3')]])
    expect(withoutDuplicates([])).toEqual([])
  })
})

describe('resolveChange', () => {
  const [pinnedAt, seenAt, now] = [new Date(1), new Date(2), new Date(3)]
  const pin: ToolPin = {
    server: 'shop',
    tool: 'refund',
    definition: '{"old":1}',
    sha256: 'old',
    pinnedAt,
    pinnedBy: null,
    change: { definition: '{"new":1}', sha256: 'new', seenAt },
  }

  it('pins the changed definition', () => {
    expect(resolveChange(pin, { sha256: 'new', by: 'user-1', now })).toEqual({
      outcome: 'pinned',
      isChanged: true,
      pin: {
        ...pin,
        definition: '{"new":1}',
        sha256: 'new',
        pinnedAt: now,
        pinnedBy: 'user-1',
        change: null,
      },
    })
  })

  it('keeps the pinned definition', () => {
    expect(resolveChange(pin, { sha256: 'old', by: 'user-1', now })).toEqual({
      outcome: 'pinned',
      isChanged: false,
      pin: { ...pin, change: null },
    })
  })

  it('refuses a definition that has changed again meanwhile', () => {
    expect(resolveChange(pin, { sha256: 'older', by: 'user-1', now })).toEqual({ outcome: 'stale' })
  })
})

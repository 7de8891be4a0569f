import { describe, expect, it } from 'vitest'
import { countRules, topOf } from './top-counts.ts'

const because = (...messages: string[]) => ({
  reasons: messages.map((message) => ({
    code: 'forbidden',
    source: 'policy' as const,
    tool: 'shell',
    severity: null,
    message,
  })),
})

describe('the top of what was blocked', () => {
  it('counts the reason that decided, also if it is named like a property of an object', () => {
    const counts = countRules([
      because('No shell', 'No night shift'),
      because('No shell'),
      because('constructor'),
      because(),
    ])
    expect(topOf(counts)).toEqual([
      { key: 'No shell', count: 2 },
      { key: 'Without a reason', count: 1 },
      { key: 'constructor', count: 1 },
    ])
  })

  it('has six places', () => {
    const counts = Object.fromEntries('abcdefgh'.split('').map((key, at) => [key, at]))
    expect(topOf(counts).map(({ key }) => key)).toEqual(['h', 'g', 'f', 'e', 'd', 'c'])
  })
})

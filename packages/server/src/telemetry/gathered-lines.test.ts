import { describe, expect, it, vi } from 'vitest'
import { gatherLines } from './gathered-lines.ts'

function gathered() {
  const written: string[] = []
  return { written, ...gatherLines({ write: (text) => written.push(text) }) }
}

describe('lines of a log', () => {
  it('are written together, in their order, when somebody asks for it', () => {
    const { written, write, flushSync } = gathered()
    write('one\n')
    write('two\n')
    expect(written).toEqual([])
    flushSync()
    flushSync()
    expect(written).toEqual(['one\ntwo\n'])
  })

  it('are written once there are many', () => {
    const { written, write } = gathered()
    for (let count = 0; count < 200; count += 1) write(`${'x'.repeat(99)}\n`)
    expect(written).toHaveLength(1)
    expect(written[0]?.length).toBeGreaterThanOrEqual(16_384)
  })

  it('are written after a while, however few', () => {
    vi.useFakeTimers()
    const { written, write } = gathered()
    write('alone\n')
    vi.advanceTimersByTime(200)
    expect(written).toEqual(['alone\n'])
    vi.useRealTimers()
  })
})

import { describe, expect, it, vi } from 'vitest'
import { batchLines } from './log-lines.ts'

function batched() {
  const written: string[] = []
  return { written, ...batchLines({ write: (text) => written.push(text) }) }
}

describe('log lines', () => {
  it('are written as a batch, in order, by a flush', () => {
    const { written, write, flushSync } = batched()
    write('one\n')
    write('two\n')
    expect(written).toEqual([])
    flushSync()
    flushSync()
    expect(written).toEqual(['one\ntwo\n'])
  })

  it('are written when the batch is full', () => {
    const { written, write } = batched()
    for (let count = 0; count < 200; count += 1) write(`${'x'.repeat(99)}\n`)
    expect(written).toHaveLength(1)
    expect(written[0]?.length).toBeGreaterThan(16_000)
  })

  it('are written after a delay, however few', () => {
    vi.useFakeTimers()
    const { written, write } = batched()
    write('alone\n')
    vi.advanceTimersByTime(200)
    expect(written).toEqual(['alone\n'])
    vi.useRealTimers()
  })
})

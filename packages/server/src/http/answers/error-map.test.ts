import { describe, expect, it } from 'vitest'
import { BatcherFull, BatcherStopped } from '../../kernel/batcher.ts'
import { toProblem } from './error-map.ts'

describe('toProblem', () => {
  it.each([
    new BatcherFull('10000 items are waiting already'),
    new BatcherStopped('the batcher has stopped'),
  ])('asks callers to retry what $name refused', (err) => {
    expect(toProblem(err, 'req-1')).toMatchObject({
      code: 'unavailable',
      headers: { 'retry-after': '5' },
    })
  })
})

import { describe, expect, it } from 'vitest'
import { evaluationOf, NOW } from './evaluation.fixture.ts'
import { createHistoryTally, rangeFault } from './history-tally.ts'

const DAY_MS = 86_400_000
const range = (ms: number) => ({ start: NOW, end: new Date(NOW.getTime() + ms) })

describe('a range of time', () => {
  it('must be longer than zero and at most 30 days', () => {
    expect(rangeFault(range(0))).toBe('empty')
    expect(rangeFault(range(-1))).toBe('empty')
    expect(rangeFault(range(1))).toBeUndefined()
    expect(rangeFault(range(30 * DAY_MS))).toBeUndefined()
    expect(rangeFault(range(30 * DAY_MS + 1))).toBe('too_long')
  })
})

describe('a history', () => {
  it('without traces passes', () => {
    expect(createHistoryTally().result()).toEqual({
      tracesEvaluated: 0,
      verdict: 'pass',
      violationCount: 0,
      violations: [],
      summary: { pass: 0, warn: 0, fail: 0 },
    })
  })

  it('has the worst verdict and counts traces by verdict', () => {
    const tally = createHistoryTally()
    tally.add({ traceId: 'tr-1', occurredAt: NOW }, evaluationOf())
    tally.add({ traceId: 'tr-2', occurredAt: NOW }, { ...evaluationOf(), verdict: 'warn' })
    expect(tally.result()).toMatchObject({ verdict: 'warn', tracesEvaluated: 2 })
    tally.add({ traceId: 'tr-3', occurredAt: NOW }, evaluationOf('a', 'b'))
    const result = tally.result()
    expect(result).toMatchObject({ verdict: 'fail', summary: { pass: 1, warn: 1, fail: 1 } })
    expect(result.violations).toMatchObject([
      { traceId: 'tr-3', occurredAt: NOW, tool: 'a' },
      { traceId: 'tr-3', tool: 'b' },
    ])
  })

  it('counts all violations and lists the first 1,000', () => {
    const tally = createHistoryTally()
    const tools = Array.from({ length: 400 }, (_, n) => `tool-${n}`)
    for (const traceId of ['tr-1', 'tr-2', 'tr-3']) {
      tally.add({ traceId, occurredAt: NOW }, evaluationOf(...tools))
    }
    const { violationCount, violations } = tally.result()
    expect(violationCount).toBe(1200)
    expect(violations).toHaveLength(1000)
    expect(violations.at(-1)).toMatchObject({ traceId: 'tr-3', tool: 'tool-199' })
  })
})

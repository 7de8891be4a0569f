import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { VERDICTS } from '../analysis/concern.ts'
import {
  summariseWindow,
  type WindowEntry,
  windowAfter,
  windowBefore,
  windowContext,
  windowPosition,
} from './window.ts'

const START = Date.parse('2026-03-01T00:00:00Z')
const entry = (second: number, verdict: WindowEntry['verdict'] = 'clear'): WindowEntry => ({
  checkpointId: `ic-${second}`,
  timestamp: new Date(START + second * 1000),
  verdict,
  reasoningSummary: `at ${second}`,
})
const ids = (window: readonly WindowEntry[]) => window.map((one) => one.checkpointId)

describe('the window', () => {
  it('is empty for a new session and then has one member', () => {
    expect(windowBefore([], new Date(START))).toEqual([])
    const window = windowAfter([], entry(0))
    expect(windowPosition(window)).toEqual({ index: 0, window_size: 1 })
  })

  it('keeps a checkpoint that is exactly an hour old and drops older ones', () => {
    const earlier = [entry(0), entry(1)]
    expect(ids(windowBefore(earlier, new Date(START + 3_600_000)))).toEqual(['ic-0', 'ic-1'])
    expect(ids(windowBefore(earlier, new Date(START + 3_600_001)))).toEqual(['ic-1'])
  })

  it('drops the oldest beyond ten', () => {
    const earlier = Array.from({ length: 10 }, (_, i) => entry(i))
    expect(ids(windowBefore(earlier, new Date(START + 10_000)))).toHaveLength(10)
    const after = windowAfter(earlier, entry(10))
    expect(ids(after)[0]).toBe('ic-1')
    expect(windowPosition(after)).toEqual({ index: 9, window_size: 10 })
  })

  it('puts the new checkpoint last, whatever its timestamp', () => {
    expect(ids(windowAfter([entry(50)], entry(10)))).toEqual(['ic-50', 'ic-10'])
  })

  it('holds at most ten, none more than an hour older, in chain order', () => {
    const entries = fc
      .array(fc.nat({ max: 9000 }), { maxLength: 30 })
      .map((all) => all.map((s) => entry(s)))
    fc.assert(
      fc.property(entries, fc.nat({ max: 9000 }), (earlier, second) => {
        const arriving = entry(second)
        const window = windowAfter(earlier, arriving)
        expect(window.length).toBeGreaterThan(0)
        expect(window.length).toBeLessThanOrEqual(10)
        expect(window.at(-1)).toBe(arriving)
        for (const one of window) {
          expect(arriving.timestamp.getTime() - one.timestamp.getTime()).toBeLessThanOrEqual(
            3_600_000,
          )
        }
        const order = window.slice(0, -1).map((one) => earlier.indexOf(one))
        expect(order).toEqual([...order].sort((a, b) => a - b))
      }),
    )
  })
})

describe('windowContext', () => {
  it('is the form that analyser and commitment use', () => {
    expect(windowContext([entry(3, 'review_needed')])).toEqual([
      { checkpoint_id: 'ic-3', verdict: 'review_needed', reasoning_summary: 'at 3' },
    ])
  })
})

describe('summariseWindow', () => {
  it('counts as in the example', () => {
    const window = [entry(1), entry(2), entry(3), entry(4, 'boundary_violation')]
    expect(summariseWindow(window)).toEqual({
      size: 4,
      maxSize: 10,
      verdicts: { clear: 3, review_needed: 0, boundary_violation: 1 },
      integrityRatio: 0.75,
    })
    expect(summariseWindow([]).integrityRatio).toBe(1)
  })

  it('counts every member once', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...VERDICTS), { maxLength: 10 }), (verdicts) => {
        const summary = summariseWindow(verdicts.map((verdict) => ({ verdict })))
        const { clear, review_needed, boundary_violation } = summary.verdicts
        expect(clear + review_needed + boundary_violation).toBe(summary.size)
        expect(summary.integrityRatio).toBeGreaterThanOrEqual(0)
        expect(summary.integrityRatio).toBeLessThanOrEqual(1)
      }),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toDecisionId } from '../../../kernel/ids.ts'
import {
  BUCKETS,
  bucketOf,
  countRows,
  type Delta,
  deltasOf,
  emptyHistogram,
  limitTools,
  OTHER,
  percentile,
  startOf,
  TOOLS_MAX,
} from './counter.ts'
import { decisionOf } from './decisions.fixture.ts'

const NOON = new Date('2026-03-01T12:34:56.789Z')

const deltaOf = (over: Partial<Delta> = {}): Delta => ({
  orgId: 'org-1',
  agentId: 'agent-1',
  tool: 'refund',
  decision: 'allow',
  source: 'api',
  minute: startOf('minute', NOON),
  durations: [3],
  ...over,
})

describe('the histogram of durations', () => {
  it('has ascending buckets', () => {
    expect(bucketOf(0)).toBe(0)
    expect(bucketOf(0.0099)).toBe(0)
    expect(bucketOf(0.01)).toBe(1)
    expect(bucketOf(0.02)).toBe(4)
    expect(bucketOf(1e9)).toBe(BUCKETS - 1)
    const ms = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(ms, ms, (a, b) => {
        expect(bucketOf(Math.min(a, b))).toBeLessThanOrEqual(bucketOf(Math.max(a, b)))
      }),
    )
  })

  it('gives percentiles within 13 % of the exact ones', () => {
    const durations = fc.array(fc.double({ min: 0.01, max: 16_000, noNaN: true }), { minLength: 1 })
    fc.assert(
      fc.property(durations, fc.constantFrom(0.5, 0.99), (all, share) => {
        const histogram = emptyHistogram()
        for (const one of all) histogram[bucketOf(one)] = (histogram[bucketOf(one)] ?? 0) + 1
        const sorted = [...all].sort((a, b) => a - b)
        const exact = sorted[Math.ceil(all.length * share) - 1] ?? 0
        const ratio = (percentile(histogram, share) ?? 0) / exact
        expect(ratio).toBeGreaterThan(1 / 1.13)
        expect(ratio).toBeLessThan(1.13)
      }),
    )
    expect(percentile(emptyHistogram(), 0.5)).toBeNull()
  })
})

describe('counts', () => {
  it('have one delta per series and minute of a batch', () => {
    const record = (at: number, over = {}) => ({
      ...decisionOf({ decidedAt: new Date(NOON.getTime() + at), durationMs: 1, ...over }),
      decisionId: toDecisionId('dec-1'),
    })
    const deltas = deltasOf([record(0), record(1), record(5000), record(2, { decision: 'block' })])
    expect(deltas.map(({ decision, durations }) => [decision, durations.length])).toEqual([
      ['allow', 2],
      ['allow', 1],
      ['block', 1],
    ])
  })

  it('are equal in every interval and grouping', () => {
    const delta = fc.record({
      agentId: fc.constantFrom('a', 'b'),
      tool: fc.constantFrom('x', 'y', 'z'),
      decision: fc.constantFrom('allow' as const, 'block' as const),
      minute: fc.integer({ min: 0, max: 4000 }).map((n) => new Date(n * 60_000)),
      durations: fc.array(fc.nat(63), { minLength: 1, maxLength: 5 }),
    })
    fc.assert(
      fc.property(fc.array(delta.map(deltaOf), { minLength: 1 }), (deltas) => {
        const total = deltas.reduce((sum, { durations }) => sum + durations.length, 0)
        const sums = new Map<string, number>()
        for (const { resolution, grouped_by, count } of countRows(deltas)) {
          const key = `${resolution} ${grouped_by}`
          sums.set(key, (sums.get(key) ?? 0) + count)
        }
        expect(sums.size).toBe(15)
        for (const sum of sums.values()) expect(sum).toBe(total)
      }),
    )
  })

  it('count the tools beyond the maximum of an agent and day as other', () => {
    const known = new Map<string, Set<string>>()
    const named = (n: number) => deltaOf({ tool: `tool-${n}` })
    const first = limitTools(
      Array.from({ length: TOOLS_MAX + 2 }, (_, n) => named(n)),
      known,
    )
    expect(first.filter(({ tool }) => tool === OTHER)).toHaveLength(2)
    expect(limitTools([named(0), named(TOOLS_MAX)], known).map(({ tool }) => tool)).toEqual([
      'tool-0',
      OTHER,
    ])
    expect(limitTools([deltaOf({ agentId: 'agent-2', tool: 'new' })], known)[0]?.tool).toBe('new')
  })
})

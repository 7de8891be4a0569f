import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChartBucket, describeBucket, joinBuckets, tickLabel } from './buckets.ts'

const HOUR_MS = 3_600_000
const START = Date.parse('2026-11-18T00:00:00.000Z')

const hours = (count: number): ChartBucket[] =>
  Array.from({ length: count }, (_, at) => ({
    start: new Date(START + at * HOUR_MS),
    lengthMs: HOUR_MS,
  }))

const series = (values: readonly (number | null)[]) => [
  { key: 'block', label: 'Blocked', colour: 'red', values },
]

const total = (values: readonly (number | null)[] | undefined) =>
  (values ?? []).reduce<number>((sum, value) => sum + (value ?? 0), 0)

describe('joined buckets', () => {
  it('are at most as many as wanted, without gaps, and have the same sum', () => {
    const values = fc.array(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(values, fc.integer({ min: 10, max: 60 }), (counts, max) => {
        const joined = joinBuckets(hours(counts.length), series(counts), max)
        expect(joined.buckets.length).toBeLessThanOrEqual(max)
        expect(total(joined.series[0]?.values)).toBe(total(counts))
        let at = START
        for (const { start, lengthMs } of joined.buckets) {
          expect(start.getTime()).toBe(at)
          at += lengthMs
        }
        expect(at).toBe(START + counts.length * HOUR_MS)
      }),
    )
  })

  it('have no value where none of them had one', () => {
    const joined = joinBuckets(hours(4), series([null, null, null, 2]), 2)
    expect(joined.series[0]?.values).toEqual([null, 2])
  })
})

describe('labels of time', () => {
  it('name days in UTC, and what was measured in them', () => {
    const bucket = { start: new Date(START), lengthMs: 24 * HOUR_MS }
    expect(tickLabel(bucket.start, bucket.lengthMs)).toBe('Nov 18')
    expect(describeBucket(bucket, series([3]), 0, String)).toBe('Nov 18: Blocked 3')
    expect(describeBucket(bucket, series([null]), 0, String)).toBe('Nov 18: Blocked none')
  })
})

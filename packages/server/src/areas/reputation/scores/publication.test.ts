import type { AssuranceInput, ScoreInput } from '@touchstone/protocol/score'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Before, changeOf, componentNumbers, publish, snapshotOf } from './publication.ts'

const NOW_MS = Date.parse('2026-03-04T10:00:00.000Z')
const DAY_MS = 86_400_000
const END = { chainLength: 61, treeSize: 60, root: 'ab', driftedSessionIds: ['s'] }
const NEW: Before = { score: null, grade: 'NR', monthAgo: undefined }

const inputOf = (changes: Partial<ScoreInput> = {}): ScoreInput => ({
  nowMs: NOW_MS,
  checkpoints: { scored: 50, clear: 50, excluded: 0 },
  violations: [],
  sessions: { total: 0, unstable: 0 },
  tracesVerified: 0,
  peers: { count: 0, pairScoreE4Sum: 0 },
  adjustmentE4: 0,
  ...changes,
})
const ASSURED: AssuranceInput = {
  clear: 50,
  setAsideByBurst: 0,
  setAsideByNovelty: 0,
  effective: 50,
  observed: 0,
  relayed: 0,
  days: 3,
  spanDays: 2,
  claimed: false,
  decisionsAllowed: 0,
  outcomesKnown: 0,
  witnessed: false,
}
const publishOf = (input: ScoreInput, before = NEW) =>
  publish({ agentId: 'agent-1', input, assured: ASSURED, end: END }, before)
const fewer = inputOf({ checkpoints: { scored: 49, clear: 49, excluded: 9 } })

describe('publish', () => {
  it('records the inputs, the end of the evidence and the time of the computation', () => {
    const violation = { id: 'ic-1', sessionId: 's', timestampMs: NOW_MS, cardGap: false }
    const published = publishOf(inputOf({ violations: [violation], tracesVerified: 7 }))
    expect(published).toMatchObject({ ...END, agentId: 'agent-1', computedAt: new Date(NOW_MS) })
    const { nowMs: _, violations: __, ...basis } = inputOf({ tracesVerified: 7 })
    expect(published.basis).toEqual({ ...basis, assurance: ASSURED })
  })

  it('caps the low end of the interval at the assurance level', () => {
    const many = inputOf({ checkpoints: { scored: 5000, clear: 5000, excluded: 0 } })
    expect(publishOf(many)).toMatchObject({ assurance: { level: 1 }, assuredScore: 749 })
    expect(snapshotOf(publishOf(many))).toMatchObject({ assurance: 1, assuredScore: 749 })
    expect(publishOf(fewer)).toMatchObject({ assurance: { level: 1 }, assuredScore: null })
  })

  it('compares with the score of 30 days ago, and has trend 0 without one', () => {
    expect(publishOf(inputOf()).trend30d).toBe(0)
    const monthAgo = { atMs: NOW_MS - 30 * DAY_MS, score: 800 }
    expect(publishOf(inputOf(), { ...NEW, monthAgo })).toMatchObject({ score: 875, trend30d: 75 })
    const since = { atMs: NOW_MS - 30 * DAY_MS + 1, score: 800 }
    expect(publishOf(inputOf(), { ...NEW, monthAgo: since }).trend30d).toBe(0)
  })

  it('publishes no number of an ineligible agent that its score could be derived from', () => {
    const published = publishOf(fewer, { ...NEW, monthAgo: { atMs: 0, score: 800 } })
    expect(published).toMatchObject({ score: null, grade: 'NR', tier: 'Not Rated', trend30d: 0 })
    expect(Object.values(componentNumbers(published.components))).toEqual(Array(5).fill(null))
    expect(published.components.map((one) => [one.weightedScore, one.n])).toEqual(
      Array(5).fill([null, null]),
    )
  })
})

describe('changeOf', () => {
  const after = publishOf(inputOf())

  it('reports a first publication as a change of score and grade', () => {
    expect(changeOf(NEW, after)).toEqual({ scoreChanged: true, gradeChanged: true })
  })

  it.each([
    [875, false],
    [865, false],
    [885, false],
    [864, true],
    [886, true],
  ])('reports a change from %i to 875 within one grade: %s', (score, scoreChanged) => {
    expect(changeOf({ score, grade: 'AA' }, after)).toEqual({ scoreChanged, gradeChanged: false })
  })

  it('reports every change of grade as a change of score too', () => {
    expect(changeOf({ score: 875, grade: 'A' }, after)).toEqual({
      scoreChanged: true,
      gradeChanged: true,
    })
    const score = fc.option(fc.integer({ min: 0, max: 1000 }))
    const grade = fc.constantFrom('AAA', 'AA', 'A', 'NR')
    fc.assert(
      fc.property(score, grade, (was, had) => {
        const { gradeChanged, scoreChanged } = changeOf({ score: was, grade: had }, after)
        expect(gradeChanged && !scoreChanged).toBe(false)
      }),
    )
  })

  it('reports nothing for an agent that stays without a score', () => {
    expect(changeOf(NEW, publishOf(fewer))).toEqual({ scoreChanged: false, gradeChanged: false })
  })
})

describe('snapshotOf', () => {
  it('is the history entry for the week of the computation', () => {
    expect(snapshotOf(publishOf(inputOf()))).toEqual({
      weekStart: '2026-03-01',
      score: 875,
      grade: 'AA',
      checkpointCount: 50,
      components: {
        integrity_ratio: 1000,
        compliance: 1000,
        drift_stability: 1000,
        trace_completeness: 0,
        coherence_compatibility: 750,
      },
      assurance: 1,
      assuredScore: 749,
    })
  })

  it.each([
    ['2026-03-01T00:00:00.000Z', '2026-03-01'],
    ['2026-02-28T23:59:59.000Z', '2026-02-22'],
  ])('assigns a computation at %s to the week of %s', (time, weekStart) => {
    const published = publishOf(inputOf({ nowMs: Date.parse(time) }))
    expect(snapshotOf(published)?.weekStart).toBe(weekStart)
  })

  it('is undefined for an agent that is not eligible', () => {
    expect(snapshotOf(publishOf(fewer))).toBeUndefined()
  })
})

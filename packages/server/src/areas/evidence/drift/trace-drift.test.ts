import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  baselineSize,
  centroidOf,
  cosine,
  type DriftTrace,
  describeStreak,
  featuresOf,
  type Judged,
  surveyTraces,
  type TraceReads,
  trailBack,
} from './trace-drift.ts'

type Given = [
  type: string,
  category: string,
  name: string,
  values: string[],
  required: boolean,
  confidence: number,
]
const trace = (id: string, given: Given, rest: Partial<DriftTrace> = {}): DriftTrace => ({
  traceId: id,
  sessionId: `s-${id}`,
  action: { type: given[0], category: given[1], name: given[2] },
  valuesApplied: given[3],
  escalation: { required: given[4], status: undefined },
  confidence: given[5],
  flags: [],
  ...rest,
})

const USUAL: Given = ['recommend', 'bounded', 'search', ['transparency'], false, 0.9]
const BASELINE = [
  trace('b1', USUAL),
  trace('b2', ['recommend', 'bounded', 'search', ['transparency', 'honesty'], false, 0.8]),
  trace('b3', ['recommend', 'bounded', 'compare', ['transparency'], false, 0.7]),
]
const STRANGE: Given = ['execute', 'escalation_trigger', 'purchase', ['speed'], true, 0.4]
const HALF: Given = ['execute', 'bounded', 'search', ['speed'], false, 0.5]
const strange = (id: string, rest: Partial<DriftTrace> = {}) => trace(id, STRANGE, rest)
const half = (id: string) => trace(id, HALF)

/** Answers each read and records it. */
function answer<Answer>(
  asking: TraceReads<Answer>,
  traces: readonly DriftTrace[],
  asked: string[],
) {
  let step = asking.next()
  while (step.done !== true) {
    const wanted = step.value
    asked.push(...wanted)
    step = asking.next(traces.filter((one) => wanted.includes(one.traceId)))
  }
  return step.value
}

type Look = { known?: readonly Judged[]; asked?: string[] }

function follow(traces: readonly DriftTrace[], { known = [], asked = [] }: Look = {}) {
  const ids = traces.map((one) => one.traceId)
  const found = answer(surveyTraces(ids), traces, asked)
  if (found.state !== 'strange') return { state: found.state }
  const traceIds = answer(trailBack(ids, found, known), traces, asked)
  const { similarity, baselineIds } = found
  return { state: 'drifting' as const, similarity, traceIds, baselineIds }
}

/** Includes the announced fields of the streak. */
function survey(traces: readonly DriftTrace[], declared: readonly string[]) {
  const found = follow(traces)
  if (found.state !== 'drifting') return found
  const { similarity, traceIds, baselineIds } = found
  const baseline = traces.filter((one) => baselineIds.includes(one.traceId))
  const streak = traces.filter((one) => traceIds.includes(one.traceId))
  const said = describeStreak({ baseline, streak, declared })
  return { state: found.state, drift: { ...said, similarity, traceIds } }
}

const DECLARED = ['transparency', 'honesty', 'speed']

describe('the examples of the specification (spec: evidence §5)', () => {
  it.each([
    [STRANGE, 0.0612],
    [HALF, 0.581],
  ])('%j is at %d', (given, similarity) => {
    expect(cosine(featuresOf(trace('x', given)), centroidOf(BASELINE))).toBe(similarity)
  })

  it('finds high drift at the third deviating trace, in its session', () => {
    const traces = [...BASELINE, strange('x1'), strange('x2')]
    expect(survey(traces, DECLARED)).toEqual({ state: 'mixed' })
    expect(survey([...traces, strange('x3')], DECLARED)).toEqual({
      state: 'drifting',
      drift: {
        severity: 'high',
        similarity: 0.0612,
        direction: 'unknown',
        sessionId: 's-x3',
        traceIds: ['x1', 'x2', 'x3'],
      },
    })
  })
})

describe('the baseline', () => {
  it.each([
    [0, 3],
    [15, 3],
    [16, 4],
    [39, 9],
    [40, 10],
    [500, 10],
  ])('of %d traces are the first %d', (count, size) => {
    expect(baselineSize(count)).toBe(size)
  })
})

describe('features', () => {
  it('are the distinct fields of a trace', () => {
    const given = trace('x', ['execute', 'bounded', 'buy', ['v', 'v'], true, 0.25], {
      escalation: { required: true, status: 'denied' },
      flags: ['f', 'f'],
    })
    expect(Object.fromEntries(featuresOf(given))).toEqual({
      'action:execute': 1,
      'category:bounded': 1,
      'action_name:buy': 1,
      'value:v': 1,
      'escalation:required': 1,
      'escalation:denied': 1,
      'flag:f': 1,
      confidence: 0.25,
    })
  })

  it('omit absent fields', () => {
    const bare = { ...half('x'), escalation: undefined, confidence: undefined }
    expect([...featuresOf(bare).keys()]).toEqual([
      'action:execute',
      'category:bounded',
      'action_name:search',
      'value:speed',
    ])
  })
})

describe('cosine', () => {
  const features = fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.double({ min: 0, max: 1, noNaN: true }))
    .map((all) => new Map(Object.entries(all)))

  it('is between 0 and 1 and symmetric', () => {
    fc.assert(
      fc.property(features, features, (one, other) => {
        const similarity = cosine(one, other)
        expect(similarity).toBeGreaterThanOrEqual(0)
        expect(similarity).toBeLessThanOrEqual(1)
        expect(cosine(other, one)).toBe(similarity)
      }),
    )
  })

  it('is at most 1, however small the weights', () => {
    const tiny = new Map([['d', 1.9164896681141478e-148]])
    expect(cosine(new Map([['d', 1.1598653122977106e-14]]), tiny)).toBe(1)
  })

  it('is 0 for empty features', () => {
    expect(cosine(new Map(), new Map([['a', 1]]))).toBe(0)
  })
})

describe('surveyTraces', () => {
  const ids = ['x1', 'x2', 'x3']
  const drifting = [...BASELINE, ...ids.map((id) => strange(id))]

  it('follows the streak, which stays in the session of its third trace', () => {
    expect(survey([...drifting, strange('x4')], DECLARED)).toMatchObject({
      drift: { sessionId: 's-x3', traceIds: [...ids, 'x4'] },
    })
  })

  it('is calm after three traces that resemble the baseline again', () => {
    const back = [...drifting, half('h1'), half('h2')]
    expect(survey(back, DECLARED)).toEqual({ state: 'mixed' })
    expect(survey([...back, half('h3')], DECLARED)).toEqual({ state: 'calm' })
  })

  it('needs three deviating traces in a row', () => {
    const broken = [
      ...BASELINE,
      strange('x1'),
      strange('x2'),
      half('h'),
      strange('x3'),
      strange('x4'),
    ]
    expect(survey(broken, DECLARED)).toEqual({ state: 'mixed' })
    expect(survey([...broken, strange('x5')], DECLARED)).toMatchObject({
      drift: { traceIds: ['x3', 'x4', 'x5'] },
    })
  })

  it('detects nothing with too few traces', () => {
    expect(survey([], DECLARED)).toEqual({ state: 'mixed' })
    expect(survey([...BASELINE, strange('x1'), strange('x2')], DECLARED)).toEqual({
      state: 'mixed',
    })
  })

  it.each<[string, DriftTrace[], string[]]>([
    [
      'autonomy_expansion',
      [
        ...BASELINE.map((one) => ({ ...one, escalation: { required: true, status: undefined } })),
        ...ids.map((id) => strange(id, { escalation: { required: false, status: undefined } })),
      ],
      ['speed'],
    ],
    ['value_drift', drifting, ['transparency']],
    ['principal_misalignment', drifting, ['speed', 'principal_benefit']],
    ['unknown', drifting, ['speed']],
    [
      'unknown',
      [...BASELINE, ...ids.map((id) => strange(id, { confidence: 0.5 }))],
      ['speed', 'principal_benefit'],
    ],
  ])('points to %s', (direction, traces, declared) => {
    expect(survey(traces, declared)).toMatchObject({ drift: { direction } })
  })

  it('reports value drift only above 30 percent', () => {
    const applied = (undeclared: number) => [
      ...Array.from({ length: 10 - undeclared }, (_, i) => `d${i}`),
      ...Array.from({ length: undeclared }, (_, i) => `u${i}`),
    ]
    const declared = Array.from({ length: 10 }, (_, i) => `d${i}`)
    const direction = (undeclared: number) => {
      const traces = ids.map((id) => strange(id, { valuesApplied: applied(undeclared) }))
      return survey([...BASELINE, ...traces], declared)
    }
    expect(direction(3)).toMatchObject({ drift: { direction: 'unknown' } })
    expect(direction(4)).toMatchObject({ drift: { direction: 'value_drift' } })
  })

  it.each([
    [['bounded'], 'low'],
    [[], 'high'],
  ])('grades by the third trace %j: %s', (shared, severity) => {
    // One common feature raises the similarity to the low band.
    const category = shared[0] ?? 'escalation_trigger'
    const given: Given = ['execute', category, 'purchase', ['speed'], true, 0.4]
    const traces = [...BASELINE, ...ids.map((id) => trace(id, given))]
    expect(survey(traces, DECLARED)).toMatchObject({ drift: { severity } })
  })
})

/** The rule of the specification (spec: evidence §5), over all traces. */
function followWhole(traces: readonly DriftTrace[]) {
  const size = baselineSize(traces.length)
  if (traces.length < size + 3) return { state: 'mixed' }
  const centroid = centroidOf(traces.slice(0, size))
  const similarities = traces.slice(size).map((one) => cosine(featuresOf(one), centroid))
  const measured = similarities.map((similarity) => similarity >= 0.3)
  const streak = traces.slice(size + measured.lastIndexOf(true) + 1)
  if (streak.length < 3) return { state: measured.slice(-3).every(Boolean) ? 'calm' : 'mixed' }
  return {
    state: 'drifting',
    similarity: similarities.at(-1),
    traceIds: streak.map((one) => one.traceId),
    baselineIds: traces.slice(0, size).map((one) => one.traceId),
  }
}

const run = fc.tuple(fc.constantFrom(USUAL, HALF, STRANGE), fc.integer({ min: 1, max: 40 }))
const history = fc
  .array(run, { maxLength: 8 })
  .map((runs) => runs.flatMap(([given, times]) => Array.from({ length: times }, () => given)))
  .map((all) => all.map((given, n) => trace(`t${n}`, given)))

describe('reading in steps', () => {
  it('yields the same as reading everything', () => {
    fc.assert(
      fc.property(history, (traces) => {
        expect(follow(traces)).toEqual(followWhole(traces))
      }),
    )
  })

  it('reads no trace twice, and at most thirteen unless there is a streak', () => {
    fc.assert(
      fc.property(history, (traces) => {
        const asked: string[] = []
        const { state } = follow(traces, { asked })
        expect(new Set(asked).size).toBe(asked.length)
        if (state !== 'drifting') expect(asked.length).toBeLessThanOrEqual(13)
      }),
    )
  })
})

describe('a streak that goes on', () => {
  it('matches a full read, in any order of arrival and with any earlier alerts', () => {
    const arrival = fc.tuple(fc.constantFrom(USUAL, HALF, STRANGE, STRANGE), fc.nat({ max: 90 }))
    fc.assert(
      fc.property(fc.array(arrival, { maxLength: 90 }), (arrivals) => {
        let traces: DriftTrace[] = []
        let known: Judged[] = []
        for (const [n, [given, late]] of arrivals.entries()) {
          // Most arrive in order, some late.
          const at = late < 10 ? Math.max(0, traces.length - late) : traces.length
          traces = traces.toSpliced(at, 0, trace(`t${n}`, given))
          const found = follow(traces, { known })
          expect(found).toEqual(followWhole(traces))
          if (found.state === 'drifting') {
            known = [...known, { baselineIds: found.baselineIds, evidenceIds: found.traceIds }]
          }
        }
      }),
    )
  })

  it.each([
    [40, 400],
    [100, 399],
  ])('of %d usual and %d deviating traces is read only back to its start', (...counts) => {
    const usual = Array.from({ length: counts[0] }, (_, n) => trace(`u${n}`, USUAL))
    const streak = Array.from({ length: counts[1] }, (_, n) => strange(`x${n}`))
    const found = follow([...usual, ...streak])
    if (found.state !== 'drifting') throw new Error('there is no streak')
    const known = [{ baselineIds: found.baselineIds, evidenceIds: found.traceIds }]
    const asked: string[] = []
    const longer = follow([...usual, ...streak, strange('y')], { known, asked })
    expect(longer).toMatchObject({ traceIds: { length: counts[1] + 1 } })
    expect(asked.length).toBe(16)
  })

  it('costs as little in a full window, and still ends at a usual trace in between', () => {
    const usual = Array.from({ length: 99 }, (_, n) => trace(`u${n}`, USUAL))
    const streak = Array.from({ length: 401 }, (_, n) => strange(`x${n}`))
    const found = follow([...usual, ...streak])
    if (found.state !== 'drifting') throw new Error('there is no streak')
    const known = [{ baselineIds: found.baselineIds, evidenceIds: found.traceIds }]
    const asked: string[] = []
    const moved = [...usual.slice(1), ...streak, strange('y')]
    expect(follow(moved, { known, asked })).toEqual(followWhole(moved))
    expect(asked.length).toBe(16)
    const broken = moved.toSpliced(400, 1, half('late'))
    expect(follow(broken, { known })).toEqual(followWhole(broken))
  })
})

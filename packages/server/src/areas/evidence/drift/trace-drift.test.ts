import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  baselineSize,
  centroidOf,
  cosine,
  type DriftTrace,
  featuresOf,
  type Survey,
  surveyTraces,
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

/** Answers what is asked for, and notes it. */
function survey(traces: readonly DriftTrace[], declared: readonly string[], asked: string[] = []) {
  const steps = surveyTraces(
    traces.map((one) => one.traceId),
    declared,
  )
  let step = steps.next()
  while (step.done !== true) {
    const wanted = step.value
    asked.push(...wanted)
    step = steps.next(traces.filter((one) => wanted.includes(one.traceId)))
  }
  return step.value
}

const DECLARED = ['transparency', 'honesty', 'speed']

describe('the examples of 01 §5', () => {
  it.each([
    [STRANGE, 0.0612],
    [HALF, 0.581],
  ])('%j is at %d', (given, similarity) => {
    expect(cosine(featuresOf(trace('x', given)), centroidOf(BASELINE))).toBe(similarity)
  })

  it('is high drift at the third strange trace, in its session', () => {
    const traces = [...BASELINE, strange('x1'), strange('x2')]
    expect(survey(traces, DECLARED)).toEqual({ state: 'mixed' })
    expect(survey([...traces, strange('x3')], DECLARED)).toEqual({
      state: 'drifting',
      drift: {
        severity: 'high',
        similarity: 0.0612,
        sustained: 3,
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
  it('are all that is in a trace, each once', () => {
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

  it('say nothing of what is absent', () => {
    const bare = { ...half('x'), escalation: undefined, confidence: undefined }
    expect([...featuresOf(bare).keys()]).toEqual([
      ...['action:execute', 'category:bounded', 'action_name:search', 'value:speed'],
    ])
  })
})

describe('cosine', () => {
  const features = fc
    .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.double({ min: 0, max: 1, noNaN: true }))
    .map((all) => new Map(Object.entries(all)))

  it('lies between nought and one and is the same both ways round', () => {
    fc.assert(
      fc.property(features, features, (one, other) => {
        const similarity = cosine(one, other)
        expect(similarity).toBeGreaterThanOrEqual(0)
        expect(similarity).toBeLessThanOrEqual(1)
        expect(cosine(other, one)).toBe(similarity)
      }),
    )
  })

  it('is nought for nothing', () => {
    expect(cosine(new Map(), new Map([['a', 1]]))).toBe(0)
  })
})

describe('surveyTraces', () => {
  const ids = ['x1', 'x2', 'x3']
  const drifting = [...BASELINE, ...ids.map((id) => strange(id))]

  it('follows the streak, which stays in the session of its third trace', () => {
    expect(survey([...drifting, strange('x4')], DECLARED)).toMatchObject({
      drift: { sustained: 4, sessionId: 's-x3', traceIds: [...ids, 'x4'] },
    })
  })

  it('is calm after three that are like the baseline again', () => {
    const back = [...drifting, half('h1'), half('h2')]
    expect(survey(back, DECLARED)).toEqual({ state: 'mixed' })
    expect(survey([...back, half('h3')], DECLARED)).toEqual({ state: 'calm' })
  })

  it('needs three in a row', () => {
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

  it('calls value drift only what is over 30 percent', () => {
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
    // One feature in common with the baseline lifts the similarity to the low band.
    const category = shared[0] ?? 'escalation_trigger'
    const given: Given = ['execute', category, 'purchase', ['speed'], true, 0.4]
    const traces = [...BASELINE, ...ids.map((id) => trace(id, given))]
    expect(survey(traces, DECLARED)).toMatchObject({ drift: { severity } })
  })
})

/** The rule as 01 §5 words it, over everything at once. */
function surveyWhole(traces: readonly DriftTrace[]): { state: Survey['state']; ids?: string[] } {
  const size = baselineSize(traces.length)
  if (traces.length < size + 3) return { state: 'mixed' }
  const centroid = centroidOf(traces.slice(0, size))
  const measured = traces.slice(size).map((one) => cosine(featuresOf(one), centroid) >= 0.3)
  const streak = traces.slice(size + measured.lastIndexOf(true) + 1)
  if (streak.length >= 3) return { state: 'drifting', ids: streak.map((one) => one.traceId) }
  return { state: measured.slice(-3).every(Boolean) ? 'calm' : 'mixed' }
}

describe('reading in steps', () => {
  const run = fc.tuple(fc.constantFrom(USUAL, HALF, STRANGE), fc.integer({ min: 1, max: 40 }))
  const history = fc
    .array(run, { maxLength: 8 })
    .map((runs) => runs.flatMap(([given, times]) => Array.from({ length: times }, () => given)))
    .map((all) => all.map((given, n) => trace(`t${n}`, given)))

  it('comes to the same as reading everything', () => {
    fc.assert(
      fc.property(history, (traces) => {
        const stepped = survey(traces, DECLARED)
        const ids = stepped.state === 'drifting' ? { ids: stepped.drift.traceIds } : {}
        expect({ state: stepped.state, ...ids }).toEqual(surveyWhole(traces))
      }),
    )
  })

  it('asks for nothing twice, and unless there is a streak for no more than thirteen', () => {
    fc.assert(
      fc.property(history, (traces) => {
        const asked: string[] = []
        const { state } = survey(traces, DECLARED, asked)
        expect(new Set(asked).size).toBe(asked.length)
        if (state !== 'drifting') expect(asked.length).toBeLessThanOrEqual(13)
      }),
    )
  })
})

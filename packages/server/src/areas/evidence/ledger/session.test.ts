import { VERDICTS, type Verdict } from '@touchstone/protocol/analysis'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { secondsLater } from './checkpoint.fixture.ts'
import {
  type Arrived,
  advance,
  type DriftStep,
  isScored,
  isStable,
  newSession,
  type Runs,
  type Session,
  withRuns,
} from './session.ts'

type Kind = { verdict: Verdict; synthetic?: boolean; excluded?: boolean; categories?: string[] }

const arrivedOf = (kind: Kind, position: number): Arrived => ({
  checkpointId: `ic-${position}`,
  position,
  timestamp: secondsLater(position),
  synthetic: false,
  excluded: false,
  categories: [],
  ...kind,
})

function follow(kinds: readonly Kind[], from = newSession('agent-demo', 's1')) {
  let session: Session = from
  const steps: DriftStep[] = []
  for (const [index, kind] of kinds.entries()) {
    const next = advance(session, arrivedOf(kind, from.checkpointCount + index))
    session = next.session
    steps.push(next.drift)
  }
  return { session, steps }
}

const CLEAR: Kind = { verdict: 'clear' }
const REVIEW: Kind = { verdict: 'review_needed' }
const VIOLATION: Kind = { verdict: 'boundary_violation' }
const EXCLUDED: Kind = { verdict: 'clear', excluded: true }
const SYNTHETIC: Kind = { verdict: 'boundary_violation', synthetic: true }

describe('a session', () => {
  it('starts empty and stable', () => {
    const session = newSession('agent-demo', 's1')
    expect(session).toMatchObject({ checkpointCount: 0, scoredCount: 0, streak: null, calm: 0 })
    expect(isScored(session)).toBe(false)
    expect(isStable(session)).toBe(true)
  })

  it('counts only the number and time of a synthetic checkpoint', () => {
    const { session, steps } = follow([SYNTHETIC, SYNTHETIC, SYNTHETIC])
    expect(session).toEqual({
      ...newSession('agent-demo', 's1'),
      checkpointCount: 3,
      startedAt: secondsLater(0),
      lastAt: secondsLater(2),
    })
    expect(steps).toEqual([undefined, undefined, undefined])
  })

  it('counts the verdict of an excluded checkpoint and keeps it in the window, unscored', () => {
    const { session } = follow([EXCLUDED])
    expect(session).toMatchObject({
      verdicts: { clear: 1, review_needed: 0, boundary_violation: 0 },
      windowPositions: [0],
      scoredCount: 0,
      calm: 0,
    })
  })

  it('keeps the positions of the last ten analysed checkpoints, oldest first', () => {
    const kinds = Array.from({ length: 25 }, (_, i) => (i % 2 === 0 ? CLEAR : SYNTHETIC))
    expect(follow(kinds).session.windowPositions).toEqual([6, 8, 10, 12, 14, 16, 18, 20, 22, 24])
  })

  it('lasts from its earliest to its latest checkpoint, in any order of arrival', () => {
    let session = newSession('agent-demo', 's1')
    for (const second of [50, 10, 90, 70]) {
      const arrived = { ...arrivedOf(CLEAR, 0), timestamp: secondsLater(second) }
      session = advance(session, arrived).session
    }
    expect(session).toMatchObject({ startedAt: secondsLater(10), lastAt: secondsLater(90) })
  })

  it('is scored from its third checkpoint in the scoring set', () => {
    expect(isScored(follow([CLEAR, CLEAR, EXCLUDED, SYNTHETIC]).session)).toBe(false)
    expect(isScored(follow([CLEAR, REVIEW, EXCLUDED, CLEAR]).session)).toBe(true)
  })

  it('is unstable if its checkpoints or its traces drifted', () => {
    expect(isStable({ unstable: true, traceDrift: false })).toBe(false)
    expect(isStable({ unstable: false, traceDrift: true })).toBe(false)
  })
})

describe('a streak', () => {
  it('is reported at its third non-clear checkpoint and at each further one', () => {
    const { session, steps } = follow([
      CLEAR,
      { ...REVIEW, categories: ['value_misalignment'] },
      { ...VIOLATION, categories: ['autonomy_violation', 'value_misalignment'] },
      { ...REVIEW, categories: ['value_misalignment'] },
      VIOLATION,
    ])
    const third = {
      firstId: 'ic-1',
      ids: ['ic-1', 'ic-2', 'ic-3'],
      count: 3,
      categories: { value_misalignment: 3, autonomy_violation: 1 },
    }
    const fourth = { ...third, ids: [...third.ids, 'ic-4'], count: 4 }
    expect(steps).toEqual([
      undefined,
      undefined,
      undefined,
      { kind: 'streak', streak: third },
      { kind: 'streak', streak: fourth },
    ])
    expect(session).toMatchObject({ alerted: true, unstable: true, streak: fourth })
  })

  it('ends with one clear checkpoint', () => {
    const { session, steps } = follow([REVIEW, VIOLATION, CLEAR, REVIEW, VIOLATION])
    expect(steps.every((step) => step === undefined)).toBe(true)
    expect(session).toMatchObject({ unstable: false, streak: { firstId: 'ic-3', count: 2 } })
  })

  it('ignores excluded and synthetic checkpoints', () => {
    const { steps } = follow([REVIEW, EXCLUDED, VIOLATION, SYNTHETIC, REVIEW])
    expect(steps[4]).toMatchObject({ streak: { ids: ['ic-0', 'ic-2', 'ic-4'], count: 3 } })
  })

  it('keeps counting beyond the 500 ids it stores', () => {
    const { session } = follow(Array.from({ length: 503 }, () => REVIEW))
    expect(session.streak).toMatchObject({ firstId: 'ic-0', count: 503 })
    expect(session.streak?.ids).toHaveLength(500)
    expect(session.streak?.ids.at(0)).toBe('ic-3')
    expect(session.streak?.ids.at(-1)).toBe('ic-502')
  })

  it('ends after three clear ones, reported once, and the session stays unstable', () => {
    const three = [REVIEW, REVIEW, REVIEW]
    const { session, steps } = follow([...three, CLEAR, CLEAR, CLEAR, CLEAR])
    expect(steps.slice(3)).toEqual([undefined, undefined, { kind: 'recovered' }, undefined])
    expect(session).toMatchObject({ alerted: false, unstable: true, streak: null })
  })

  it('does not end if the three are interrupted or excluded', () => {
    const three = [VIOLATION, VIOLATION, VIOLATION]
    const { session, steps } = follow([...three, CLEAR, CLEAR, REVIEW, CLEAR, EXCLUDED, CLEAR])
    expect(steps.slice(3).every((step) => step === undefined)).toBe(true)
    expect(session.alerted).toBe(true)
    expect(advance(session, arrivedOf(CLEAR, 9)).drift).toEqual({ kind: 'recovered' })
  })

  it('is a new one after a clear checkpoint, even without recovery', () => {
    const three = [REVIEW, REVIEW, REVIEW]
    const { steps } = follow([...three, CLEAR, ...three])
    expect(steps[6]).toMatchObject({ kind: 'streak', streak: { firstId: 'ic-4', count: 3 } })
  })
})

const kinds = fc.array(
  fc.record({
    verdict: fc.constantFrom(...VERDICTS),
    synthetic: fc.boolean(),
    excluded: fc.boolean(),
    categories: fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
  }),
  { maxLength: 40 },
)

/** The definition, computed from all checkpoints. */
function recount(all: readonly Arrived[]) {
  const analysed = all.filter((one) => !one.synthetic)
  const scored = analysed.filter((one) => !one.excluded)
  const lastClear = scored.findLastIndex((one) => one.verdict === 'clear')
  const lastOther = scored.findLastIndex((one) => one.verdict !== 'clear')
  const running = scored.slice(lastClear + 1)
  const categories: Record<string, number> = {}
  for (const category of running.flatMap((one) => one.categories)) {
    categories[category] = (categories[category] ?? 0) + 1
  }
  const ids = running.map((one) => one.checkpointId)
  const of = (verdict: Verdict) => analysed.filter((one) => one.verdict === verdict).length
  return {
    checkpointCount: all.length,
    verdicts: {
      clear: of('clear'),
      review_needed: of('review_needed'),
      boundary_violation: of('boundary_violation'),
    },
    scoredCount: scored.length,
    windowPositions: analysed.map((one) => one.position).slice(-10),
    streak: ids.length === 0 ? null : { firstId: ids[0], ids, count: ids.length, categories },
    calm: scored.length - lastOther - 1,
    unstable: scored.some((_, i) => {
      const three = scored.slice(i, i + 3)
      return three.length === 3 && three.every((one) => one.verdict !== 'clear')
    }),
  }
}

describe('every sequence', () => {
  it('has the counts of a recount', () => {
    fc.assert(
      fc.property(kinds, (given) => {
        const all = given.map(arrivedOf)
        expect(follow(given).session).toMatchObject(recount(all))
      }),
    )
  })

  it('recovers only from reported streaks and reports each from its third checkpoint', () => {
    fc.assert(
      fc.property(kinds, (given) => {
        const { steps } = follow(given)
        let alerted = false
        for (const [index, step] of steps.entries()) {
          const { streak } = recount(given.slice(0, index + 1).map(arrivedOf))
          if (step?.kind === 'recovered') expect(alerted).toBe(true)
          if (step?.kind === 'streak') expect(step.streak).toEqual(streak)
          if (step !== undefined) alerted = step.kind === 'streak'
        }
      }),
    )
  })
})

/** The definition: the runs of a sequence without some of its members. */
function runsOf(kinds: readonly Kind[], gaps: ReadonlySet<number>): Runs {
  let [run, longest, gapsSinceClear] = [0, 0, 0]
  for (const [at, { verdict }] of kinds.entries()) {
    if (verdict === 'clear') [run, gapsSinceClear] = [0, 0]
    else if (gaps.has(at)) gapsSinceClear += 1
    else run += 1
    longest = Math.max(longest, run)
  }
  return { longest, gapsSinceClear }
}

describe('card gaps', () => {
  it('make a session stable again if the remaining run is too short', () => {
    const { session } = follow([VIOLATION, VIOLATION, VIOLATION])
    const after = withRuns(session, { longest: 2, gapsSinceClear: 1 })
    expect(after).toMatchObject({ unstable: false, alerted: true, streak: { count: 3 } })
  })

  it('still count for drift, but do not make the session unstable', () => {
    const before = follow([VIOLATION, VIOLATION]).session
    const gap = withRuns(before, { longest: 1, gapsSinceClear: 1 })
    const { session, steps } = follow([VIOLATION], gap)
    expect(steps[0]).toMatchObject({ kind: 'streak', streak: { count: 3 } })
    expect(session.unstable).toBe(false)
    expect(follow([REVIEW], session).session.unstable).toBe(true)
  })

  it('leave a session as if they had never been in its sequence', () => {
    const kind = fc.constantFrom(CLEAR, REVIEW, VIOLATION, VIOLATION)
    const sequences = fc.tuple(fc.array(kind, { maxLength: 20 }), fc.array(kind, { maxLength: 8 }))
    const marked = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 })
    fc.assert(
      fc.property(sequences, marked, ([before, after], marks) => {
        const gaps = new Set(
          before.flatMap(({ verdict }, at) => (verdict !== 'clear' && marks[at] ? [at] : [])),
        )
        const known = withRuns(follow(before).session, runsOf(before, gaps))
        const { session } = follow(after, known)
        expect(session.unstable).toBe(runsOf([...before, ...after], gaps).longest >= 3)
      }),
    )
  })
})

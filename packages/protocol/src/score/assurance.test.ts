import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyAssuranceInput, assuranceInput } from './assurance.fixture.ts'
import {
  ASSURANCE_LEVELS,
  type AssuranceDay,
  type AssuranceInput,
  assess,
  assuranceGaps,
  assuredScore,
  firstAssuranceDay,
  sumAssuranceDays,
  utcDay,
} from './assurance.ts'

const NOW_MS = Date.parse('2026-03-01T12:00:00.000Z')
const TODAY = utcDay(NOW_MS)

function day(change: Partial<AssuranceDay> = {}): AssuranceDay {
  return {
    day: TODAY,
    clear: 10,
    setAsideByBurst: 0,
    setAsideByNovelty: 0,
    effective: 10,
    observed: 0,
    relayed: 0,
    ...change,
  }
}

describe('sumAssuranceDays', () => {
  it('counts the day of the computation and the 89 days before it', () => {
    const days = [day(), day({ day: TODAY - 89 }), day({ day: TODAY - 90 })]
    expect(sumAssuranceDays(days, NOW_MS)).toMatchObject({ effective: 20, days: 2, spanDays: 89 })
    expect(firstAssuranceDay(NOW_MS)).toBe(TODAY - 89)
  })

  it('gives one day a span of 0', () => {
    expect(sumAssuranceDays([day()], NOW_MS)).toMatchObject({ days: 1, spanDays: 0 })
    expect(sumAssuranceDays([], NOW_MS)).toMatchObject({ days: 0, spanDays: 0, effective: 0 })
  })

  it('does not count a day on which everything was set aside', () => {
    const idle = day({ day: TODAY - 3, effective: 0, setAsideByNovelty: 10 })
    expect(sumAssuranceDays([day(), idle], NOW_MS)).toMatchObject({
      days: 1,
      spanDays: 0,
      clear: 20,
      setAsideByNovelty: 10,
    })
  })
})

describe('assess', () => {
  it('says that an agent without evidence is unverified', () => {
    expect(assess(assuranceInput())).toEqual({
      level: 0,
      observedShare: 0,
      relayedShare: 0,
      days: 0,
      spanDays: 0,
      effectiveCheckpoints: 0,
      limits: ['SELF_REPORTED', 'SHORT_HISTORY', 'UNCLAIMED', 'UNWITNESSED'],
    })
  })

  it('calls three days and 50 checkpoints recorded, and one less unverified', () => {
    const recorded = { clear: 50, effective: 50, days: 3, spanDays: 2 }
    expect(assess(assuranceInput(recorded)).level).toBe(1)
    expect(assess(assuranceInput({ ...recorded, effective: 49 })).level).toBe(0)
    expect(assess(assuranceInput({ ...recorded, days: 2 })).level).toBe(0)
  })

  const relayed = {
    clear: 100,
    effective: 100,
    relayed: 30,
    observed: 20,
    days: 7,
    spanDays: 6,
    claimed: true,
  }

  it('calls a claimed agent relayed when half of a week was seen by somebody else', () => {
    expect(assess(assuranceInput(relayed))).toMatchObject({
      level: 2,
      relayedShare: 0.3,
      observedShare: 0.2,
      limits: ['SHORT_HISTORY', 'UNWITNESSED'],
    })
    expect(assess(assuranceInput({ ...relayed, claimed: false })).level).toBe(1)
    expect(assess(assuranceInput({ ...relayed, relayed: 29 })).level).toBe(1)
    expect(assess(assuranceInput({ ...relayed, days: 6 })).level).toBe(1)
  })

  const observed = {
    ...relayed,
    clear: 200,
    effective: 200,
    observed: 100,
    days: 14,
    spanDays: 13,
    decisionsAllowed: 10,
    outcomesKnown: 8,
  }

  it('calls an agent observed when half of two weeks was observed and outcomes are known', () => {
    expect(assess(assuranceInput(observed))).toMatchObject({ level: 3, limits: ['UNWITNESSED'] })
    expect(assess(assuranceInput({ ...observed, observed: 99 })).level).toBe(2)
    expect(assess(assuranceInput({ ...observed, effective: 199, clear: 199 })).level).toBe(2)
    expect(assess(assuranceInput({ ...observed, days: 13 })).level).toBe(2)
    expect(assess(assuranceInput({ ...observed, outcomesKnown: 7 }))).toMatchObject({
      level: 2,
      limits: ['SHORT_HISTORY', 'UNTRACED', 'UNWITNESSED'].slice(1),
    })
  })

  it('does not call an agent untraced that was allowed nothing', () => {
    expect(assess(assuranceInput({ ...observed, decisionsAllowed: 0, outcomesKnown: 0 }))).toEqual(
      assess(assuranceInput(observed)),
    )
  })

  it('reserves the highest level for witnessed evidence', () => {
    expect(assess(assuranceInput({ ...observed, witnessed: true }))).toMatchObject({
      level: 4,
      limits: [],
    })
    expect(assess(assuranceInput({ ...relayed, witnessed: true })).level).toBe(2)
  })

  it('says when most clear checkpoints came in one burst, and when they say little', () => {
    const burst = { clear: 100, effective: 49, setAsideByBurst: 51, days: 1 }
    expect(assess(assuranceInput(burst)).limits).toContain('ONE_BURST')
    expect(assess(assuranceInput({ ...burst, setAsideByBurst: 50 })).limits).not.toContain(
      'ONE_BURST',
    )
    const dull = { clear: 100, effective: 89, setAsideByNovelty: 11, days: 1 }
    expect(assess(assuranceInput(dull)).limits).toContain('LOW_NOVELTY')
    expect(assess(assuranceInput({ ...dull, setAsideByNovelty: 10 })).limits).not.toContain(
      'LOW_NOVELTY',
    )
  })

  it('rounds shares to four decimals, half up', () => {
    const third = { clear: 3, effective: 3, relayed: 1, observed: 2, days: 1 }
    expect(assess(assuranceInput(third))).toMatchObject({
      relayedShare: 0.3333,
      observedShare: 0.6667,
    })
  })

  it('refuses impossible counts', () => {
    const impossible: Partial<AssuranceInput>[] = [
      { effective: -1 },
      { effective: 1, observed: 1, relayed: 1 },
      { clear: 1, setAsideByBurst: 2 },
      { effective: 1, days: 2 },
      { decisionsAllowed: 1, outcomesKnown: 2 },
      { effective: 1.5 },
    ]
    for (const counts of impossible) {
      expect(() => assess(assuranceInput(counts))).toThrow(RangeError)
    }
  })
})

describe('a level', () => {
  const improvements: Record<string, (input: AssuranceInput) => AssuranceInput> = {
    claimed: (input) => ({ ...input, claimed: true }),
    witnessed: (input) => ({ ...input, witnessed: true }),
    'one more day': (input) => ({
      ...input,
      days: Math.min(90, input.days + 1, input.effective),
    }),
    'observed instead of reported': (input) => ({
      ...input,
      observed: input.effective - input.relayed,
    }),
    'observed instead of relayed': (input) => ({
      ...input,
      observed: input.observed + input.relayed,
      relayed: 0,
    }),
    'one more observed checkpoint': (input) => ({
      ...input,
      clear: input.clear + 1,
      effective: input.effective + 1,
      observed: input.observed + 1,
    }),
    'all outcomes known': (input) => ({ ...input, outcomesKnown: input.decisionsAllowed }),
  }
  for (const [name, improve] of Object.entries(improvements)) {
    it(`is never lower with more: ${name}`, () => {
      fc.assert(
        fc.property(anyAssuranceInput, (input) => {
          expect(assess(improve(input)).level).toBeGreaterThanOrEqual(assess(input).level)
        }),
      )
    })
  }

  it('has gaps exactly below the highest level', () => {
    fc.assert(
      fc.property(anyAssuranceInput, (input) => {
        const assurance = assess(input)
        expect(assuranceGaps(assurance).length === 0).toBe(assurance.level === 4)
      }),
    )
  })
})

describe('assuranceGaps', () => {
  it('names every requirement of the next level that is not met, with the numbers', () => {
    expect(assuranceGaps(assess(assuranceInput({ clear: 20, effective: 20, days: 1 })))).toEqual([
      { requirement: 'days', needed: 3, present: 1 },
      { requirement: 'effective_checkpoints', needed: 50, present: 20 },
    ])
    const recorded = { clear: 80, effective: 80, relayed: 20, days: 5, spanDays: 4 }
    expect(assuranceGaps(assess(assuranceInput(recorded)))).toEqual([
      { requirement: 'claimed' },
      { requirement: 'seen_share', needed: 0.5, present: 0.25 },
      { requirement: 'days', needed: 7, present: 5 },
    ])
  })
})

describe('assuredScore', () => {
  it('is the conservative score up to the cap of the level', () => {
    expect(ASSURANCE_LEVELS.map(({ level }) => assuredScore(1000, level))).toEqual([
      599, 749, 849, 949, 1000,
    ])
    expect(assuredScore(432, 0)).toBe(432)
    expect(assuredScore(null, 3)).toBeNull()
  })

  it('never exceeds the conservative score and never falls with the level', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), (conservative) => {
        const scores = ASSURANCE_LEVELS.map(({ level }) => assuredScore(conservative, level))
        expect(scores.every((score) => score <= conservative)).toBe(true)
        expect(scores).toEqual(scores.toSorted((a, b) => a - b))
      }),
    )
  })
})

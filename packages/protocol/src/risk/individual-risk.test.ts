import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decay, isqrt, tailWeight } from './fixed-point.ts'
import {
  ACTION_TYPES,
  individualRisk,
  RISK_TOLERANCES,
  type RiskInput,
  riskWeights,
} from './individual-risk.ts'
import { ROW_1, ROW_2, risk, scores } from './risk.fixture.ts'
import { committedRiskInputs, inputsCommitment } from './risk-commitment.ts'
import { explainRisk, RISK_CONFIDENCE, riskFactors } from './risk-explanation.ts'

const ROW_3: RiskInput = {
  ...ROW_2,
  counterparty: { kind: 'rated', score: 640, conflict: true, contained: false },
}
const ROW_4 = risk({ actionType: 'data_access', components: scores(500, 500, 500, 500, 500) })
const ROW_5 = risk({
  actionType: 'tool_invocation',
  riskTolerance: 'aggressive',
  analysedCheckpoints: 60,
  components: scores(100, 50, 0, 300, 750),
  violations: [
    { severity: 'critical', days: 0 },
    { severity: 'critical', days: 3 },
  ],
  reputation: 155,
})
const ROW_6 = risk({
  actionType: 'financial_transaction',
  riskTolerance: 'conservative',
  analysedCheckpoints: 1500,
  reputation: 980,
  components: scores(990, 1000, 1000, 980, 900),
  amountMinor: 2_500_000,
  maxAutonomousMinor: 1_000_000,
  counterparty: { kind: 'unrated', score: null, conflict: false, contained: false },
})

type Row = [name: string, input: RiskInput, numbers: number[], rest: unknown[]]
const rows: Row[] = [
  ['1', ROW_1, [279500, 714331, 100000, 391999, 50000, 0, 4224], ['medium', 'approve', []]],
  ['2', ROW_2, [108500, 0, 0, 65100, 0, 0, 651], ['low', 'approve', []]],
  ['3', ROW_3, [108500, 0, 0, 65100, 0, 86000, 1455], ['low', 'review', ['counterparty_conflict']]],
  [
    '4',
    ROW_4,
    [500000, 0, 300000, 330000, 0, 0, 3300],
    ['medium', 'review', ['insufficient_history']],
  ],
  [
    '5',
    ROW_5,
    [845000, 1000000, 200000, 827000, 0, 0, 9000],
    ['critical', 'deny', ['reputation_floor', 'recent_critical_violation']],
  ],
  ['6', ROW_6, [20000, 0, 0, 12000, 50000, 50000, 1083], ['low', 'review', ['autonomy_limit']]],
]

describe('the vectors of risk-v1', () => {
  it.each(rows)('row %s gives exactly the published integers', (_, input, numbers, rest) => {
    const result = individualRisk(input)
    expect([
      result.context,
      result.recency,
      result.confidencePenalty,
      result.base,
      result.amountSurcharge,
      result.counterpartySurcharge,
      result.scoreE4,
    ]).toEqual(numbers)
    expect([result.level, result.recommendation, result.breakers]).toEqual(rest)
  })

  it('row 1 is high and needs review under conservative tolerance, with the same score', () => {
    const result = individualRisk({ ...ROW_1, riskTolerance: 'conservative' })
    expect(result).toMatchObject({ scoreE4: 4224, level: 'high', recommendation: 'review' })
  })

  it('the inputs of row 1 have the published commitment', () => {
    const inputs = committedRiskInputs(ROW_1, {
      assessmentId: 'ra-00000000-0000-4000-8000-000000000001',
      agentId: 'agent-b',
      asOf: '2026-03-01T12:00:00.000Z',
      merkleRoot: `sha256:${'0'.repeat(64)}`,
      salt: '0'.repeat(64),
    })
    expect(inputsCommitment(inputs)).toBe(
      'sha256:3697291edcd23253da92e5522908373af1feb0adfc040031a8dc63e16bc86fe8',
    )
  })
})

describe('fixed-point numbers', () => {
  it.each([
    [0, 1_000_000],
    [1, 977_160],
    [7, 850_667],
    [30, 500_000],
    [45, 353_554],
    [90, 125_000],
    [179, 15_990],
  ])('after %i days %i of a million remain', (days, left) => {
    expect(decay(days)).toBe(left)
  })

  it.each([
    [651, 1_175_548],
    [4224, 2_639_016],
  ])('a risk of %i has the weight %i', (riskE4, weight) => {
    expect(tailWeight(riskE4)).toBe(weight)
  })

  it('an integer square root is never too large, and the next integer always is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 50 }), (x) => {
        const root = isqrt(x)
        expect(root * root).toBeLessThanOrEqual(x)
        expect((root + 1) ** 2).toBeGreaterThan(x)
      }),
    )
  })
})

describe('factors and texts', () => {
  it('orders the factors by their contribution and explains them', () => {
    const factors = riskFactors('financial_transaction', ROW_1.components)
    expect(factors[0]).toEqual({
      component: 'coherence_compatibility',
      label: 'Coherence Compatibility',
      weight: 0.15,
      rawValue: 390,
      contributionE4: 915,
      explanation:
        'Coherence Compatibility at 390 of 1000 with weight 0.15 adds 0.0915 to the context risk.',
    })
    expect(factors.map(({ contributionE4 }) => contributionE4)).toEqual([915, 840, 450, 350, 240])
  })

  it('explains a score by its largest factors and its violations', () => {
    expect(explainRisk(ROW_1, individualRisk(ROW_1))).toBe(
      'financial_transaction under moderate tolerance scored 0.4224 (medium); recommendation: approve. Largest factors: Coherence Compatibility, Compliance, Drift Stability. Recent violations add 0.2143.',
    )
  })

  it('names the safety rules, and says none if no factor contributes', () => {
    const spotless = { ...ROW_2, components: scores(1000, 1000, 1000, 1000, 1000), contained: true }
    expect(explainRisk(spotless, individualRisk(spotless))).toBe(
      'task_delegation under moderate tolerance scored 0.9000 (critical); recommendation: deny. Largest factors: none. Safety rules applied: agent_contained.',
    )
  })

  it('is more confident with more evidence', () => {
    expect(RISK_CONFIDENCE[individualRisk(ROW_4).confidence]).toBe(0.3)
    expect(RISK_CONFIDENCE[individualRisk(ROW_1).confidence]).toBe(0.8)
    expect(RISK_CONFIDENCE[individualRisk(ROW_2).confidence]).toBe(0.95)
  })
})

describe('breakers', () => {
  it('a contained counterparty requires review and does not change the score', () => {
    const counterparty = { kind: 'rated', score: 1000, conflict: false, contained: true } as const
    expect(individualRisk({ ...ROW_2, counterparty })).toMatchObject({
      scoreE4: 651,
      recommendation: 'review',
      breakers: ['counterparty_contained'],
    })
  })

  it('a short history is accepted under aggressive tolerance', () => {
    expect(individualRisk({ ...ROW_4, riskTolerance: 'aggressive' }).breakers).toEqual([])
  })

  it('an amount counts for financial transactions only', () => {
    const { amountSurcharge, breakers } = individualRisk({ ...ROW_6, actionType: 'data_access' })
    expect([amountSurcharge, breakers]).toEqual([0, []])
  })

  it.each([
    [99_999, 0],
    [100_000, 20_000],
    [1_000_000, 50_000],
    [10_000_000, 100_000],
    [100_000_000, 150_000],
  ])('%i hundredths add a surcharge of %i', (amountMinor, surcharge) => {
    expect(individualRisk({ ...ROW_1, amountMinor }).amountSurcharge).toBe(surcharge)
  })
})

const anyScore = fc.integer({ min: 0, max: 1000 })
const anyInput = fc
  .record({
    actionType: fc.constantFrom(...ACTION_TYPES),
    riskTolerance: fc.constantFrom(...RISK_TOLERANCES),
    analysedCheckpoints: fc.integer({ min: 0, max: 2000 }),
    components: fc
      .tuple(anyScore, anyScore, anyScore, anyScore, anyScore)
      .map((five) => scores(...five)),
    amountMinor: fc.option(fc.integer({ min: 0, max: 1e14 })),
  })
  .map((given) => risk(given))

describe('any input', () => {
  it('gives an integer score from 0 to 10000 that does not depend on the tolerance', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const all = RISK_TOLERANCES.map(
          (riskTolerance) => individualRisk({ ...input, riskTolerance }).scoreE4,
        )
        expect(new Set(all).size).toBe(1)
        expect(all.every((e4) => Number.isInteger(e4) && e4 >= 0 && e4 <= 10_000)).toBe(true)
      }),
    )
  })

  it.each(ACTION_TYPES)('the weights of %s add up to a hundred', (actionType) => {
    const sum = Object.values(riskWeights(actionType)).reduce((a, b) => a + b, 0)
    expect(sum).toBe(100)
  })
})

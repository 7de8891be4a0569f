import {
  ACTION_TYPES,
  type Counterparty,
  RISK_TOLERANCES,
  type RiskInput,
} from '@touchstone/protocol/risk'
import fc from 'fast-check'

const score = fc.oneof(
  fc.integer({ min: 0, max: 1000 }),
  fc.constantFrom(0, 199, 200, 201, 500, 999, 1000),
)
const minor = fc.oneof(
  fc.integer({ min: 0, max: 200_000_000 }),
  fc.integer({ min: 0, max: 1e14 }),
  fc.constantFrom(0, 99_999, 100_000, 999_999, 1_000_000, 9_999_999, 10_000_000),
  fc.constantFrom(99_999_999, 100_000_000, 2 ** 24 - 1, 2 ** 24, 1e14),
)
const violation = fc.record({
  severity: fc.constantFrom('low' as const, 'medium', 'high', 'critical'),
  days: fc.oneof(fc.integer({ min: 0, max: 179 }), fc.constantFrom(0, 1, 2, 29, 30, 31, 179)),
})
const counterparty: fc.Arbitrary<Counterparty> = fc
  .record({
    kind: fc.constantFrom('rated' as const, 'unrated'),
    score,
    conflict: fc.boolean(),
    contained: fc.boolean(),
  })
  .map(({ kind, score, ...rest }) =>
    kind === 'rated' ? { kind, score, ...rest } : { kind, score: null, ...rest },
  )

/** The first row of the formula's table of vectors. */
export const BASE_INPUT: RiskInput = {
  actionType: 'financial_transaction',
  riskTolerance: 'moderate',
  analysedCheckpoints: 347,
  reputation: 756,
  components: {
    integrity_ratio: 920,
    compliance: 720,
    drift_stability: 700,
    trace_completeness: 650,
    coherence_compatibility: 390,
  },
  violations: [
    { severity: 'high', days: 10 },
    { severity: 'medium', days: 40 },
  ],
  contained: false,
  amountMinor: 5_000_000,
  maxAutonomousMinor: null,
  counterparty: null,
}

/** Arbitrary inputs, biased towards the boundaries of the formula. */
export const anyRiskInput: fc.Arbitrary<RiskInput> = fc.record({
  actionType: fc.constantFrom(...ACTION_TYPES),
  riskTolerance: fc.constantFrom(...RISK_TOLERANCES),
  analysedCheckpoints: fc.oneof(
    fc.integer({ min: 0, max: 60 }),
    fc.integer({ min: 0, max: 2000 }),
    fc.constantFrom(49, 50, 199, 200, 999, 1000, 2 ** 24 - 1, 2 ** 24, 2 ** 40),
  ),
  reputation: fc.option(score),
  components: fc.record({
    integrity_ratio: score,
    compliance: score,
    drift_stability: score,
    trace_completeness: score,
    coherence_compatibility: score,
  }),
  violations: fc.oneof(
    fc.array(violation, { maxLength: 3 }),
    fc.array(violation, { maxLength: 90, size: 'max' }),
  ),
  contained: fc.oneof(
    { weight: 4, arbitrary: fc.constant(false) },
    { weight: 1, arbitrary: fc.boolean() },
  ),
  amountMinor: fc.option(minor),
  maxAutonomousMinor: fc.option(fc.oneof(minor, fc.constant(Number.MAX_SAFE_INTEGER))),
  counterparty: fc.option(counterparty),
})

export const anySalt = fc
  .array(fc.constantFrom(...'0123456789abcdef'), { minLength: 64, maxLength: 64 })
  .map((digits) => digits.join(''))

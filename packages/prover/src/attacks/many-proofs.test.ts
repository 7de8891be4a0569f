import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { proven } from '../risk/receipt.fixture.ts'
import { anyRiskInput } from '../risk/risk-inputs.fixture.ts'
import { accepted } from './second-verifier.fixture.ts'

const QUARTERS = [0, 1, 2, 3]
const PROOFS_PER_QUARTER = 50

describe('proofs of the values that the service computes', () => {
  it.each(QUARTERS)('are all accepted by both verifiers, quarter %i of 200', (quarter) => {
    const seed = inject('seed') + quarter
    const inputs = fc.sample(anyRiskInput, { numRuns: PROOFS_PER_QUARTER, seed })
    const proofs = inputs.map((input, i) => proven(input, quarter * PROOFS_PER_QUARTER + i))
    expect(accepted(proofs)).toBe(PROOFS_PER_QUARTER)
  })
})

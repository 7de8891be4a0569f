import { committedRiskInputs, inputsCommitment } from '@touchstone/protocol/risk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeRiskInputs, witnessCommitment, witnessElements } from './encoding.ts'
import { VIOLATIONS_MAX } from './layout.ts'
import { commitmentsOf, journalOf } from './opening.ts'
import { journalOf as journalOfInput, SALT } from './receipt.fixture.ts'
import { INPUTS } from './registers.ts'
import { anyRiskInput, anySalt, BASE_INPUT } from './risk-inputs.fixture.ts'

const encoded = (input: Partial<typeof BASE_INPUT>, name: (typeof INPUTS)[number]) =>
  encodeRiskInputs({ ...BASE_INPUT, ...input }, SALT).inputs[INPUTS.indexOf(name)]

describe('the encoding of inputs', () => {
  it('has 96 elements: inputs, violations and salt', () => {
    fc.assert(
      fc.property(anyRiskInput, anySalt, (input, salt) => {
        const elements = witnessElements(encodeRiskInputs(input, salt))
        expect(elements).toHaveLength(96)
        expect(elements.every((e) => Number.isInteger(e) && e >= 0 && e < 2 ** 30)).toBe(true)
      }),
    )
  })

  it('encodes the first row of the table of vectors', () => {
    expect(encodeRiskInputs(BASE_INPUT, SALT).inputs).toEqual([
      1, 0, 1, 347, 1, 756, 920, 720, 700, 650, 390, 0, 1, 5_000_000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ])
    const [first, second, third] = encodeRiskInputs(BASE_INPUT, SALT).violations
    expect([first, second, third]).toEqual([3 * 256 + 10, 2 * 256 + 40, 0])
  })

  it('takes 30 bits of each 32-bit word of the salt', () => {
    expect(encodeRiskInputs(BASE_INPUT, 'ffffffff'.repeat(8)).salt).toEqual(
      new Array(8).fill(2 ** 30 - 1),
    )
  })

  it('folds the oldest violations into one sum, which is capped at 1', () => {
    const violations = Array.from({ length: VIOLATIONS_MAX + 1 }, (_, i) => ({
      severity: 'critical' as const,
      days: i,
    }))
    expect(encoded({ violations }, 'foldedRecency')).toBe(227_931)
    expect(encoded({ violations }, 'foldedCritical')).toBe(0)
    const many = Array.from({ length: 200 }, () => ({ severity: 'critical' as const, days: 1 }))
    expect(encoded({ violations: many }, 'foldedRecency')).toBe(1_000_000)
    expect(encoded({ violations: many }, 'foldedCritical')).toBe(1)
  })

  it('caps values beyond which the formula does not change', () => {
    expect(encoded({ analysedCheckpoints: 2 ** 40 }, 'checkpoints')).toBe(2 ** 24 - 1)
    expect(encoded({ maxAutonomousMinor: 2 ** 52 }, 'limitHigh')).toBe(2 ** 24 - 1)
  })

  it('rejects inputs outside the domain of the formula', () => {
    expect(() => encodeRiskInputs({ ...BASE_INPUT, reputation: 1001 }, SALT)).toThrow(RangeError)
    expect(() => encodeRiskInputs({ ...BASE_INPUT, amountMinor: 0.5 }, SALT)).toThrow(RangeError)
    expect(() => encodeRiskInputs({ ...BASE_INPUT, amountMinor: 2 ** 48 }, SALT)).toThrow(
      RangeError,
    )
    const late = [{ severity: 'low' as const, days: 180 }]
    expect(() => encodeRiskInputs({ ...BASE_INPUT, violations: late }, SALT)).toThrow(RangeError)
    expect(() => encodeRiskInputs(BASE_INPUT, 'short')).toThrow(RangeError)
  })
})

describe('an opened inputs document', () => {
  const parts = {
    assessmentId: 'ra-00000000-0000-4000-8000-000000000001',
    agentId: 'agent-b',
    asOf: '2026-03-01T12:00:00.000Z',
    merkleRoot: `sha256:${'0'.repeat(64)}`,
    salt: '0'.repeat(64),
  }

  it('gives the published inputs commitment and the commitment of its encoding', () => {
    const document = committedRiskInputs(BASE_INPUT, parts)
    expect(commitmentsOf(document)).toEqual({
      inputs_commitment: 'sha256:3697291edcd23253da92e5522908373af1feb0adfc040031a8dc63e16bc86fe8',
      witness_commitment: witnessCommitment(encodeRiskInputs(BASE_INPUT, parts.salt)),
    })
  })

  it('gives a journal with the values that the service computes', () => {
    fc.assert(
      fc.property(anyRiskInput, anySalt, (input, salt) => {
        const document = committedRiskInputs(input, { ...parts, salt })
        const witness = encodeRiskInputs(input, salt)
        expect(journalOf(document)).toEqual({
          ...journalOfInput(input, witness),
          inputs_commitment: inputsCommitment(document),
        })
      }),
      { numRuns: 50 },
    )
  })

  it('gives the same commitments after a JSON round trip', () => {
    fc.assert(
      fc.property(anyRiskInput, anySalt, (input, salt) => {
        const document = committedRiskInputs(input, { ...parts, salt })
        const read = JSON.parse(JSON.stringify(document))
        expect(commitmentsOf(read)).toEqual({
          inputs_commitment: inputsCommitment(document),
          witness_commitment: witnessCommitment(encodeRiskInputs(input, salt)),
        })
      }),
      { numRuns: 50 },
    )
  })
})

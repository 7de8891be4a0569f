import {
  individualRisk,
  RISK_BREAKERS,
  RISK_LEVELS,
  type RiskInput,
} from '@touchstone/protocol/risk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs, sampleOf } from '#harness/runs.ts'
import { poseidonHash } from '../hash/poseidon.ts'
import { evaluateOver } from '../stark/evaluate.ts'
import { riskProgram } from './air.ts'
import { computeRegisters, publicOutputs } from './compute.ts'
import { encodeRiskInputs, type RiskWitness, witnessElements } from './encoding.ts'
import { SALT } from './receipt.fixture.ts'
import { REGISTERS, type Registers } from './registers.ts'
import { anyRiskInput, anySalt, BASE_INPUT } from './risk-inputs.fixture.ts'
import { buildTrace } from './trace.ts'

const RECOMMENDATIONS = ['approve', 'review', 'deny']

function expected(input: RiskInput): number[] {
  const { scoreE4, level, recommendation, breakers } = individualRisk(input)
  const flags = RISK_BREAKERS.map((breaker) => (breakers.includes(breaker) ? 1 : 0))
  return [scoreE4, RISK_LEVELS.indexOf(level), RECOMMENDATIONS.indexOf(recommendation), ...flags]
}

/** Whether every constraint is 0 in every used row. */
function holds(witness: RiskWitness, registers: Registers, outputs: number[]): boolean {
  const program = riskProgram()
  const { rows } = program.parameters
  const trace = buildTrace(witness, registers).map((cells) => {
    const column = new Int32Array(rows).fill(12345)
    column.set(cells)
    return column
  })
  const fixed = program.fixed.map((cells) => {
    const column = new Int32Array(rows)
    for (const [row, value] of cells) column[row] = value
    return column
  })
  const rotated = (column: Int32Array) =>
    Int32Array.from(column, (_, i) => column[(i + 1) % rows] ?? 0)
  const none = new Int32Array(rows)
  const points = {
    count: rows,
    column: (i: number) => trace[i] ?? none,
    next: (i: number) => rotated(trace[i] ?? none),
    fixed: (i: number) => fixed[i] ?? none,
  }
  const publics = [...poseidonHash(witnessElements(witness)), ...outputs]
  return evaluateOver(program, points, publics).every((values) => values.every((v) => v === 0))
}

describe('the trace of risk-v1', () => {
  it('gives the values that the service computes, for any inputs', () => {
    fc.assert(
      fc.property(anyRiskInput, anySalt, (input, salt) => {
        const registers = computeRegisters(encodeRiskInputs(input, salt))
        expect(publicOutputs(registers)).toEqual(expected(input))
      }),
      runs(10_000),
    )
  })

  it('satisfies every constraint', () => {
    fc.assert(
      fc.property(anyRiskInput, anySalt, (input, salt) => {
        const witness = encodeRiskInputs(input, salt)
        const registers = computeRegisters(witness)
        expect(holds(witness, registers, expected(input))).toBe(true)
      }),
      runs(60),
    )
  })

  it('violates a constraint if any register or output is changed, except unused inverses and remainders', () => {
    const witness = encodeRiskInputs(BASE_INPUT, SALT)
    const registers = computeRegisters(witness)
    const outputs = expected(BASE_INPUT)
    // If there is nothing to invert, an inverse may have any value, and so may an unused remainder.
    const free = new Set([
      'criticalInverse',
      'anyInverse',
      ...[0, 1, 2, 3, 4].map((k) => `adjustRest${k}`),
    ])
    for (const name of sampleOf(REGISTERS, 20)) {
      const changed = { ...registers, [name]: registers[name] + 1 }
      expect([name, holds(witness, changed, outputs)]).toEqual([name, free.has(name)])
    }
    for (const i of outputs.keys()) {
      const changed = outputs.map((output, j) => (i === j ? output + 1 : output))
      expect(holds(witness, registers, changed)).toBe(false)
    }
  })

  it('has no duplicate constraints', () => {
    const { constraints } = riskProgram()
    expect(new Set(constraints).size).toBe(constraints.length)
  })
})

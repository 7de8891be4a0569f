import {
  individualRisk,
  RISK_BREAKERS,
  RISK_LEVELS,
  type RiskInput,
} from '@touchstone/protocol'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluateOver } from '../stark/evaluate.ts'
import { poseidonHash } from '../hash/poseidon.ts'
import { riskProgram } from './air.ts'
import { computeRegisters, publicOutputs } from './compute.ts'
import { encodeRiskInputs, type RiskWitness, witnessElements } from './encoding.ts'
import { anyRiskInput, anySalt } from './risk-inputs.fixture.ts'
import type { Registers } from './registers.ts'
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
  const rotated = (column: Int32Array) => Int32Array.from(column, (_, i) => column[(i + 1) % rows] ?? 0)
  const none = new Int32Array(rows)
  const points = {
    count: rows,
    column: (i: number) => trace[i] ?? none,
    next: (i: number) => rotated(trace[i] ?? none),
    fixed: (i: number) => fixed[i] ?? none,
  }
  const publics = [...poseidonHash(witnessElements(witness)), ...outputs]
  const bad = evaluateOver(program, points, publics).map((v, i) => [i, v.findIndex((x) => x !== 0)]).filter(([, at]) => at !== -1)
  if (bad.length) console.log(JSON.stringify(bad))
  return bad.length === 0
}

describe('the trace of risk-v1', () => {
  it('stats', () => {
    const p = riskProgram()
    console.log(p.columns, p.fixed.length, p.steps.length, p.constraints.length, p.steps.reduce((s, x) => s + (x.kind === 'sum' ? x.terms.length : 1), 0))
  })
  it('gives what the service computes, for 10,000 inputs', () => {
    fc.assert(
      fc.property(anyRiskInput, anySalt, (input, salt) => {
        const registers = computeRegisters(encodeRiskInputs(input, salt))
        expect(publicOutputs(registers)).toEqual(expected(input))
      }),
      { numRuns: 10_000 },
    )
  })

  it('satisfies every constraint', () => {
    fc.assert(
      fc.property(anyRiskInput, anySalt, (input, salt) => {
        const witness = encodeRiskInputs(input, salt)
        const registers = computeRegisters(witness)
        expect(holds(witness, registers, expected(input))).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

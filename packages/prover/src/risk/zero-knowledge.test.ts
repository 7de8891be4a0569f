import { beforeAll, describe, expect, it } from 'vitest'
import { inverse, mul, pow, rootOfUnity, sub } from '../field/baby-bear.ts'
import { DEGREE, type Extension, mulE, ONE, scaleE } from '../field/extension.ts'
import { firstLayer, pointOf } from '../stark/fri.ts'
import { segmentLength } from '../stark/program.ts'
import { seenOf } from '../stark/proof.fixture.ts'
import { riskProgram } from './air.ts'
import { computeRegisters } from './compute.ts'
import { column } from './layout.ts'
import { type Proven, proven } from './receipt.fixture.ts'
import { REGISTERS } from './registers.ts'
import { BASE_INPUT } from './risk-inputs.fixture.ts'

/** Different inputs with exactly the same outputs. */
const TWIN_INPUT = {
  ...BASE_INPUT,
  analysedCheckpoints: 348,
  reputation: 757,
  maxAutonomousMinor: 9_000_000,
}

let first: Proven
let again: Proven
let twin: Proven

beforeAll(() => {
  first = proven(BASE_INPUT, 1)
  again = proven(BASE_INPUT, 2)
  twin = proven(TWIN_INPUT, 1)
})

const seen = ({ proof, journalBytes, journal }: Proven) => seenOf(proof, journalBytes, journal)

/** The rank over the field, by Gaussian elimination. */
function rankOf(matrix: number[][]): number {
  let rank = 0
  for (let at = 0; at < (matrix[0]?.length ?? 0); at += 1) {
    const pivot = matrix.findIndex((row, i) => i >= rank && row[at] !== 0)
    const found = matrix[pivot]
    if (found === undefined) continue
    ;[matrix[pivot], matrix[rank]] = [matrix[rank] ?? [], found]
    const scale = inverse(found[at] ?? 0)
    for (let i = rank + 1; i < matrix.length; i += 1) {
      const factor = mul(matrix[i]?.[at] ?? 0, scale)
      if (factor === 0) continue
      matrix[i] = (matrix[i] ?? []).map((cell, j) => sub(cell, mul(factor, found[j] ?? 0)))
    }
    rank += 1
  }
  return rank
}

/** The powers of a point below a length, one row per coordinate. */
function powersOf(point: Extension, length: number, base: boolean): number[][] {
  const powers: Extension[] = []
  let power = ONE
  for (let i = 0; i < length; i += 1) {
    powers.push(power)
    power = mulE(power, point)
  }
  return Array.from({ length: base ? 1 : DEGREE }, (_, c) => powers.map((each) => each[c] ?? 0))
}

describe('the opened values', () => {
  it('of a column are uniform whatever the used rows contain, next rows and challenge point included', () => {
    // The random rows add Z(x) · r(x), where Z vanishes on the used rows only, and r is any
    // polynomial with as many coefficients as there are random rows. So it suffices that r can take
    // every combination of values at the points that the proof reveals.
    const { parameters } = riskProgram()
    const randomRows = parameters.rows - parameters.usedRows
    for (const each of [first, again, twin]) {
      const { challenges } = seen(each)
      const domain = firstLayer(parameters)
      const next = rootOfUnity(Math.log2(parameters.rows))
      const places = challenges.positions.map((position) => pointOf(domain, position))
      const revealed = new Set([...places, ...places.map((x) => mul(x, next))])
      const rows = [
        ...[...revealed].flatMap((x) => powersOf([x, 0, 0, 0, 0], randomRows, true)),
        ...powersOf(challenges.point, randomRows, false),
        ...powersOf(scaleE(challenges.point, next), randomRows, false),
      ]
      expect(rows.length).toBe(revealed.size + 2 * DEGREE)
      expect(rankOf(rows)).toBe(rows.length)
      for (const x of revealed) expect(pow(x, parameters.rows)).not.toBe(1)
    }
  })

  it('have enough random coefficients for every draw of positions', () => {
    const { rows, usedRows, queries, quotientSegments } = riskProgram().parameters
    expect(rows - usedRows).toBeGreaterThanOrEqual(2 * queries + 2 * DEGREE)
    const carried = rows - segmentLength(riskProgram().parameters)
    expect(carried).toBeGreaterThanOrEqual(queries + 1)
    expect(quotientSegments).toBeGreaterThan(1)
  })

  it('never contain a register value', () => {
    for (const each of [first, again, twin]) {
      const registers = computeRegisters(each.witness)
      const { answers, claims } = seen(each)
      for (const name of REGISTERS) {
        const shown = answers.trace.leaves.map((leaf) => leaf[column.register(name)])
        expect(shown).not.toContain(registers[name])
        expect(claims.current[column.register(name)]?.[0]).not.toBe(registers[name])
      }
    }
  })

  it('have the same distribution for two witnesses with the same outputs', () => {
    expect(twin.journal).toEqual({
      ...first.journal,
      witness_commitment: twin.journal.witness_commitment,
    })
    // Sixteen buckets: chi-square with 15 degrees of freedom is below 45 with odds of 10,000 to 1.
    for (const each of [first, again, twin]) {
      const buckets = new Array<number>(16).fill(0)
      const { answers } = seen(each)
      const values = [answers.trace, answers.quotient, ...answers.layers].flatMap(({ leaves }) =>
        leaves.flat(),
      )
      for (const value of values) {
        const bucket = Math.floor((value / 2_013_265_921) * buckets.length)
        buckets[bucket] = (buckets[bucket] ?? 0) + 1
      }
      const expected = values.length / buckets.length
      const chiSquare = buckets.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
      expect(chiSquare).toBeLessThan(45)
    }
  })

  it('share no values between proofs with different randomness or witness', () => {
    const openedOf = (each: Proven) => new Set(seen(each).answers.trace.leaves.flat())
    const own = openedOf(first)
    for (const other of [again, twin]) {
      const shared = [...openedOf(other)].filter((value) => own.has(value))
      // With 8,000 values in each set, about 0.03 pairs match by chance.
      expect(shared.length).toBeLessThan(5)
    }
  })
})

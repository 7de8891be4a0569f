import { add, mul, toField } from '../field/baby-bear.ts'
import {
  cube,
  initialState,
  isFullRound,
  multiplyMatrix,
  poseidonConstants,
  RATE,
} from '../hash/poseidon.ts'
import { type RiskWitness, witnessElements } from './encoding.ts'
import {
  BLOCK_ROWS,
  BLOCKS,
  COLUMNS,
  column,
  FIRST_PARTIAL_ROW,
  firstRowOf,
  LAST_ROW,
  PARTIAL_ROUNDS_BY_ROW,
  violationRow as rowOfViolation,
  USED_ROWS,
} from './layout.ts'
import { RANGES } from './ranges.ts'
import { REGISTERS, type Registers } from './registers.ts'
import { violationRow } from './violation-rows.ts'

/** Columns of `USED_ROWS` cells each. */
export type Trace = readonly Int32Array[]

/**
 * Fills the used rows from these registers without checking them: bits that do not fit are dropped,
 * and registers are taken as given. The constraints detect any mistake.
 */
export function buildTrace(witness: RiskWitness, registers: Registers): Trace {
  const trace = Array.from({ length: COLUMNS }, () => new Int32Array(USED_ROWS))
  const set = (at: number, row: number, value: number) => {
    const cells = trace[at]
    if (cells !== undefined) cells[row] = value
  }
  for (const name of REGISTERS) {
    for (let row = 0; row < USED_ROWS; row += 1) {
      set(column.register(name), row, toField(registers[name]))
    }
  }
  fillViolations(witness, set)
  fillRanges(registers, set)
  fillCommitment(witness, set)
  return trace
}

type Set = (column: number, row: number, value: number) => void

function fillRanges(registers: Registers, set: Set): void {
  for (const { form, width, row, firstBit } of RANGES) {
    const value = form.terms.reduce(
      (sum, [factor, name]) => add(sum, mul(toField(factor), toField(registers[name]))),
      toField(form.constant),
    )
    for (let i = 0; i < width; i += 1) set(column.bit(firstBit + i), row, (value >> i) & 1)
  }
}

function fillViolations({ violations }: RiskWitness, set: Set): void {
  const rows = new Map(violations.map((code, i) => [rowOfViolation(i), violationRow(code)]))
  let recency = 0
  let critical = 0
  for (let row = 0; row < USED_ROWS; row += 1) {
    set(column.recency, row, recency)
    set(column.critical, row, critical)
    const shown = rows.get(row)
    if (shown === undefined) continue
    recency += shown.recency
    critical += shown.critical
    for (const bit of shown.bits) set(column.bit(bit), row, 1)
  }
}

function fillCommitment(witness: RiskWitness, set: Set): void {
  const elements = witnessElements(witness)
  let state: readonly number[] = initialState(elements.length)
  for (let block = 0; block < BLOCKS; block += 1) {
    const slots = elements.slice(block * RATE, (block + 1) * RATE)
    const first = firstRowOf(block)
    for (let row = first; row < first + BLOCK_ROWS; row += 1) {
      for (const [i, element] of slots.entries()) set(column.slot(i), row, element)
    }
    state = fillPermutation(
      state.map((lane, i) => add(lane, slots[i] ?? 0)),
      { first, set },
    )
  }
  fillState(state, LAST_ROW, set)
}

function fillState(state: readonly number[], row: number, set: Set): void {
  for (const [lane, value] of state.entries()) set(column.state(lane), row, value)
}

/** Fills the ten rows of one permutation and returns the state after it. */
function fillPermutation(
  start: readonly number[],
  { first, set }: { first: number; set: Set },
): readonly number[] {
  let state = start
  let round = 0
  for (let at = 0; at < BLOCK_ROWS; at += 1) {
    fillState(state, first + at, set)
    const rounds = PARTIAL_ROUNDS_BY_ROW[at - FIRST_PARTIAL_ROW] ?? 1
    for (let k = 0; k < rounds; k += 1) {
      const made = runRound(state, round)
      const cells = isFullRound(round) ? made.cubes : [made.cubes[0] ?? 0, made.outputs[0] ?? 0]
      const offset = isFullRound(round) ? 0 : 2 * k
      for (const [i, cell] of cells.entries()) set(column.aux(offset + i), first + at, cell)
      state = made.state
      round += 1
    }
  }
  return state
}

function runRound(state: readonly number[], round: number) {
  const { roundConstants, matrix } = poseidonConstants()
  const shifted = state.map((lane, i) => add(lane, roundConstants[round]?.[i] ?? 0))
  const cubes = shifted.map(cube)
  const outputs = shifted.map((lane, i) => {
    const third = cubes[i] ?? 0
    return isFullRound(round) || i === 0 ? mul(mul(third, third), lane) : lane
  })
  return { cubes, outputs, state: multiplyMatrix(matrix, outputs) }
}

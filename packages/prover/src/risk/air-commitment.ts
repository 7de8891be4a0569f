import { add, mul } from '../field/baby-bear.ts'
import { initialState, poseidonConstants, RATE } from '../hash/poseidon.ts'
import { FULL_ROUNDS, WIDTH } from '../hash/poseidon-constants.ts'
import type { AirBuilder } from '../stark/air-builder.ts'
import type { Expression } from '../stark/expression.ts'
import {
  BLOCK_ROWS,
  BLOCKS,
  column,
  FIRST_PARTIAL_ROW,
  LAST_ROW,
  PARTIAL_ROUNDS_BY_ROW,
} from './layout.ts'

const LANES = Array.from({ length: WIDTH }, (_, lane) => lane)
const HALF = FULL_ROUNDS / 2

/** Constrains the sponge to run over all blocks in order and to end with the public commitment. */
export function constrainCommitment(air: AirBuilder): void {
  const { expressions: x } = air
  const next = nextState(air)
  const first = air.row(0)
  const last = air.row(LAST_ROW)
  for (const [lane, initial] of initialState(BLOCKS * RATE).entries()) {
    const absorbed = lane < RATE ? x.column(column.slot(lane)) : 0
    const start = x.sum([1, x.column(column.state(lane))], [-1, absorbed], [-initial, 1])
    air.zero(x.product(first, start))
    if (lane >= RATE) continue
    air.zero(x.product(last, x.subtract(x.column(column.state(lane)), x.public(lane))))
  }
  constrainFullRounds(air, next)
  for (const row of [0, 1] as const) constrainPartialRounds(air, row, next)
  const inside = air.fixed((row) => (row < LAST_ROW && row % BLOCK_ROWS < BLOCK_ROWS - 1 ? 1 : 0))
  for (let i = 0; i < RATE; i += 1) {
    const held = x.subtract(x.next(column.slot(i)), x.column(column.slot(i)))
    air.zero(x.product(inside, held))
  }
}

/** The state of the next row, minus the input absorbed if a block begins there. */
function nextState({ expressions: x, fixed }: AirBuilder): Expression[] {
  const begins = fixed((row) => {
    const atEnd = row % BLOCK_ROWS === BLOCK_ROWS - 1
    return atEnd && row < LAST_ROW - 1 ? 1 : 0
  })
  return LANES.map((lane) => {
    const state = x.next(column.state(lane))
    return lane < RATE ? x.subtract(state, x.product(begins, x.next(column.slot(lane)))) : state
  })
}

/** The full round of a row of a block, or undefined for rows of partial rounds. */
function fullRoundOf(row: number): number | undefined {
  const at = row % BLOCK_ROWS
  if (row >= LAST_ROW) return undefined
  if (at < FIRST_PARTIAL_ROW) return at
  const past = at - FIRST_PARTIAL_ROW - PARTIAL_ROUNDS_BY_ROW.length
  return past < 0 ? undefined : HALF + PARTIAL_ROUNDS_BY_ROW[0] + PARTIAL_ROUNDS_BY_ROW[1] + past
}

function constrainFullRounds(air: AirBuilder, next: readonly Expression[]): void {
  const { expressions: x } = air
  const { roundConstants, matrix } = poseidonConstants()
  const full = air.fixed((row) => (fullRoundOf(row) === undefined ? 0 : 1))
  const outputs = LANES.map((lane) => {
    const constant = air.fixed((row) => roundConstants[fullRoundOf(row) ?? -1]?.[lane] ?? 0)
    const shifted = x.add(x.column(column.state(lane)), constant)
    const third = x.column(column.aux(lane))
    const cubed = x.product(x.product(shifted, shifted), shifted)
    air.zero(x.product(full, x.subtract(third, cubed)))
    return x.product(x.product(third, third), shifted)
  })
  for (const lane of LANES) {
    const mixed = outputs.map((output, j) => [-(matrix[lane]?.[j] ?? 0), output] as const)
    air.zero(x.product(full, x.sum([1, next[lane] ?? 0], ...mixed)))
  }
}

/**
 * Packs several partial rounds into one row. Everything except the S-box is linear, so every
 * intermediate lane is a linear form of the initial lanes, the S-box results and 1.
 */
function constrainPartialRounds(air: AirBuilder, row: 0 | 1, next: readonly Expression[]): void {
  const { expressions: x } = air
  const { roundConstants } = poseidonConstants()
  const rounds = PARTIAL_ROUNDS_BY_ROW[row]
  const firstRound = HALF + (row === 0 ? 0 : PARTIAL_ROUNDS_BY_ROW[0])
  const inRow = air.fixed((at) =>
    at < LAST_ROW && at % BLOCK_ROWS === FIRST_PARTIAL_ROW + row ? 1 : 0,
  )
  const result = (k: number) => x.column(column.aux(2 * k + 1))
  const basis = [
    ...LANES.map((lane) => x.column(column.state(lane))),
    ...Array.from({ length: rounds }, (_, k) => result(k)),
  ]
  const toExpression = (form: Form) =>
    x.sum([form[basis.length] ?? 0, 1], ...basis.map((part, i) => [form[i] ?? 0, part] as const))
  let lanes: Form[] = LANES.map((lane) => unit(lane, basis.length + 1))
  for (let k = 0; k < rounds; k += 1) {
    const constants = roundConstants[firstRound + k] ?? []
    const shifted = lanes.map((form, lane) => shift(form, constants[lane] ?? 0))
    const input = toExpression(shifted[0] ?? [])
    const third = x.column(column.aux(2 * k))
    const cubed = x.product(x.product(input, input), input)
    air.zero(x.product(inRow, x.subtract(third, cubed)))
    const seventh = x.product(x.product(third, third), input)
    air.zero(x.product(inRow, x.subtract(result(k), seventh)))
    lanes = mix([unit(WIDTH + k, basis.length + 1), ...shifted.slice(1)])
  }
  for (const lane of LANES) {
    const held = x.subtract(next[lane] ?? 0, toExpression(lanes[lane] ?? []))
    air.zero(x.product(inRow, held))
  }
}

/** Coefficients of a linear form; the last one is the constant term. */
type Form = readonly number[]

function unit(index: number, length: number): Form {
  return Array.from({ length }, (_, i) => (i === index ? 1 : 0))
}

function shift(form: Form, by: number): Form {
  return form.map((c, i) => (i === form.length - 1 ? add(c, by) : c))
}

function mix(lanes: readonly Form[]): Form[] {
  const { matrix } = poseidonConstants()
  return matrix.map((entries) =>
    (lanes[0] ?? []).map((_, i) =>
      entries.reduce((sum, entry, j) => add(sum, mul(entry, lanes[j]?.[i] ?? 0)), 0),
    ),
  )
}

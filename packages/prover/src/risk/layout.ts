import { RATE } from '../hash/poseidon.ts'
import { PARTIAL_ROUNDS, WIDTH } from '../hash/poseidon-constants.ts'
import { REGISTERS, type RegisterName } from './registers.ts'

/**
 * Where everything stands in the trace of risk-v1. The rows come in blocks of ten, one block for
 * each permutation of the commitment; docs/concepts/proofs.md draws it.
 */

/** Violations that are proven one by one; the rest are summed up beforehand. */
export const VIOLATIONS_MAX = 64

export const BLOCK_ROWS = 10
const INPUT_BLOCKS = 3
const VIOLATION_BLOCKS = VIOLATIONS_MAX / RATE
export const BLOCKS = INPUT_BLOCKS + VIOLATION_BLOCKS + 1

/** The row after the last block, in which the sums and the commitment have their final values. */
export const LAST_ROW = BLOCKS * BLOCK_ROWS
export const ROWS = 256
export const USED_ROWS = LAST_ROW + 1

/** Rows of a block: four full rounds, the partial rounds in two rows, four full rounds. */
export const FIRST_PARTIAL_ROW = 4
export const PARTIAL_ROUNDS_BY_ROW = [7, PARTIAL_ROUNDS - 7] as const

export const BITS = 32

const SLOT = 0
const STATE = SLOT + RATE
const AUX = STATE + WIDTH
const BIT = AUX + WIDTH
const RECENCY = BIT + BITS
const CRITICAL = RECENCY + 1
const REGISTER = CRITICAL + 1

const registerIndex = new Map(REGISTERS.map((name, index) => [name, index]))

/** The columns of the trace. */
export const column = {
  /** What the block absorbs, the same in all its rows. */
  slot: (i: number) => SLOT + i,
  /** The lanes of the permutation before this row's rounds. */
  state: (lane: number) => STATE + lane,
  /** Cubes inside the S-boxes of this row; in rows of partial rounds also their results. */
  aux: (i: number) => AUX + i,
  /** 0 or 1 in every used row but the last. */
  bit: (i: number) => BIT + i,
  /** What the violations of the rows before add to recency. */
  recency: RECENCY,
  /** How many of them are critical and at most a day old. */
  critical: CRITICAL,
  /** The same in all used rows. */
  register: (name: RegisterName) => REGISTER + (registerIndex.get(name) ?? 0),
}
export const COLUMNS = REGISTER + REGISTERS.length

/** The row in which a block absorbs inputs, violations or the salt. */
export function firstRowOf(block: number): number {
  return block * BLOCK_ROWS
}

export function isViolationBlock(block: number): boolean {
  return block >= INPUT_BLOCKS && block < INPUT_BLOCKS + VIOLATION_BLOCKS
}

/** A violation's bits: its severity, and its days as 15 · high + low, each by a single 1. */
export const SEVERITIES_RANKED = ['low', 'medium', 'high', 'critical'] as const
export const DAYS_HIGH = 12
export const DAYS_LOW = 15
/** In the committed element: severity from 1 to 4 times this, plus days. 0 is no violation. */
export const SEVERITY_STEP = 256

/** The row in which the violation in a slot is decoded, by its place among all. */
export function violationRow(index: number): number {
  return firstRowOf(INPUT_BLOCKS + Math.floor(index / RATE)) + (index % RATE)
}

/** Rows whose bits are not a violation's. */
export function freeRows(): number[] {
  return Array.from({ length: LAST_ROW }, (_, row) => row).filter(
    (row) => !isViolationBlock(Math.floor(row / BLOCK_ROWS)) || row % BLOCK_ROWS >= RATE,
  )
}

import { RATE } from '../hash/poseidon.ts'
import { PARTIAL_ROUNDS, WIDTH } from '../hash/poseidon-constants.ts'
import { REGISTERS, type RegisterName } from './registers.ts'

/**
 * The layout of the trace for risk-v1. Rows come in blocks of ten, one block for each permutation
 * of the commitment; docs/concepts/proofs.md has a diagram.
 */

/** The number of violations proven individually; the rest are summed beforehand. */
export const VIOLATIONS_MAX = 64

export const BLOCK_ROWS = 10
const INPUT_BLOCKS = 3
const VIOLATION_BLOCKS = VIOLATIONS_MAX / RATE
export const BLOCKS = INPUT_BLOCKS + VIOLATION_BLOCKS + 1

/** The row after the last block, which holds the final sums and the final commitment. */
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
  /** The elements that the block absorbs, the same in all its rows. */
  slot: (i: number) => SLOT + i,
  /** The lanes of the permutation before this row's rounds. */
  state: (lane: number) => STATE + lane,
  /** Cubes inside the S-boxes of this row; in rows of partial rounds also their results. */
  aux: (i: number) => AUX + i,
  /** 0 or 1 in every used row but the last. */
  bit: (i: number) => BIT + i,
  /** The recency accumulated by the violations of earlier rows. */
  recency: RECENCY,
  /** How many of those are critical and at most one day old. */
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

/** The bits of a violation: its severity, and its age in days as 15 · high + low, each one-hot. */
export const SEVERITIES_RANKED = ['low', 'medium', 'high', 'critical'] as const
export const DAYS_HIGH = 12
export const DAYS_LOW = 15
/** The committed element is severity (1 to 4) times this, plus the days. 0 means no violation. */
export const SEVERITY_STEP = 256

/** The row that decodes a violation, by its index among all violations. */
export function violationRow(index: number): number {
  return firstRowOf(INPUT_BLOCKS + Math.floor(index / RATE)) + (index % RATE)
}

/** Rows whose bits are not used to decode a violation. */
export function freeRows(): number[] {
  return Array.from({ length: LAST_ROW }, (_, row) => row).filter(
    (row) => !isViolationBlock(Math.floor(row / BLOCK_ROWS)) || row % BLOCK_ROWS >= RATE,
  )
}

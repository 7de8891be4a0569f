import { add, mul } from '../field/baby-bear.ts'
import {
  derivePoseidonConstants,
  FULL_ROUNDS,
  PARTIAL_ROUNDS,
  type PoseidonConstants,
  WIDTH,
} from './poseidon-constants.ts'

/** Elements absorbed or squeezed per permutation; the other eight lanes are the capacity. */
export const RATE = 8

let derived: PoseidonConstants | undefined

/**
 * Derived on first use, because derivation takes a few milliseconds that many importers never need.
 */
export function poseidonConstants(): PoseidonConstants {
  derived ??= derivePoseidonConstants()
  return derived
}

export function cube(x: number): number {
  return mul(mul(x, x), x)
}

/** x^7. */
export function sbox(x: number): number {
  const third = cube(x)
  return mul(mul(third, third), x)
}

export function multiplyMatrix(
  matrix: PoseidonConstants['matrix'],
  lanes: readonly number[],
): number[] {
  return matrix.map((row) => row.reduce((sum, entry, j) => add(sum, mul(entry, lanes[j] ?? 0)), 0))
}

/** A full round applies the S-box to every lane, a partial round to the first lane only. */
export function isFullRound(round: number): boolean {
  return round < FULL_ROUNDS / 2 || round >= FULL_ROUNDS / 2 + PARTIAL_ROUNDS
}

export function permute(input: readonly number[]): number[] {
  const { roundConstants, matrix } = poseidonConstants()
  return roundConstants.reduce<number[]>(
    (state, constants, round) => {
      const shifted = state.map((lane, i) => add(lane, constants[i] ?? 0))
      const full = isFullRound(round)
      return multiplyMatrix(
        matrix,
        shifted.map((lane, i) => (full || i === 0 ? sbox(lane) : lane)),
      )
    },
    [...input],
  )
}

/**
 * A sponge for inputs of known length, a multiple of the rate: each block is added to the first
 * eight lanes. The length is written to the capacity, so inputs of different lengths never share a
 * state.
 */
export function poseidonHash(elements: readonly number[]): number[] {
  let state: number[] = initialState(elements.length)
  for (let at = 0; at < elements.length; at += RATE) {
    const block = elements.slice(at, at + RATE)
    state = permute(state.map((lane, i) => add(lane, block[i] ?? 0)))
  }
  return state.slice(0, RATE)
}

export function initialState(length: number): number[] {
  return Array.from({ length: WIDTH }, (_, lane) => (lane === RATE ? length : 0))
}

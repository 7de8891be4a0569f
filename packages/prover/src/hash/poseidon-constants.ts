import { add, inverse, P } from '../field/baby-bear.ts'

/**
 * Poseidon (Grassi et al., USENIX Security 2021) over BabyBear: width 16, S-box x^7 (a permutation,
 * because 7 does not divide p - 1), and the round numbers that the authors' script gives for 128
 * bits. Round constants and matrix come from the Grain LFSR of the paper's appendix.
 */
export const WIDTH = 16
export const FULL_ROUNDS = 8
export const PARTIAL_ROUNDS = 13
const ROUNDS = FULL_ROUNDS + PARTIAL_ROUNDS
const FIELD_BITS = 31
const GRAIN_BITS = 80

export type PoseidonConstants = {
  /** By round, then by lane. */
  roundConstants: readonly (readonly number[])[]
  /** The weight of each input lane (column) in each output lane (row). */
  matrix: readonly (readonly number[])[]
}

/**
 * The order of sampling matters: first all round constants, resampled until below p; then the
 * matrix entries, reduced modulo p.
 */
export function derivePoseidonConstants(): PoseidonConstants {
  const nextWord = createGrain()
  const lanes = Array.from({ length: WIDTH }, (_, lane) => lane)
  const constant = () => {
    for (;;) {
      const word = nextWord()
      if (word < P) return word
    }
  }
  const roundConstants = Array.from({ length: ROUNDS }, () => lanes.map(constant))
  const xs = lanes.map(() => nextWord() % P)
  const ys = lanes.map(() => nextWord() % P)
  // A Cauchy matrix: every square submatrix is invertible.
  const matrix = xs.map((x) => ys.map((y) => inverse(add(x, y))))
  return { roundConstants, matrix }
}

/** 31-bit words from the self-shrinking Grain LFSR, seeded with the parameters. */
function createGrain(): () => number {
  const state = seedBits()
  let at = 0
  const step = (): number => {
    const bit = [62, 51, 38, 23, 13, 0].reduce(
      (sum, offset) => sum ^ (state[(at + offset) % GRAIN_BITS] ?? 0),
      0,
    )
    state[at] = bit
    at = (at + 1) % GRAIN_BITS
    return bit
  }
  for (let i = 0; i < 2 * GRAIN_BITS; i += 1) step()
  const shrunk = (): number => {
    for (;;) {
      const keep = step()
      const bit = step()
      if (keep === 1) return bit
    }
  }
  return () => {
    let word = 0
    for (let i = 0; i < FIELD_BITS; i += 1) word = 2 * word + shrunk()
    return word
  }
}

function seedBits(): number[] {
  const fields: readonly (readonly [value: number, bits: number])[] = [
    [1, 2], // a prime field
    [0, 4], // an x^alpha S-box, not the inverse
    [FIELD_BITS, 12],
    [WIDTH, 12],
    [FULL_ROUNDS, 10],
    [PARTIAL_ROUNDS, 10],
    [2 ** 30 - 1, 30],
  ]
  return fields.flatMap(([value, bits]) =>
    Array.from({ length: bits }, (_, i) => (value >> (bits - 1 - i)) & 1),
  )
}

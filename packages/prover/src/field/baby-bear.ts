/**
 * The field of integers modulo p = 2^31 - 2^27 + 1 ("BabyBear"). Elements are int32 values in
 * 0..p-1, so no product needs a bigint.
 */
export const P = 2_013_265_921

/** Generates the whole multiplicative group of p - 1 = 2^27 · 3 · 5 elements. */
export const GENERATOR = 31

const TWO_ADICITY = 27
const INVERSE_P = 1 / P

/**
 * Stays in int32: a - p + b lies between -p and p, and the sign mask adds p back to a negative sum.
 */
export function add(a: number, b: number): number {
  const sum = (a + (b - P)) | 0
  return (sum + ((sum >> 31) & P)) | 0
}

export function sub(a: number, b: number): number {
  const difference = (a - b) | 0
  return (difference + ((difference >> 31) & P)) | 0
}

/**
 * Estimates the quotient in double precision, where the error is below 2^-20. The estimate is off
 * by one only if the remainder is within p · 2^-20 of 0 or p, and the int32 difference is still
 * exact then.
 */
export function mul(a: number, b: number): number {
  const quotient = (a * b * INVERSE_P) | 0
  const rest = (Math.imul(a, b) - Math.imul(quotient, P)) | 0
  if (rest < 0) return (rest + P) | 0
  return rest >= P ? (rest - P) | 0 : rest
}

export function pow(base: number, exponent: number): number {
  let result = 1
  let square = base
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = mul(result, square)
    square = mul(square, square)
  }
  return result
}

/** The inverse by Fermat's little theorem. 0 has no inverse and returns 0. */
export function inverse(a: number): number {
  return pow(a, P - 2)
}

/** A generator of the group of 2^log2-th roots of unity. */
export function rootOfUnity(log2: number): number {
  return pow(pow(GENERATOR, 15), 2 ** (TWO_ADICITY - log2))
}

/** Maps a small integer to its field element; negative integers count down from p. */
export function toField(value: number): number {
  return ((value % P) + P) % P
}

/** Only canonical representatives (0..p-1) are accepted. */
export function isElement(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < P
}

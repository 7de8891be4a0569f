import { add, inverse, mul, rootOfUnity, sub } from './baby-bear.ts'

/** Cached powers of a root of unity, keyed by domain size. */
const twiddlesBySize = new Map<number, Int32Array>()

function twiddlesOf(size: number): Int32Array {
  const known = twiddlesBySize.get(size)
  if (known !== undefined) return known
  const twiddles = powersOf(rootOfUnity(Math.log2(size)), size / 2)
  twiddlesBySize.set(size, twiddles)
  return twiddles
}

/** 1, base, base², … */
export function powersOf(base: number, count: number): Int32Array {
  const powers = new Int32Array(count)
  let power = 1
  for (let i = 0; i < count; i += 1) {
    powers[i] = power
    power = mul(power, base)
  }
  return powers
}

/** Evaluates a polynomial at the powers of the root of unity, in place and in natural order. */
export function transform(values: Int32Array): void {
  permute(values)
  combine(values, 1)
}

/** Runs the butterfly stages, from pairs `from` apart up to pairs half the size apart. */
function combine(values: Int32Array, from: number): void {
  const size = values.length
  const twiddles = twiddlesOf(size)
  for (let half = from; half < size; half *= 2) {
    const stride = size / (2 * half)
    for (let j = 0, t = 0; j < half; j += 1, t += stride) {
      const twiddle = twiddles[t] ?? 0
      for (let at = j; at < size; at += 2 * half) {
        const low = values[at] ?? 0
        const high = mul(values[at + half] ?? 0, twiddle)
        values[at] = add(low, high)
        values[at + half] = sub(low, high)
      }
    }
  }
}

/** Recovers the coefficients of the polynomial with these values, in place. */
export function interpolate(values: Int32Array): void {
  transform(values)
  // The inverse transform is the forward transform with all values but the first reversed.
  values.subarray(1).reverse()
  const scale = inverse(values.length)
  for (let i = 0; i < values.length; i += 1) values[i] = mul(values[i] ?? 0, scale)
}

/**
 * Evaluates a polynomial at offset · roots of unity of a domain at least as large as it. On a
 * larger domain the first butterfly stages would only copy values, so they are skipped.
 */
export function evaluateOnCoset(
  coefficients: Int32Array,
  { size, offset }: { size: number; offset: number },
): Int32Array {
  const scaled = new Int32Array(coefficients.length)
  let power = 1
  for (let i = 0; i < scaled.length; i += 1) {
    scaled[i] = mul(coefficients[i] ?? 0, power)
    power = mul(power, offset)
  }
  permute(scaled)
  const copies = size / scaled.length
  const values = new Int32Array(size)
  for (let i = 0; i < size; i += 1) values[i] = scaled[Math.floor(i / copies)] ?? 0
  combine(values, copies)
  return values
}

/** The inverse of `evaluateOnCoset`. */
export function interpolateOnCoset(values: Int32Array, offset: number): Int32Array {
  const coefficients = values.slice()
  interpolate(coefficients)
  const shrink = powersOf(inverse(offset), coefficients.length)
  for (let i = 0; i < coefficients.length; i += 1) {
    coefficients[i] = mul(coefficients[i] ?? 0, shrink[i] ?? 0)
  }
  return coefficients
}

/** Permutes into bit-reversed order. */
function permute(values: Int32Array): void {
  const size = values.length
  for (let i = 1, j = 0; i < size; i += 1) {
    let bit = size >> 1
    for (; (j & bit) !== 0; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) {
      const held = values[i] ?? 0
      values[i] = values[j] ?? 0
      values[j] = held
    }
  }
}

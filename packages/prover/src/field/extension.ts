import { add, inverse, isElement, mul, P, pow, sub } from './baby-bear.ts'

/**
 * The extension of degree 5: polynomials over BabyBear modulo X^5 - 2, about 2^154.5 elements. X^5
 * - 2 is irreducible because 5 divides p - 1 and 2 is not a fifth power.
 */
export const DEGREE = 5
const NON_RESIDUE = 2

/** Five coefficients, constant term first. Immutable. */
export type Extension = readonly [number, number, number, number, number]

export const ZERO: Extension = [0, 0, 0, 0, 0]
export const ONE: Extension = [1, 0, 0, 0, 0]

export function fromBase(a: number): Extension {
  return [a, 0, 0, 0, 0]
}

export function addE(a: Extension, b: Extension): Extension {
  return [add(a[0], b[0]), add(a[1], b[1]), add(a[2], b[2]), add(a[3], b[3]), add(a[4], b[4])]
}

export function subE(a: Extension, b: Extension): Extension {
  return [sub(a[0], b[0]), sub(a[1], b[1]), sub(a[2], b[2]), sub(a[3], b[3]), sub(a[4], b[4])]
}

export function scaleE(a: Extension, by: number): Extension {
  return [mul(a[0], by), mul(a[1], by), mul(a[2], by), mul(a[3], by), mul(a[4], by)]
}

export function mulE(a: Extension, b: Extension): Extension {
  const [a0, a1, a2, a3, a4] = a
  const [b0, b1, b2, b3, b4] = b
  return [
    add(mul(a0, b0), twice(sum4(mul(a1, b4), mul(a2, b3), mul(a3, b2), mul(a4, b1)))),
    add(add(mul(a0, b1), mul(a1, b0)), twice(add(add(mul(a2, b4), mul(a3, b3)), mul(a4, b2)))),
    add(add(add(mul(a0, b2), mul(a1, b1)), mul(a2, b0)), twice(add(mul(a3, b4), mul(a4, b3)))),
    add(sum4(mul(a0, b3), mul(a1, b2), mul(a2, b1), mul(a3, b0)), twice(mul(a4, b4))),
    add(sum4(mul(a0, b4), mul(a1, b3), mul(a2, b2), mul(a3, b1)), mul(a4, b0)),
  ]
}

/** Reduces an overflowing coefficient: X^5 = 2. */
function twice(a: number): number {
  return add(a, a)
}

function sum4(a: number, b: number, c: number, d: number): number {
  return add(add(a, b), add(c, d))
}

/** X^p = FROBENIUS · X, since p - 1 is a multiple of 5. */
const FROBENIUS = pow(NON_RESIDUE, (P - 1) / DEGREE)

/** a^p: the coefficient of X^i times FROBENIUS^i. */
function frobenius(a: Extension): Extension {
  const square = mul(FROBENIUS, FROBENIUS)
  const cube = mul(square, FROBENIUS)
  return [
    a[0],
    mul(a[1], FROBENIUS),
    mul(a[2], square),
    mul(a[3], cube),
    mul(a[4], mul(square, square)),
  ]
}

/** The product of the other conjugates of a is norm(a) / a, and the norm lies in the base field. */
export function inverseE(a: Extension): Extension {
  const conjugate = frobenius(a)
  const second = frobenius(conjugate)
  const third = frobenius(second)
  const others = mulE(mulE(conjugate, second), mulE(third, frobenius(third)))
  return scaleE(others, inverse(mulE(a, others)[0]))
}

/** Batch inversion with a single field inversion (Montgomery's trick). No value may be 0. */
export function invertAll(values: readonly Extension[]): Extension[] {
  const prefixProducts: Extension[] = []
  let product = ONE
  for (const value of values) {
    prefixProducts.push(product)
    product = mulE(product, value)
  }
  const inverted: Extension[] = [...values]
  let suffixInverse = inverseE(product)
  for (let i = values.length - 1; i >= 0; i -= 1) {
    inverted[i] = mulE(suffixInverse, prefixProducts[i] ?? ONE)
    suffixInverse = mulE(suffixInverse, values[i] ?? ONE)
  }
  return inverted
}

export function powE(base: Extension, exponent: number): Extension {
  let result = ONE
  let square = base
  for (let left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) result = mulE(result, square)
    square = mulE(square, square)
  }
  return result
}

export function equalE(a: Extension, b: Extension): boolean {
  return a.every((coefficient, i) => coefficient === b[i])
}

export function isExtension(a: readonly number[]): a is Extension {
  return a.length === DEGREE && a.every(isElement)
}

/** Evaluates the polynomial with these coefficients at a point, by Horner's rule. */
export function evaluateE(coefficients: readonly Extension[], at: Extension): Extension {
  return coefficients.reduceRight((sum, coefficient) => addE(mulE(sum, at), coefficient), ZERO)
}

import { add, mul } from '../field/baby-bear.ts'
import { addE, DEGREE, type Extension, mulE, scaleE, ZERO } from '../field/extension.ts'
import { evaluateOnCoset } from '../field/ntt.ts'

/** A list of extension elements stored by coordinate, so that transforms stay in the base field. */
export type Coordinates = readonly [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array]

export function coordinatesOf(length: number): Coordinates {
  const one = () => new Int32Array(length)
  return [one(), one(), one(), one(), one()]
}

export function entryOf(of: Coordinates, i: number): Extension {
  return [of[0][i] ?? 0, of[1][i] ?? 0, of[2][i] ?? 0, of[3][i] ?? 0, of[4][i] ?? 0]
}

export function setEntry(of: Coordinates, i: number, value: Extension): void {
  for (let c = 0; c < DEGREE; c += 1) {
    const part = of[c]
    if (part !== undefined) part[i] = value[c] ?? 0
  }
}

/** Adds a base-field polynomial times an extension element. */
export function addScaled(sum: Coordinates, polynomial: Int32Array, by: Extension): void {
  for (let c = 0; c < DEGREE; c += 1) {
    const part = sum[c]
    const factor = by[c] ?? 0
    if (part === undefined) continue
    for (let i = 0; i < polynomial.length; i += 1) {
      part[i] = add(part[i] ?? 0, mul(polynomial[i] ?? 0, factor))
    }
  }
}

/** The quotient of the division by X - at; the remainder is dropped. */
export function divideByPoint(polynomial: Coordinates, at: Extension): Coordinates {
  const length = polynomial[0].length
  const quotient = coordinatesOf(length)
  let carried = ZERO
  for (let i = length - 1; i > 0; i -= 1) {
    carried = addE(mulE(carried, at), entryOf(polynomial, i))
    setEntry(quotient, i - 1, carried)
  }
  return quotient
}

/** Evaluates each base-field polynomial at a point of the extension. */
export function evaluateAllAt(polynomials: readonly Int32Array[], at: Extension): Extension[] {
  const powers: Extension[] = []
  let power: Extension = [1, 0, 0, 0, 0]
  for (let i = 0; i < (polynomials[0]?.length ?? 0); i += 1) {
    powers.push(power)
    power = mulE(power, at)
  }
  return polynomials.map((polynomial) =>
    powers.reduce((sum, each, i) => addE(sum, scaleE(each, polynomial[i] ?? 0)), ZERO),
  )
}

export function mapCoordinates(
  of: Coordinates,
  change: (coordinate: Int32Array) => Int32Array,
): Coordinates {
  const [a, b, c, d, e] = of
  return [change(a), change(b), change(c), change(d), change(e)]
}

export function evaluateCoordinates(
  of: Coordinates,
  domain: { size: number; offset: number },
): Coordinates {
  return mapCoordinates(of, (coordinate) => evaluateOnCoset(coordinate, domain))
}

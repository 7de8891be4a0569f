import { add, GENERATOR, inverse, mul, pow, rootOfUnity, sub } from '../field/baby-bear.ts'
import { DEGREE, type Extension } from '../field/extension.ts'
import { evaluateOnCoset, interpolate, interpolateOnCoset } from '../field/ntt.ts'
import { evaluateOver } from './evaluate.ts'
import { addScaled, type Coordinates, coordinatesOf, mapCoordinates } from './polynomials.ts'
import { CONSTRAINT_DEGREE, domainSize, type Program, segmentLength } from './program.ts'
import type { Randomness } from './randomness.ts'
import type { Statement } from './transcript.ts'

/**
 * The constraint degree sets the size of the subdomain; this many of its points make up one row.
 */
const POINTS_PER_ROW = CONSTRAINT_DEGREE

/** Cached values of the fixed columns on that subdomain, which are the same in every proof. */
const fixedByProgram = new WeakMap<Program, Int32Array[]>()

function fixedValues(program: Program): Int32Array[] {
  const known = fixedByProgram.get(program)
  if (known !== undefined) return known
  const { rows } = program.parameters
  const values = program.fixed.map((cells) => {
    const column = new Int32Array(rows)
    for (const [row, value] of cells) column[row] = value
    interpolate(column)
    return evaluateOnCoset(column, { size: rows * POINTS_PER_ROW, offset: GENERATOR })
  })
  fixedByProgram.set(program, values)
  return values
}

/**
 * The coefficients of (sum of challenge · constraint) / (X^rows - 1), of degree below 3 · rows if
 * all constraints hold. If one does not, the division leaves garbage, which is not detected here.
 */
export function quotientOf(
  { program, publics }: Statement,
  columns: readonly Int32Array[],
  challenges: readonly Extension[],
): Coordinates {
  const { rows } = program.parameters
  const count = rows * POINTS_PER_ROW
  const stride = domainSize(program.parameters) / count
  const fixed = fixedValues(program)
  const none = new Int32Array(count)
  const sample = (column: number, ahead: number): Int32Array => {
    const values = columns[column] ?? none
    const sampled = new Int32Array(count)
    for (let i = 0; i < count; i += 1) sampled[i] = values[((i + ahead) % count) * stride] ?? 0
    return sampled
  }
  const constraints = evaluateOver(
    program,
    {
      count,
      column: (column) => sample(column, 0),
      next: (column) => sample(column, POINTS_PER_ROW),
      fixed: (column) => fixed[column] ?? none,
    },
    publics,
  )
  const combined = coordinatesOf(count)
  for (const [i, values] of constraints.entries()) {
    const challenge = challenges[i]
    if (challenge !== undefined) addScaled(combined, values, challenge)
  }
  const vanishing = inverseVanishing(rows)
  return mapCoordinates(combined, (part) =>
    interpolateOnCoset(
      part.map((value, i) => mul(value, vanishing[i % POINTS_PER_ROW] ?? 0)),
      GENERATOR,
    ),
  )
}

/** 1 / (x^rows - 1), which repeats with period POINTS_PER_ROW. */
function inverseVanishing(rows: number): number[] {
  const offset = pow(GENERATOR, rows)
  const root = rootOfUnity(Math.log2(POINTS_PER_ROW))
  return Array.from({ length: POINTS_PER_ROW }, (_, i) =>
    inverse(sub(mul(offset, pow(root, i)), 1)),
  )
}

/**
 * Splits the quotient into segments, Q = sum of X^(i · length) · segment_i, none of which reveals
 * anything alone: each segment but the last gains X^length times a random polynomial, which is
 * subtracted from the next. Returns base-field polynomials, five per segment.
 */
export function splitQuotient(
  quotient: Coordinates,
  program: Program,
  randomness: Randomness,
): Int32Array[] {
  const { rows, quotientSegments } = program.parameters
  const length = segmentLength(program.parameters)
  const segments = Array.from({ length: quotientSegments }, () =>
    Array.from({ length: DEGREE }, () => new Int32Array(rows)),
  )
  for (const [s, parts] of segments.entries()) {
    for (const [c, part] of parts.entries()) {
      part.set(quotient[c]?.subarray(s * length, (s + 1) * length) ?? [])
    }
  }
  for (const [s, parts] of segments.slice(0, -1).entries()) {
    for (const [c, part] of parts.entries()) {
      carryMask(part, segments[s + 1]?.[c] ?? part, { length, randomness })
    }
  }
  return segments.flat()
}

function carryMask(
  from: Int32Array,
  to: Int32Array,
  { length, randomness }: { length: number; randomness: Randomness },
): void {
  for (let i = length; i < from.length; i += 1) {
    const mask = randomness.element()
    from[i] = add(from[i] ?? 0, mask)
    to[i - length] = sub(to[i - length] ?? 0, mask)
  }
}

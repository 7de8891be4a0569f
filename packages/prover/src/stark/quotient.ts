import { add, GENERATOR, inverse, mul, pow, rootOfUnity, sub } from '../field/baby-bear.ts'
import { DEGREE, type Extension } from '../field/extension.ts'
import { evaluateOnCoset, interpolate, interpolateOnCoset } from '../field/ntt.ts'
import { evaluateOver } from './evaluate.ts'
import { addScaled, type Coordinates, coordinatesOf, mapCoordinates } from './polynomials.ts'
import { CONSTRAINT_DEGREE, domainSize, type Program, segmentLength } from './program.ts'
import type { Randomness } from './randomness.ts'
import type { Statement } from './transcript.ts'

/** Every so many points of this part of the evaluation domain are a row further. */
const POINTS_PER_ROW = CONSTRAINT_DEGREE

/** The program's columns on that part, which are the same in every proof. */
const fixedByProgram = new WeakMap<Program, Int32Array[]>()

function fixedValues(program: Program): Int32Array[] {
  const known = fixedByProgram.get(program)
  if (known !== undefined) return known
  const { rows } = program.parameters
  const made = program.fixed.map((cells) => {
    const column = new Int32Array(rows)
    for (const [row, value] of cells) column[row] = value
    interpolate(column)
    return evaluateOnCoset(column, { size: rows * POINTS_PER_ROW, offset: GENERATOR })
  })
  fixedByProgram.set(program, made)
  return made
}

/**
 * The coefficients of (sum of challenge times constraint) / (X^rows - 1), below degree 3 · rows
 * when all constraints hold. When one does not, the division leaves garbage, which is not noticed
 * here.
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

/** 1 / (x^rows - 1), which repeats after a row's points. */
function inverseVanishing(rows: number): number[] {
  const offset = pow(GENERATOR, rows)
  const root = rootOfUnity(Math.log2(POINTS_PER_ROW))
  return Array.from({ length: POINTS_PER_ROW }, (_, i) =>
    inverse(sub(mul(offset, pow(root, i)), 1)),
  )
}

/**
 * The quotient in segments, Q = sum of X^(i · length) · segment_i, none of which tells anything on
 * its own: each but the last gets X^length times a random polynomial, and the next loses it.
 * Gives base polynomials, five for each segment.
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

import { inverse, rootOfUnity } from '../field/baby-bear.ts'
import {
  addE,
  type Extension,
  fromBase,
  invertAll,
  mulE,
  ONE,
  powE,
  scaleE,
  subE,
  ZERO,
} from '../field/extension.ts'
import { powersOf } from '../field/ntt.ts'
import type { Program } from './program.ts'

/** x^rows - 1, which is 0 exactly on the rows of the trace. */
export function vanishingAt({ parameters }: Program, at: Extension): Extension {
  return subE(powE(at, parameters.rows), ONE)
}

/**
 * Evaluates the fixed columns at a point that is not a row, by Lagrange interpolation of their
 * cells.
 */
export function fixedAt(program: Program, at: Extension): Extension[] {
  const { rows, usedRows } = program.parameters
  const points = powersOf(rootOfUnity(Math.log2(rows)), usedRows)
  const inverses = invertAll(Array.from(points, (point) => subE(at, fromBase(point))))
  const scale = scaleE(vanishingAt(program, at), inverse(rows))
  const lagrange = inverses.map((part, row) => mulE(scaleE(part, points[row] ?? 0), scale))
  return program.fixed.map((cells) =>
    cells.reduce((sum, [row, value]) => addE(sum, scaleE(lagrange[row] ?? ZERO, value)), ZERO),
  )
}

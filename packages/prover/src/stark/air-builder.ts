import { createExpressions, type Expression, type ExpressionBuilder } from './expression.ts'
import { CONSTRAINT_DEGREE, type Parameters, type Program } from './program.ts'

/** Collects the fixed columns and constraints of a program; equal columns are deduplicated. */
export type AirBuilder = {
  expressions: ExpressionBuilder
  /** A fixed column, given by its value in each row; 0 in unused rows. */
  fixed(cellOf: (row: number) => number): Expression
  /** A selector column: 1 in the given row, 0 elsewhere. */
  row(at: number): Expression
  /**
   * Requires an expression to be 0 in every row. INVARIANT: on unused rows some fixed factor must
   * be 0.
   */
  zero(expression: Expression): void
  finish(program: Pick<Program, 'name' | 'columns' | 'publics'>): Program
}

export function createAirBuilder(parameters: Parameters): AirBuilder {
  const expressions = createExpressions()
  const fixed: (readonly (readonly [number, number])[])[] = []
  const known = new Map<string, Expression>()
  const constraints: number[] = []

  function fixedColumn(cellOf: (row: number) => number): Expression {
    const cells = Array.from({ length: parameters.usedRows }, (_, row) => [row, cellOf(row)])
      .map(([row = 0, value = 0]) => [row, value] as const)
      .filter(([, value]) => value !== 0)
    const key = cells.join()
    const same = known.get(key)
    if (same !== undefined) return same
    const made = expressions.fixed(fixed.push(cells) - 1)
    known.set(key, made)
    return made
  }

  return {
    expressions,
    fixed: fixedColumn,
    row: (at) => fixedColumn((row) => (row === at ? 1 : 0)),
    zero(expression) {
      if (expression.degree > CONSTRAINT_DEGREE) {
        throw new Error(`constraint degree ${expression.degree} exceeds ${CONSTRAINT_DEGREE}`)
      }
      constraints.push(expression.step)
    },
    finish: (program) => ({ ...program, parameters, fixed, steps: expressions.steps, constraints }),
  }
}

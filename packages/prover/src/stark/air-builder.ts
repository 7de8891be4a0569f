import { createExpressions, type Expression, type ExpressionBuilder } from './expression.ts'
import { CONSTRAINT_DEGREE, type Parameters, type Program } from './program.ts'

/** Collects the columns of a program and its constraints; equal columns are made once. */
export type AirBuilder = {
  expressions: ExpressionBuilder
  /** A column of the program, by the value it has in each row; 0 in rows that are not used. */
  fixed(cellOf: (row: number) => number): Expression
  /** 1 in one row. */
  row(at: number): Expression
  /** INVARIANT: an expression is 0 in every row; on unused rows some fixed factor must be 0. */
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
        throw new Error(`a constraint of degree ${expression.degree}`)
      }
      constraints.push(expression.step)
    },
    finish: (program) => ({ ...program, parameters, fixed, steps: expressions.steps, constraints }),
  }
}

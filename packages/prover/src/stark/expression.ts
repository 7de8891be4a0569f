import { mul, P, toField } from '../field/baby-bear.ts'

/**
 * Constraints as a list of steps, each of which refers to earlier steps by index. The prover runs
 * the list over many points, the verifiers run it at one point, and its hash is part of the program
 * id.
 */
export type Step =
  /** A column of the trace, in the current row or in the next. */
  | { kind: 'column'; column: number }
  | { kind: 'next'; column: number }
  /** A fixed column, which is part of the program. */
  | { kind: 'fixed'; column: number }
  | { kind: 'public'; index: number }
  /** The constant plus the sum of coefficient · step over all terms. */
  | { kind: 'sum'; constant: number; terms: readonly Term[] }
  | { kind: 'product'; left: number; right: number }

export type Term = readonly [coefficient: number, step: number]

/** A step under construction. The degree counts columns. */
export type Expression = { step: number; degree: number }
export type Operand = Expression | number

export type ExpressionBuilder = ReturnType<typeof createExpressions>

export function createExpressions() {
  const steps: Step[] = []
  const known = new Map<string, Expression>()

  function push(step: Step, degree: number): Expression {
    const key = JSON.stringify(step)
    const same = known.get(key)
    if (same !== undefined) return same
    const made = { step: steps.push(step) - 1, degree }
    known.set(key, made)
    return made
  }

  /** Integers, including negative ones, are mapped to field elements; equal steps are merged. */
  function sum(...parts: readonly (readonly [number, Operand])[]): Expression {
    let constant = 0
    const coefficients = new Map<number, number>()
    let degree = 0
    for (const [factor, operand] of parts) {
      const coefficient = toField(factor)
      if (typeof operand === 'number') {
        constant = (constant + mul(coefficient, toField(operand))) % P
      } else {
        const before = coefficients.get(operand.step) ?? 0
        coefficients.set(operand.step, (before + coefficient) % P)
        degree = Math.max(degree, operand.degree)
      }
    }
    const terms = [...coefficients]
      .filter(([, coefficient]) => coefficient !== 0)
      .map(([step, coefficient]) => [coefficient, step] as const)
    return push({ kind: 'sum', constant, terms }, degree)
  }

  function product(left: Operand, right: Operand): Expression {
    if (typeof left === 'number') return sum([left, right])
    if (typeof right === 'number') return sum([right, left])
    const degree = left.degree + right.degree
    return push({ kind: 'product', left: left.step, right: right.step }, degree)
  }

  return {
    steps: steps as readonly Step[],
    column: (column: number) => push({ kind: 'column', column }, 1),
    next: (column: number) => push({ kind: 'next', column }, 1),
    fixed: (column: number) => push({ kind: 'fixed', column }, 1),
    public: (index: number) => push({ kind: 'public', index }, 0),
    sum,
    product,
    add: (...operands: readonly Operand[]) => sum(...operands.map((o) => [1, o] as const)),
    subtract: (left: Operand, right: Operand) => sum([1, left], [-1, right]),
    /** 1 - x. */
    not: (operand: Operand) => sum([1, 1], [-1, operand]),
  }
}

import { add, mul, P, sub } from '../field/baby-bear.ts'
import { addE, type Extension, fromBase, mulE, scaleE, subE, ZERO } from '../field/extension.ts'
import type { Step } from './expression.ts'
import type { Program } from './program.ts'

/** The values of the columns at many points, in the current and in the next row. */
export type Points = {
  count: number
  column: (column: number) => Int32Array
  next: (column: number) => Int32Array
  fixed: (column: number) => Int32Array
}

/** The values that the verifier knows at one point. */
export type Opened = {
  current: readonly Extension[]
  next: readonly Extension[]
  fixed: readonly Extension[]
}

/**
 * Evaluates every step at one point of the extension and returns the constraints' values in order.
 */
export function evaluateAt(
  program: Program,
  opened: Opened,
  publics: readonly number[],
): Extension[] {
  const values: Extension[] = []
  const stepValue = (step: number) => values[step] ?? ZERO
  for (const step of program.steps) values.push(evaluateStep(step, { opened, publics, stepValue }))
  return program.constraints.map(stepValue)
}

type At = {
  opened: Opened
  publics: readonly number[]
  stepValue: (step: number) => Extension
}

function evaluateStep(step: Step, { opened, publics, stepValue }: At): Extension {
  switch (step.kind) {
    case 'column':
      return opened.current[step.column] ?? ZERO
    case 'next':
      return opened.next[step.column] ?? ZERO
    case 'fixed':
      return opened.fixed[step.column] ?? ZERO
    case 'public':
      return fromBase(publics[step.index] ?? 0)
    case 'product':
      return mulE(stepValue(step.left), stepValue(step.right))
    case 'sum':
      return step.terms.reduce(
        (sum, [coefficient, of]) => accumulate(sum, coefficient, stepValue(of)),
        fromBase(step.constant),
      )
  }
}

function accumulate(sum: Extension, coefficient: number, value: Extension): Extension {
  if (coefficient === 1) return addE(sum, value)
  return coefficient === P - 1 ? subE(sum, value) : addE(sum, scaleE(value, coefficient))
}

/**
 * Evaluates every step at many points of the base field and returns the constraints' values.
 * Running each step over all points is many times faster than running all steps point by point.
 */
export function evaluateOver(
  program: Program,
  points: Points,
  publics: readonly number[],
): Int32Array[] {
  const values: Int32Array[] = []
  for (const step of program.steps) values.push(runStep(step, values, { points, publics }))
  return program.constraints.map((step) => values[step] ?? new Int32Array(points.count))
}

function runStep(
  step: Step,
  values: readonly Int32Array[],
  { points, publics }: { points: Points; publics: readonly number[] },
): Int32Array {
  const out = new Int32Array(points.count)
  switch (step.kind) {
    case 'column':
      return points.column(step.column)
    case 'next':
      return points.next(step.column)
    case 'fixed':
      return points.fixed(step.column)
    case 'public':
      return out.fill(publics[step.index] ?? 0)
    case 'product':
      return multiply(out, values[step.left], values[step.right])
    case 'sum':
      out.fill(step.constant)
      for (const [coefficient, of] of step.terms) addMultiple(out, coefficient, values[of])
      return out
  }
}

function multiply(
  out: Int32Array,
  left: Int32Array | undefined,
  right: Int32Array | undefined,
): Int32Array {
  if (left === undefined || right === undefined) throw new Error('a step refers to a later step')
  for (let i = 0; i < out.length; i += 1) out[i] = mul(left[i] ?? 0, right[i] ?? 0)
  return out
}

function addMultiple(out: Int32Array, coefficient: number, of: Int32Array | undefined): void {
  if (of === undefined) throw new Error('a step refers to a later step')
  if (coefficient === 1) addTo(out, of)
  else if (coefficient === P - 1) subtractFrom(out, of)
  else addTimes(out, of, coefficient)
}

function addTimes(out: Int32Array, of: Int32Array, coefficient: number): void {
  for (let i = 0; i < out.length; i += 1) {
    out[i] = add(out[i] ?? 0, mul(of[i] ?? 0, coefficient))
  }
}

function addTo(out: Int32Array, of: Int32Array): void {
  for (let i = 0; i < out.length; i += 1) out[i] = add(out[i] ?? 0, of[i] ?? 0)
}

function subtractFrom(out: Int32Array, of: Int32Array): void {
  for (let i = 0; i < out.length; i += 1) out[i] = sub(out[i] ?? 0, of[i] ?? 0)
}

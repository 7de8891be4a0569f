/**
 * Shapes of wire documents that are verified by hash and signature: exactly these fields with their
 * JSON types. An unknown field is rejected, because no check covers it and a reader might trust it.
 * The checks, not the shapes, decide whether a value is correct.
 */

import { LONE_SURROGATE } from './canonical-json.ts'
import { isJsonObject, pointer } from './shape.ts'

export type ShapeProblem = {
  /** A JSON pointer (RFC 6901), such as `/proofs/chain/position`. */
  path: string
  code: 'required' | 'type' | 'enum' | 'pattern' | 'unknown_field'
  message: string
}

export type Shape = (value: unknown, path: string) => ShapeProblem[]

/**
 * Enough to repair a document; an array of a million wrong items must not produce a million
 * messages.
 */
const PROBLEMS_MAX = 20

/** The first problems of a document; empty if it has the shape. */
export function problemsOf(shape: Shape, value: unknown): readonly ShapeProblem[] {
  return shape(value, '').slice(0, PROBLEMS_MAX)
}

export const text: Shape = (value, path) => {
  if (typeof value !== 'string') return [wrongType(path, 'a string')]
  // A text with a lone surrogate has no UTF-8 form, so no document that contains it can be hashed.
  if (!LONE_SURROGATE.test(value)) return []
  return [{ path, code: 'pattern', message: 'must not contain lone surrogates' }]
}

export const number: Shape = (value, path) =>
  Number.isFinite(value) ? [] : [wrongType(path, 'a finite number')]

export const integer: Shape = (value, path) =>
  Number.isSafeInteger(value) ? [] : [wrongType(path, 'a whole number up to 2^53 - 1')]

export const count: Shape = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? []
    : [wrongType(path, 'a whole number from 0 to 2^53 - 1')]

export const flag: Shape = (value, path) =>
  typeof value === 'boolean' ? [] : [wrongType(path, 'true or false')]

export function exactly(expected: string | null): Shape {
  const message = `must be ${JSON.stringify(expected)}`
  return (value, path) => (value === expected ? [] : [{ path, code: 'enum', message }])
}

export function oneOf(expected: readonly string[]): Shape {
  const message = `must be ${expected.map((one) => JSON.stringify(one)).join(' or ')}`
  return (value, path) =>
    expected.some((one) => one === value) ? [] : [{ path, code: 'enum', message }]
}

export function nullOr(shape: Shape): Shape {
  return (value, path) => (value === null ? [] : shape(value, path))
}

export function listOf(shape: Shape): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return [wrongType(path, 'an array')]
    const problems: ShapeProblem[] = []
    for (let i = 0; i < value.length && problems.length < PROBLEMS_MAX; i++) {
      problems.push(...shape(value[i], `${path}/${i}`))
    }
    return problems
  }
}

/** `optional` fields may be missing. */
export function object(
  fields: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const expected = new Map(Object.entries({ ...fields, ...optional }))
  return (value, path) => {
    if (!isJsonObject(value)) return [wrongType(path, 'an object')]
    const at = (name: string) => pointer(path, name)
    const unknown = Object.keys(value)
      .filter((name) => !expected.has(name))
      .slice(0, PROBLEMS_MAX)
      .map((name): ShapeProblem => {
        return { path: at(name), code: 'unknown_field', message: 'unknown field' }
      })
    const wrong = [...expected].flatMap(([name, shape]): ShapeProblem[] => {
      if (Object.hasOwn(value, name)) return shape(value[name], at(name))
      if (Object.hasOwn(optional, name)) return []
      return [{ path: at(name), code: 'required', message: 'is missing' }]
    })
    return [...wrong, ...unknown]
  }
}

function wrongType(path: string, expected: string): ShapeProblem {
  return { path, code: 'type', message: `must be ${expected}` }
}

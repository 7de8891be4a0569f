/**
 * The condition language of escalation triggers. Deliberately too small to be dangerous: no
 * nesting, no functions but one, no patterns. A condition is read once from left to right, so its
 * cost is linear in its length, and it can access only the facts it is given.
 */

import { isJsonObject } from '../base/shape.ts'

/** Conditions have at most 200 characters, each of which may take two UTF-16 units. */
const UNITS_MAX = 400

type Literal = string | number | boolean | null
type Operator = '>' | '<' | '>=' | '<=' | '==' | '!='

type Term =
  | { kind: 'compare'; field: string; operator: Operator; literal: Literal }
  | { kind: 'contains'; field: string; literal: Literal }
  | { kind: 'truthy'; field: string }

/** A disjunction of conjunctions. */
export type Condition = readonly (readonly Term[])[]

/** The facts that a condition can refer to. Without an action, its fields are undefined. */
export type ConditionFacts = {
  action?: {
    type: string
    name: string
    category: string
    parameters?: Readonly<Record<string, unknown>>
  }
  context?: Readonly<Record<string, unknown>>
}

/** `unevaluable` never fires, but is reported to the author of the condition. */
export type ConditionOutcome = 'fired' | 'quiet' | 'unevaluable'

export function judgeCondition(text: string, facts: ConditionFacts): ConditionOutcome {
  const condition = parseCondition(text)
  if (condition === undefined) return 'unevaluable'
  return evaluateCondition(condition, facts) ? 'fired' : 'quiet'
}

// Sticky, and each alternative is decided by its first character, so there is no backtracking.
const TOKEN =
  /\s*(?:(?<word>[A-Za-z_][\w-]*(?:\.[\w-]+)*)|(?<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?<sign>[<>]=?|[=!]=|[(),]))/sy
const SPACES = /\s*$/y

type Token =
  | { kind: 'word'; word: string }
  | { kind: 'literal'; literal: Literal }
  | { kind: 'sign'; sign: string }

const NAMED_LITERALS: ReadonlyMap<string, Literal> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Undefined if the text cannot be parsed. */
export function parseCondition(text: string): Condition | undefined {
  const tokens = tokenise(text)
  if (tokens === undefined || tokens.length === 0) return undefined
  const alternatives: Term[][] = [[]]
  let at = 0
  for (;;) {
    const found = readTerm(tokens, at)
    if (found === undefined) return undefined
    alternatives.at(-1)?.push(found.term)
    const next = tokens[found.end]
    if (next === undefined) return alternatives
    if (next.kind !== 'word') return undefined
    if (next.word === 'or') alternatives.push([])
    else if (next.word !== 'and') return undefined
    at = found.end + 1
  }
}

function tokenise(text: string): Token[] | undefined {
  if (text.length > UNITS_MAX) return undefined
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    SPACES.lastIndex = at
    if (SPACES.test(text)) return tokens
    TOKEN.lastIndex = at
    const groups = TOKEN.exec(text)?.groups
    if (groups === undefined) return undefined
    const token = toToken(groups)
    if (token === undefined) return undefined
    tokens.push(token)
    at = TOKEN.lastIndex
  }
}

function toToken(groups: Record<string, string | undefined>): Token | undefined {
  const { word, number, text, sign } = groups
  if (word !== undefined) {
    const literal = NAMED_LITERALS.get(word)
    return literal === undefined ? { kind: 'word', word } : { kind: 'literal', literal }
  }
  if (number !== undefined) {
    const literal = Number(number)
    return Number.isFinite(literal) ? { kind: 'literal', literal } : undefined
  }
  if (text !== undefined) {
    // A backslash escapes a quote or a backslash and is literal elsewhere.
    return { kind: 'literal', literal: text.slice(1, -1).replace(/\\(["'\\])/g, '$1') }
  }
  return sign === undefined ? undefined : { kind: 'sign', sign }
}

function readTerm(tokens: readonly Token[], at: number): { term: Term; end: number } | undefined {
  const first = tokens[at]
  if (first?.kind !== 'word' || first.word === 'and' || first.word === 'or') return undefined
  const next = tokens[at + 1]
  if (next?.kind !== 'sign') return { term: { kind: 'truthy', field: first.word }, end: at + 1 }
  if (next.sign === '(') return first.word === 'contains' ? readContains(tokens, at + 2) : undefined
  const right = tokens[at + 2]
  if (!isOperator(next.sign) || right?.kind !== 'literal') return undefined
  const term: Term = {
    kind: 'compare',
    field: first.word,
    operator: next.sign,
    literal: right.literal,
  }
  return { term, end: at + 3 }
}

function readContains(tokens: readonly Token[], at: number) {
  const [field, comma, literal, close] = tokens.slice(at, at + 4)
  if (field?.kind !== 'word' || field.word === 'and' || field.word === 'or') return undefined
  if (comma?.kind !== 'sign' || comma.sign !== ',' || literal?.kind !== 'literal') return undefined
  if (close?.kind !== 'sign' || close.sign !== ')') return undefined
  const term: Term = { kind: 'contains', field: field.word, literal: literal.literal }
  return { term, end: at + 4 }
}

function isOperator(sign: string): sign is Operator {
  return sign !== '(' && sign !== ')' && sign !== ','
}

export function evaluateCondition(condition: Condition, facts: ConditionFacts): boolean {
  return condition.some((terms) => terms.every((term) => holds(term, facts)))
}

function holds(term: Term, facts: ConditionFacts): boolean {
  const values = valuesOf(term.field, facts)
  // A missing field makes every comparison false, `!=` included.
  if (values.length === 0) return false
  switch (term.kind) {
    case 'truthy':
      return values.some(Boolean)
    case 'contains':
      return values.some((value) => contains(value, term.literal))
    case 'compare':
      // `!=` is the negation of `==`, also for action_type with its two values.
      return term.operator === '!='
        ? !values.includes(term.literal)
        : values.some((value) => compares(value, term.operator, term.literal))
  }
}

/** One value; two for `action_type`, which matches the type and the name; none if missing. */
function valuesOf(field: string, facts: ConditionFacts): readonly unknown[] {
  const { action, context } = facts
  switch (field) {
    case 'action_type':
      return action === undefined ? [] : [action.type, action.name]
    case 'action_name':
      return action === undefined ? [] : [action.name]
    case 'action_category':
      return action === undefined ? [] : [action.category]
  }
  const path = field.split('.')
  for (const root of [context, context?.['metadata'], action?.parameters]) {
    const value = follow(root, path)
    if (value !== undefined) return [value]
  }
  return []
}

/** Follows own properties only, so that no path leaves the data. */
export function follow(root: unknown, path: readonly string[]): unknown {
  let value = root
  for (const key of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return undefined
    value = value[key]
  }
  return value
}

/** A string contains a substring, an array an equal element. */
export function contains(value: unknown, part: unknown): boolean {
  if (Array.isArray(value)) return value.includes(part)
  return typeof value === 'string' && typeof part === 'string' && value.includes(part)
}

function compares(value: unknown, operator: Operator, literal: Literal): boolean {
  if (operator === '==') return value === literal
  const [left, right] = [toNumber(value), toNumber(literal)]
  if (left === undefined || right === undefined) return false
  switch (operator) {
    case '>':
      return left > right
    case '<':
      return left < right
    case '>=':
      return left >= right
    default:
      return left <= right
  }
}

const NUMERIC = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * A number, or a text that is exactly one, because quoting an amount must not hide it from its
 * limit. For the same reason a number too large for a double is infinite rather than missing.
 */
export function toNumber(value: unknown): number | undefined {
  const numeric = typeof value === 'string' && NUMERIC.test(value) ? Number(value) : value
  return typeof numeric === 'number' && !Number.isNaN(numeric) ? numeric : undefined
}

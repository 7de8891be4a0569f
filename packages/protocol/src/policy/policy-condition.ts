import { contains, follow } from '../cards/condition.ts'
import {
  type ConditionEnvironment,
  isPerTool,
  isPlainName,
  typeOfName,
  type ValueType,
} from './condition-names.ts'
import {
  ConditionFault,
  type Expression,
  type Operand,
  type Operator,
  parseExpression,
} from './condition-syntax.ts'
import { createGlob, isToolPattern } from './glob.ts'
import { pointsOf } from './wildcard-glob.ts'

/**
 * Conditions of escalation triggers, type-checked before they are stored, because a trigger that
 * can never fire due to a mistake would be a missing safeguard. The arguments of a call cannot be
 * checked that early: a missing or unsuitable argument makes every comparison false, `!=` included.
 */
export type PolicyCondition = {
  /**
   * Whether the condition refers to a tool, so that it is evaluated once per tool instead of once
   * per call.
   */
  perTool: boolean
  holds(environment: ConditionEnvironment): boolean
}

export type ConditionReading =
  | { valid: true; condition: PolicyCondition }
  | { valid: false; reason: string }

export function readPolicyCondition(text: string): ConditionReading {
  try {
    const expression = parseExpression(text)
    if (expression.kind === 'bare' && expression.operand.kind === 'literal') {
      throw new ConditionFault('must refer to at least one name')
    }
    const condition = { perTool: asksPerTool(expression), holds: toTest(expression) }
    return { valid: true, condition }
  } catch (err) {
    if (err instanceof ConditionFault) return { valid: false, reason: err.message }
    throw err
  }
}

function asksPerTool(expression: Expression): boolean {
  switch (expression.kind) {
    case 'or':
    case 'and':
      return expression.parts.some(asksPerTool)
    case 'not':
      return asksPerTool(expression.part)
    case 'tool_matches':
      return true
    case 'comparison':
      return isOfTool(expression.left) || isOfTool(expression.right)
    case 'bare':
      return isOfTool(expression.operand)
  }
}

function isOfTool(operand: Operand): boolean {
  return operand.kind === 'name' && isPerTool(operand.name)
}

export type Test = (environment: ConditionEnvironment) => boolean

/** Throws a ConditionFault for type errors. */
export function toTest(expression: Expression): Test {
  switch (expression.kind) {
    case 'or': {
      const tests = expression.parts.map(toTest)
      return (environment) => tests.some((test) => test(environment))
    }
    case 'and': {
      const tests = expression.parts.map(toTest)
      return (environment) => tests.every((test) => test(environment))
    }
    case 'not': {
      const test = toTest(expression.part)
      return (environment) => !test(environment)
    }
    case 'tool_matches':
      return toolMatches(expression.pattern)
    case 'comparison':
      return comparison(expression)
    case 'bare': {
      const { operand } = expression
      demand(operand, 'boolean', 'must be a boolean to stand alone')
      const read = reader(operand)
      return (environment) => read(environment) === true
    }
  }
}

function toolMatches(pattern: string): Test {
  if (!isToolPattern(pattern)) throw new ConditionFault('must have a valid pattern in tool_matches')
  const glob = createGlob(pattern)
  return ({ tool }) => tool !== undefined && glob.matches(tool)
}

function comparison({ left, operator, right }: Expression & { kind: 'comparison' }): Test {
  checkTypes(left, operator, right)
  const readLeft = reader(left)
  const readRight = reader(right)
  if (operator === 'matches' && right.kind === 'literal') {
    const glob = createGlob(String(right.value))
    return (environment) => {
      const value = readLeft(environment)
      return typeof value === 'string' && glob.matches(value)
    }
  }
  const compare = COMPARE[operator]
  return (environment) => compare(readLeft(environment), readRight(environment))
}

function checkTypes(left: Operand, operator: Operator, right: Operand): void {
  const [leftType, rightType] = [typeOf(left), typeOf(right)]
  switch (operator) {
    case '==':
    case '!=':
      if (leftType === 'any' || rightType === 'any' || leftType === rightType) return
      throw new ConditionFault(`cannot compare a ${leftType} with a ${rightType}`)
    case 'contains':
      demand(left, 'string', 'must be a string on the left of contains')
      if (leftType === 'string')
        demand(right, 'string', 'must be a string on the right of contains')
      return
    case 'matches':
      demand(left, 'string', 'must be a string on the left of matches')
      demand(right, 'string', 'must be a string on the right of matches')
      return
    default:
      demand(left, 'number', 'must be a number')
      demand(right, 'number', 'must be a number')
  }
}

function demand(operand: Operand, needed: ValueType, otherwise: string): void {
  const type = typeOf(operand)
  if (type === 'any' || type === needed) return
  const text = operand.kind === 'name' ? operand.name : JSON.stringify(operand.value)
  throw new ConditionFault(`${text} ${otherwise}`)
}

function typeOf(operand: Operand): ValueType {
  if (operand.kind === 'literal') return typeOfLiteral(operand.value)
  const type = typeOfName(operand.name)
  if (type === undefined) throw new ConditionFault(`has the unknown name "${operand.name}"`)
  return type
}

function typeOfLiteral(value: string | number | boolean): ValueType {
  if (typeof value === 'string') return 'string'
  return typeof value === 'number' ? 'number' : 'boolean'
}

function reader(operand: Operand): (environment: ConditionEnvironment) => unknown {
  if (operand.kind === 'literal') return () => operand.value
  const { name } = operand
  if (isPlainName(name)) return (environment) => environment[name]
  const path = name.split('.')
  return (environment) => follow(environment, path)
}

type Compare = (left: unknown, right: unknown) => boolean

const COMPARE: Readonly<Record<Operator, Compare>> = {
  '==': (left, right) => comparable(left, right) && left === right,
  '!=': (left, right) => comparable(left, right) && left !== right,
  '>': ordered((left, right) => left > right),
  '>=': ordered((left, right) => left >= right),
  '<': ordered((left, right) => left < right),
  '<=': ordered((left, right) => left <= right),
  contains,
  matches: (text, pattern) => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return false
    return isShort(pattern) && createGlob(pattern).matches(text)
  },
}

const PATTERN_LENGTH_MAX = 256

/**
 * Patterns have at most 256 characters (spec: governance §1.2); a longer one in a call's arguments
 * could be meant to waste time.
 */
function isShort(pattern: string): boolean {
  // A character has at most two code units, so longer texts need not be counted.
  return pattern.length <= 2 * PATTERN_LENGTH_MAX && pointsOf(pattern).length <= PATTERN_LENGTH_MAX
}

const COMPARABLE: ReadonlySet<string> = new Set(['string', 'number', 'boolean'])

function comparable(left: unknown, right: unknown): boolean {
  return typeof left === typeof right && COMPARABLE.has(typeof left)
}

function ordered(holds: (left: number, right: number) => boolean): Compare {
  return (left, right) =>
    typeof left === 'number' && typeof right === 'number' && holds(left, right)
}

import { typeOfName } from './condition-names.ts'
import { type Expression, type Operand, parseExpression } from './condition-syntax.ts'
import { EVALUATION_CONTEXTS } from './evaluation.ts'
import { searchNames } from './name-search.ts'
import type { GroupedPattern } from './pattern-trie.ts'
import { type Test, toTest } from './policy-condition.ts'

/**
 * Whether a condition can be true at all. It is converted to disjunctive normal form: alternatives,
 * each a list of demands. An alternative is impossible if some name has no value that meets all
 * demands on it. Names are checked separately, and demands between two names are ignored, so a
 * negative answer is certain, while a condition with a positive answer may still never be true.
 */
export type CanHold = (condition: string) => boolean

/** The maximum number of alternatives of one condition; a condition with more is not checked. */
const WAYS_MAX = 64
/** For all conditions of a policy. */
const SEARCH_STEPS_MAX = 50_000

type Leaf = Exclude<Expression, { kind: 'or' | 'and' | 'not' }>
type Demand = { leaf: Leaf; wanted: boolean }
type Way = readonly Demand[]

/** Requires valid conditions. */
export function createTriggerLint(): CanHold {
  const search = { left: SEARCH_STEPS_MAX }
  return (condition) => {
    const ways = waysOf(parseExpression(condition), true)
    return ways === undefined || ways.some((way) => isPossible(way, search))
  }
}

/** Undefined if there are too many. */
function waysOf(expression: Expression, wanted: boolean): Way[] | undefined {
  switch (expression.kind) {
    case 'not':
      return waysOf(expression.part, !wanted)
    case 'or':
    case 'and': {
      const parts = expression.parts.map((part) => waysOf(part, wanted))
      return (expression.kind === 'or') === wanted ? either(parts) : together(parts)
    }
    default:
      return [[{ leaf: expression, wanted }]]
  }
}

type Parts = readonly (Way[] | undefined)[]

function either(parts: Parts): Way[] | undefined {
  const ways = parts.flatMap((part) => part ?? [])
  return parts.includes(undefined) || ways.length > WAYS_MAX ? undefined : ways
}

function together(parts: Parts): Way[] | undefined {
  let ways: Way[] = [[]]
  for (const part of parts) {
    if (part === undefined || ways.length * part.length > WAYS_MAX) return undefined
    ways = ways.flatMap((way) => part.map((more) => [...way, ...more]))
  }
  return ways
}

type Tested = Demand & { meets: Test }

function isPossible(way: Way, search: { left: number }): boolean {
  const byName = new Map<string, Tested[]>()
  for (const demand of way) {
    const names = namesOf(demand.leaf)
    const [name] = names
    // A demand on two names cannot be decided for either of them alone.
    if (names.length > 1) continue
    const tested = { ...demand, meets: toTest(demand.leaf) }
    if (name === undefined) {
      if (tested.meets(NOTHING) !== demand.wanted) return false
      continue
    }
    const demands = byName.get(name)
    if (demands === undefined) byName.set(name, [tested])
    else demands.push(tested)
  }
  return [...byName].every(([name, demands]) => hasValue(name, demands, search))
}

type Environment = Parameters<Test>[0]

/** A test reads only the names in its condition, so nothing else has to be present; hence the casts. */
const NOTHING = {} as Environment

function hasValue(name: string, demands: readonly Tested[], search: { left: number }): boolean {
  const values = candidates(name, demands)
  if (values === undefined) return typeOfName(name) !== 'string' || hasText(demands, search)
  return values.some((value) => {
    const environment = environmentOf(name, value)
    return demands.every(({ meets, wanted }) => meets(environment) === wanted)
  })
}

function environmentOf(name: string, value: unknown): Environment {
  const path = name.split('.')
  // The cast is safe: a path of at least one name makes an object.
  return path.reduceRight((inner: unknown, key) => ({ [key]: inner }), value) as Environment
}

function namesOf(leaf: Leaf): string[] {
  if (leaf.kind === 'tool_matches') return ['tool']
  const operands = leaf.kind === 'bare' ? [leaf.operand] : [leaf.left, leaf.right]
  return [...new Set(operands.flatMap((of) => (of.kind === 'name' ? [of.name] : [])))]
}

const RANGES: Readonly<Record<string, number>> = { hour: 23, weekday: 6 }

/** Candidate values, one of which meets the demands if any value does; undefined if unknown. */
function candidates(name: string, demands: readonly Tested[]): unknown[] | undefined {
  const type = typeOfName(name)
  if (type === 'boolean') return [true, false]
  if (name === 'context') return [...EVALUATION_CONTEXTS]
  if (type === 'number') return numbers(name, demands)
  const equal = demands.flatMap(({ leaf, wanted }) => (wanted ? equalTo(leaf) : []))
  if (equal.length > 0) return equal
  return type === 'any' ? argumentValues(demands) : undefined
}

/** Integers: a whole range, or those around each number that the name is compared with. */
function numbers(name: string, demands: readonly Tested[]): number[] {
  const max = RANGES[name]
  if (max !== undefined) return Array.from({ length: max + 1 }, (_, i) => i)
  const near = demands.flatMap(({ leaf }) =>
    literalsOf(leaf).flatMap((value) => {
      const whole = Math.floor(Number(value))
      return [whole - 1, whole, whole + 1, whole + 2]
    }),
  )
  return [0, 1, ...near].filter((value) => value >= 0)
}

/** A call may omit an argument; an argument that must be a number can be any number. */
function argumentValues(demands: readonly Tested[]): unknown[] | undefined {
  const positive = demands.filter(({ wanted }) => wanted)
  if (positive.length === 0) return [undefined]
  if (positive.some(({ leaf }) => leaf.kind === 'bare')) return [true]
  if (!positive.some(({ leaf }) => isOrder(leaf))) return undefined
  const limits = demands
    .flatMap(({ leaf }) => literalsOf(leaf))
    .filter((value) => typeof value === 'number')
    .sort((a, b) => a - b)
  const between = limits.map((value, at) => (value + (limits[at + 1] ?? value + 2)) / 2)
  return [(limits[0] ?? 0) - 1, ...limits, ...between]
}

function isOrder(leaf: Leaf): boolean {
  return leaf.kind === 'comparison' && /^[<>]/.test(leaf.operator)
}

function equalTo(leaf: Leaf): unknown[] {
  return leaf.kind === 'comparison' && leaf.operator === '==' ? literalsOf(leaf) : []
}

function literalsOf(leaf: Leaf): (string | number | boolean)[] {
  if (leaf.kind !== 'comparison') return []
  const literalOf = (operand: Operand) => (operand.kind === 'literal' ? [operand.value] : [])
  return [...literalOf(leaf.left), ...literalOf(leaf.right)]
}

/** The number of bits available for bitwise operators. */
const GROUPS_MAX = 30

/** Whether a text exists that matches all required patterns and none of the excluded ones. */
function hasText(demands: readonly Tested[], search: { left: number }): boolean {
  const patterns: GroupedPattern[] = []
  let must = 0
  let mustNot = 0
  for (const { leaf, wanted } of demands) {
    const pattern = patternOf(leaf)
    // Ignoring a pattern only makes more texts possible.
    if (pattern === undefined || patterns.length === GROUPS_MAX) continue
    const group = 1 << patterns.length
    patterns.push({ pattern: pattern.text, group })
    if (pattern.fits === wanted) must |= group
    else mustNot |= group
  }
  if (search.left <= 0) return true
  const steps = searchNames({
    patterns,
    goals: [
      {
        isMet: (groups) => (must & ~groups) === 0 && (mustNot & groups) === 0,
        isOpen: (settled, possible) => (must & ~possible) === 0 && (mustNot & settled) === 0,
      },
    ],
    lengthMin: 0,
    lengthMax: Number.POSITIVE_INFINITY,
    stepsMax: search.left,
  })
  let step = steps.next()
  while (!step.done) step = steps.next()
  search.left -= step.value.steps
  return !step.value.complete || step.value.names[0] !== undefined
}

/** The pattern in a condition's leaf, and whether a text must match it for the leaf to be true. */
function patternOf(leaf: Leaf): { text: string; fits: boolean } | undefined {
  if (leaf.kind === 'tool_matches') return { text: leaf.pattern, fits: true }
  if (leaf.kind !== 'comparison' || leaf.left.kind !== 'name') return undefined
  const [text] = literalsOf(leaf)
  if (typeof text !== 'string') return undefined
  if (leaf.operator === 'matches') return { text, fits: true }
  // Outside patterns `*` and `?` are literal characters, which a pattern cannot express.
  if (/[*?]/.test(text)) return undefined
  if (leaf.operator === 'contains') return { text: `*${text}*`, fits: true }
  return leaf.operator === '!=' ? { text, fits: false } : { text, fits: true }
}

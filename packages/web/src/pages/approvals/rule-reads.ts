import { namesInCondition } from '@touchstone/protocol/policy'

export type RuleReads = {
  /** Paths in the arguments that the rule looked at and that the call has. */
  marked: ReadonlySet<string>
  /** Paths in the arguments that the call does not have. */
  missing: readonly string[]
  /** Other names than arguments, such as `tool` or `hour`. */
  others: readonly string[]
}

const ARGUMENTS = 'args.'

/** The parts of a call that the condition of a rule looks at. */
export function ruleReads(condition: string, args: Readonly<Record<string, unknown>>): RuleReads {
  const names = namesInCondition(condition)
  const paths = names
    .filter((name) => name.startsWith(ARGUMENTS))
    .map((name) => name.slice(ARGUMENTS.length))
  const has = (path: string) => path.split('.').reduce<unknown>(memberOf, args) !== undefined
  return {
    marked: new Set(paths.filter(has)),
    missing: paths.filter((path) => !has(path)),
    others: names.filter((name) => !name.startsWith(ARGUMENTS)),
  }
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
  return Reflect.get(value, key)
}

import { isJsonObject, type JsonObject, pointer, type Shape } from '../base/shape.ts'
import { createGlob } from './glob.ts'
import type { PolicyRules } from './policy.ts'
import {
  type LayeredModelLimit,
  MODEL_LIMIT_ACTIONS,
  MODEL_LIMIT_PERIODS,
  type ModelLimit,
} from './session-rules.ts'

const LIMITS_MAX = 100
const TOKENS_MAX = 1_000_000_000_000
const TURNS_MAX = 1_000_000_000
const RULE_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

type PatternCheck = (shape: Shape, path: string, input: unknown) => void

export function checkModelLimits(shape: Shape, input: unknown, patterns: PatternCheck): void {
  const path = '/model_limits'
  const known = ['name', 'models', 'max_tokens', 'max_turns', 'per', 'action']
  for (const [index, given] of shape.array(path, input, { max: LIMITS_MAX }).entries()) {
    const at = pointer(path, index)
    const limit = shape.closedObject(at, given, known)
    if (limit === undefined) continue
    const { max_tokens: tokens, max_turns: turns, action } = limit
    shape.pattern(`${at}/name`, limit['name'], RULE_NAME)
    patterns(shape, `${at}/models`, limit['models'])
    shape.oneOf(`${at}/per`, limit['per'], MODEL_LIMIT_PERIODS)
    if (tokens === undefined && turns === undefined) {
      shape.fail(at, 'required', 'must have max_tokens or max_turns')
    }
    if (tokens !== undefined) {
      shape.integer(`${at}/max_tokens`, tokens, { min: 1, max: TOKENS_MAX })
    }
    if (turns !== undefined) shape.integer(`${at}/max_turns`, turns, { min: 1, max: TURNS_MAX })
    if (action !== undefined) shape.oneOf(`${at}/action`, action, MODEL_LIMIT_ACTIONS)
  }
}

/** With the default action and without duplicates. The section stays away if the document has none. */
export function normalModelLimits({ model_limits: given }: JsonObject): JsonObject {
  if (!Array.isArray(given)) return {}
  const normal = given.filter(isJsonObject).map((limit) => ({
    ...limit,
    models: Array.isArray(limit['models']) ? [...new Set(limit['models'])] : limit['models'],
    action: limit['action'] ?? 'block',
  }))
  return { model_limits: normal }
}

/** Whether the other limit is always used up first. */
function isAtLeast(other: ModelLimit, limit: ModelLimit): boolean {
  const globs = other.models.map(createGlob)
  return (
    other.per === limit.per &&
    (other.action === 'block' || limit.action === 'warn') &&
    isBelow(other.max_tokens, limit.max_tokens) &&
    isBelow(other.max_turns, limit.max_turns) &&
    limit.models.every((model) => globs.some((glob) => glob.covers(model)))
  )
}

function isBelow(max: number | undefined, than: number | undefined): boolean {
  return than === undefined || (max !== undefined && max <= than)
}

/** Finds budgets that have no effect. Of two equal ones the first is kept. */
export function lintModelLimits(shape: Shape, { model_limits: limits = [] }: PolicyRules): void {
  for (const [at, limit] of limits.entries()) {
    const by = limits.find(
      (other, id) =>
        other !== limit && isAtLeast(other, limit) && (id < at || !isAtLeast(limit, other)),
    )
    if (by === undefined) continue
    const message = `is never used up before "${by.name}"; lower it or remove the limit`
    shape.warn(`/model_limits/${at}`, 'unreachable_limit', message)
  }
}

/** Whether a budget of the current policy has none as strict in the draft. */
export function mayLoosenModelLimits(draft: PolicyRules, current: PolicyRules): boolean {
  return (current.model_limits ?? []).some(
    (limit) => !(draft.model_limits ?? []).some((other) => isAtLeast(other, limit)),
  )
}

export type CompiledModelLimit = LayeredModelLimit & {
  /** `layer/name`. */
  rule: string
  matches(model: string): boolean
}

export function compileModelLimits(
  limits: readonly LayeredModelLimit[] = [],
): readonly CompiledModelLimit[] {
  return limits.map((limit) => {
    const globs = limit.models.map(createGlob)
    return {
      ...limit,
      rule: `${limit.layer}/${limit.name}`,
      matches: (model) => globs.some((glob) => glob.matches(model)),
    }
  })
}

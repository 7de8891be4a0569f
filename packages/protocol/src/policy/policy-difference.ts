import { canonicalJson } from '../base/canonical-json.ts'
import { conditionKey } from './condition-syntax.ts'
import { createGlob } from './glob.ts'
import { BUILT_IN_DEFAULTS, ENFORCEMENT_MODES, type PolicyRules } from './policy.ts'
import { SESSION_ASPECTS, type SessionAspect } from './session-difference.ts'

/** Aspects that can also block or allow calls, but depend on more than a tool's name. */
export type Unweighed =
  | 'card'
  | 'deny_triggers'
  | 'escalate_triggers'
  | 'enforcement_mode'
  | 'grace_period_hours'
  | 'fail_open'
  | SessionAspect

export type PolicyPair = { draft: PolicyRules; current: PolicyRules }

export type PolicyDifference = {
  /** The aspects that differ. */
  unweighed: readonly Unweighed[]
  /** The aspects whose change may allow something that is stopped today. */
  mayLoosen: readonly Unweighed[]
}

type Aspect = {
  name: Unweighed
  of(rules: PolicyRules): unknown
  /** Called only if the aspect differs; true if it cannot be ruled out. */
  mayLoosen(pair: PolicyPair): boolean
}

const ASPECTS: readonly Aspect[] = [
  { name: 'card', of: mappings, mayLoosen: mayLoosenCard },
  {
    name: 'deny_triggers',
    of: (rules) => conditionsOf(rules, ['deny']),
    mayLoosen: ({ draft, current }) =>
      lacks(conditionsOf(draft, ['deny']), conditionsOf(current, ['deny'])),
  },
  {
    name: 'escalate_triggers',
    of: (rules) => conditionsOf(rules, ['escalate']),
    // A deny trigger allows nothing that an escalate trigger stopped.
    mayLoosen: ({ draft, current }) =>
      lacks(conditionsOf(draft, ['escalate', 'deny']), conditionsOf(current, ['escalate'])),
  },
  {
    name: 'enforcement_mode',
    of: modeOf,
    mayLoosen: ({ draft, current }) => modeOf(draft) < modeOf(current),
  },
  {
    name: 'grace_period_hours',
    of: graceOf,
    mayLoosen: ({ draft, current }) => graceOf(draft) > graceOf(current),
  },
  { name: 'fail_open', of: failsOpen, mayLoosen: ({ draft }) => failsOpen(draft) },
  ...SESSION_ASPECTS,
]

export function policyDifference(pair: PolicyPair): PolicyDifference {
  const differing = ASPECTS.filter(
    ({ of }) => canonicalJson(of(pair.draft)) !== canonicalJson(of(pair.current)),
  )
  return {
    unweighed: differing.map(({ name }) => name),
    mayLoosen: differing.filter(({ mayLoosen }) => mayLoosen(pair)).map(({ name }) => name),
  }
}

/** The mappings without descriptions, because with a card their required actions decide. */
function mappings({ capability_mappings }: PolicyRules) {
  return Object.entries(capability_mappings)
    .map(([name, { tools, card_actions }]) => [name, tools, card_actions])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}

/**
 * The mapping of a tool with the fewest missing card actions decides. So nothing is loosened if
 * each mapping still maps what it did and requires at least as much, and if new mappings map only
 * tools that were not mapped before.
 */
function mayLoosenCard({ draft, current }: PolicyPair): boolean {
  const mapped = Object.values(current.capability_mappings).flatMap(({ tools }) => tools)
  const isNew = createNewness(mapped)
  const before = new Map(Object.entries(current.capability_mappings))
  const after = new Map(Object.entries(draft.capability_mappings))
  const keepsAll = [...before].every(([name, { tools, card_actions }]) => {
    const kept = after.get(name)
    return (
      kept !== undefined && !lacks(kept.tools, tools) && !lacks(kept.card_actions, card_actions)
    )
  })
  const addsNewOnly = [...after].every(([name, { tools }]) => {
    const known = new Set(before.get(name)?.tools ?? [])
    return tools.every((tool) => known.has(tool) || isNew(tool))
  })
  return !keepsAll || !addsNewOnly
}

/** Whether a pattern maps nothing that these map. Certain for a name without wildcards only. */
function createNewness(patterns: readonly string[]): (pattern: string) => boolean {
  const globs = patterns.map(createGlob)
  return (pattern) => !/[*?]/.test(pattern) && !globs.some((glob) => glob.matches(pattern))
}

function lacks(those: readonly string[], wanted: readonly string[]): boolean {
  const there = new Set(those)
  return wanted.some((one) => !there.has(one))
}

function conditionsOf({ escalation_triggers }: PolicyRules, actions: readonly string[]): string[] {
  return escalation_triggers
    .filter(({ action }) => actions.includes(action))
    .map(({ condition }) => conditionKey(condition))
    .sort()
}

/** The mode as its index: a later one is stricter. */
function modeOf({ defaults }: PolicyRules): number {
  return ENFORCEMENT_MODES.indexOf(defaults.enforcement_mode ?? BUILT_IN_DEFAULTS.enforcement_mode)
}

function graceOf({ defaults }: PolicyRules): number {
  return defaults.grace_period_hours ?? BUILT_IN_DEFAULTS.grace_period_hours
}

function failsOpen({ defaults }: PolicyRules): boolean {
  return defaults.fail_open ?? BUILT_IN_DEFAULTS.fail_open
}

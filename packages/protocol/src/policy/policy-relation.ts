import { type Goal, searchNames } from './name-search.ts'
import type { GroupedPattern } from './pattern-trie.ts'
import { BUILT_IN_DEFAULTS, isBlocking, type PolicyRules } from './policy.ts'
import { type PolicyDifference, type PolicyPair, policyDifference } from './policy-difference.ts'

/**
 * Compares two policies by the tool names they block: by a rule of a blocking severity, or because
 * the tool is unmapped and unmapped tools are blocked. The result is exact for names of the
 * documented length. It covers the rules alone; other differences are listed separately.
 */
export type PolicyRelation = PolicyDifference & {
  /** The draft relative to the current policy; null if it was not determined. */
  relation: 'equal' | 'stricter' | 'looser' | 'incomparable' | null
  /** Why the relation is null. */
  reason: string | null
  /** A name that only the draft blocks, and one that only the current policy blocks. */
  newlyBlocked: string | null
  newlyAllowed: string | null
}

const NAME_LENGTH_MAX = 256

/**
 * Pattern lists can be crafted so that comparing them takes forever, and no known method is fast
 * for all of them. Policies written by people need thousands of steps.
 */
export const RELATION_STEPS_MAX = 300_000

export function policyRelation(pair: PolicyPair): PolicyRelation {
  const steps = relatePolicies(pair)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The same as a generator that yields every few milliseconds. */
export function* relatePolicies(
  { draft, current }: PolicyPair,
  stepsMax = RELATION_STEPS_MAX,
): Generator<undefined, PolicyRelation> {
  const sides = [toSide(draft, DRAFT), toSide(current, CURRENT)] as const
  const [ours, theirs] = sides
  const { names, complete } = yield* searchNames({
    patterns: sides.flatMap(({ patterns }) => patterns),
    goals: [onlyBlockedBy(ours, theirs), onlyBlockedBy(theirs, ours)],
    lengthMin: 1,
    lengthMax: NAME_LENGTH_MAX,
    stepsMax,
    isNeutral: (groups) =>
      ours.blocksUnmapped === theirs.blocksUnmapped &&
      (groups & ALL) === ((groups >> CURRENT_SHIFT) & ALL),
  })
  const [newlyBlocked = null, newlyAllowed = null] = names
  const reason = complete ? null : TOO_LONG
  const relation = complete ? named(newlyBlocked !== null, newlyAllowed !== null) : null
  const difference = policyDifference({ draft, current })
  return { relation, reason, newlyBlocked, newlyAllowed, ...difference }
}

const TOO_LONG = 'Comparing the patterns takes too long; use fewer patterns with several *.'

function named(blocksMore: boolean, allowsMore: boolean) {
  if (blocksMore) return allowsMore ? 'incomparable' : 'stricter'
  return allowsMore ? 'looser' : 'equal'
}

/** The groups of the draft; those of the current policy are shifted. */
const FORBIDDEN = 1
const MAPPED = 2
const ALL = FORBIDDEN | MAPPED
const DRAFT = 1
const CURRENT_SHIFT = 2
const CURRENT = DRAFT << CURRENT_SHIFT

type Side = {
  patterns: readonly GroupedPattern[]
  forbidden: number
  mapped: number
  blocksUnmapped: boolean
}

function toSide({ forbidden, capability_mappings, defaults }: PolicyRules, side: number): Side {
  const groups = { forbidden: FORBIDDEN * side, mapped: MAPPED * side }
  const action = defaults.unmapped_tool_action ?? BUILT_IN_DEFAULTS.unmapped_tool_action
  const blocksUnmapped = action === 'block'
  // Mappings matter only if unmapped tools are blocked.
  const mapped = blocksUnmapped ? Object.values(capability_mappings) : []
  return {
    ...groups,
    blocksUnmapped,
    patterns: [
      ...forbidden
        .filter(({ severity }) => isBlocking(severity))
        .map(({ pattern }) => ({ pattern, group: groups.forbidden })),
      ...mapped.flatMap(({ tools }) => tools.map((pattern) => ({ pattern, group: groups.mapped }))),
    ],
  }
}

function onlyBlockedBy(one: Side, other: Side): Goal {
  return {
    isMet: (groups) => blocks(one, groups) && !blocks(other, groups),
    isOpen: (settled, possible) =>
      canBlock(one, settled, possible) && canAllow(other, settled, possible),
  }
}

function blocks({ forbidden, mapped, blocksUnmapped }: Side, groups: number): boolean {
  return (groups & forbidden) !== 0 || (blocksUnmapped && (groups & mapped) === 0)
}

function canBlock({ forbidden, mapped, blocksUnmapped }: Side, settled: number, possible: number) {
  return (possible & forbidden) !== 0 || (blocksUnmapped && (settled & mapped) === 0)
}

function canAllow({ forbidden, mapped, blocksUnmapped }: Side, settled: number, possible: number) {
  return (settled & forbidden) === 0 && (!blocksUnmapped || (possible & mapped) !== 0)
}

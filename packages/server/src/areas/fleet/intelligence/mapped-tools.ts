import type { PolicyRules } from '@touchstone/protocol/policy'

/** Bounds the work for oversized policies; a recommended capability has at most 200 tools. */
const PAIRS_MAX = 200_000

/** A member's resolved policy, and the actions that its card permits. */
export type MemberMapping = {
  policy: Pick<PolicyRules, 'capability_mappings'>
  actions: ReadonlySet<string>
}

/** The tools that members map to each action that their own card permits. */
export function toolsByAction(members: readonly MemberMapping[]): Map<string, string[]> {
  const found = new Map<string, Set<string>>()
  let pairs = 0
  for (const { policy, actions } of members) {
    for (const { tools, card_actions } of Object.values(policy.capability_mappings)) {
      for (const action of card_actions.filter((name) => actions.has(name))) {
        pairs += tools.length
        if (pairs > PAIRS_MAX) break
        const known = found.get(action) ?? new Set()
        for (const tool of tools) known.add(tool)
        found.set(action, known)
      }
    }
  }
  return new Map([...found].map(([action, tools]) => [action, [...tools]]))
}

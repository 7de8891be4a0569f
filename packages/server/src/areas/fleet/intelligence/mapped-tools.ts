import type { PolicyRules } from '@touchstone/protocol/policy'

/** Bounds the work for oversized policies; a recommended capability has at most 200 tools. */
const PAIRS_MAX = 200_000

/** The tools that the policies map to each of the given actions. */
export function toolsByAction(
  policies: readonly PolicyRules[],
  actions: ReadonlySet<string>,
): Map<string, string[]> {
  const found = new Map<string, Set<string>>()
  let pairs = 0
  for (const { tools, card_actions } of mappingsOf(policies)) {
    for (const action of card_actions.filter((name) => actions.has(name))) {
      pairs += tools.length
      if (pairs > PAIRS_MAX) break
      const known = found.get(action) ?? new Set()
      for (const tool of tools) known.add(tool)
      found.set(action, known)
    }
  }
  return new Map([...found].map(([action, tools]) => [action, [...tools]]))
}

function mappingsOf(policies: readonly PolicyRules[]) {
  return policies.flatMap(({ capability_mappings }) => Object.values(capability_mappings))
}

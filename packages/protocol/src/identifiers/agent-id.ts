/**
 * Ids of agents are kept as given and compared in canonical form (spec: provenance §6). Both
 * functions are defined for any text and change only the characters named here, so that a database
 * computes the same with `translate`.
 */

/** The canonical form: letters A to Z in lower case. */
export function canonicalAgentId(agentId: string): string {
  return agentId.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** Replaces characters that are easily confused (Unicode TR39) by one of their class. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  i: 'l',
  _: '-',
  '.': '-',
}

/** Ids with the same skeleton look alike. It is for comparison only and identifies no agent. */
export function agentIdSkeleton(agentId: string): string {
  return canonicalAgentId(agentId).replace(/[01i_.]/g, (character) => LOOK_ALIKES[character] ?? '')
}

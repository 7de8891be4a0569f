import type { LayerName, PolicyRules } from '@touchstone/protocol/policy'

/** A team of the agent and its current policy, if any. */
export type TeamLayer = { teamId: string; policy: PolicyRules | undefined }

/** All teams by id, or the wanted one; undefined if the agent is not in it. */
export function chooseTeams(
  teams: readonly TeamLayer[],
  wanted: string | undefined,
): TeamLayer[] | undefined {
  const chosen = teams.filter(({ teamId }) => wanted === undefined || teamId === wanted)
  if (wanted !== undefined && chosen.length === 0) return undefined
  // Ids are ASCII, so comparing UTF-16 code units gives code point order.
  return chosen.sort((a, b) => (a.teamId < b.teamId ? -1 : 1))
}

/** The policies of a transaction's teams by team id, then its own, each with its name. */
export function layersOf(
  of: { transactionId: string; teamIds: readonly string[]; policy: PolicyRules | undefined },
  teams: readonly TeamLayer[],
): { layers: PolicyRules[]; layerNames: LayerName[] } {
  const { transactionId, teamIds, policy } = of
  const chosen = (chooseTeams(teams, undefined) ?? []).filter(({ teamId }) =>
    teamIds.includes(teamId),
  )
  const named = [
    ...chosen.map((team) => ({ name: teamLayerName(team), layer: team.policy })),
    { name: `transaction:${transactionId}`, layer: policy },
  ]
  return {
    layers: named.map(({ layer }) => layer).filter((layer) => layer !== undefined),
    layerNames: named.filter(({ layer }) => layer !== undefined).map(({ name }) => name),
  }
}

export function teamLayerName({ teamId }: TeamLayer): LayerName {
  return `team:${teamId}`
}

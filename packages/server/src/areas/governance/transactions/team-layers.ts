import type { PolicyRules } from '@touchstone/protocol/policy'

/** A team of the agent and what it lays down now, if anything. */
export type TeamLayer = { teamId: string; policy: PolicyRules | undefined }

/** All teams, or the one asked for; nothing when the agent is not in that one. */
export function chooseTeams(
  teams: readonly TeamLayer[],
  wanted: string | undefined,
): TeamLayer[] | undefined {
  const chosen = teams.filter(({ teamId }) => wanted === undefined || teamId === wanted)
  if (wanted !== undefined && chosen.length === 0) return undefined
  // Ids are ASCII, so their code units have the order of their code points.
  return chosen.sort((a, b) => (a.teamId < b.teamId ? -1 : 1))
}

/** What narrows a transaction beyond organisation and agent: its teams by id, then itself. */
export function layersOf(
  { teamIds, policy }: { teamIds: readonly string[]; policy: PolicyRules | undefined },
  teams: readonly TeamLayer[],
): PolicyRules[] {
  const own = (chooseTeams(teams, undefined) ?? []).filter(({ teamId }) => teamIds.includes(teamId))
  return [...own.map((team) => team.policy), policy].filter((layer) => layer !== undefined)
}

import { Problem } from '../../../kernel/problem.ts'
import type { RatedTeam, Teams } from './ports.ts'

/** A representation shown to a caller. `isPrivate` if it must not be cached for other callers. */
export type Seen<Made> = { made: Made; isPrivate: boolean }

export type GetShown = (teamId: string, orgIds: readonly string[]) => Promise<RatedTeam>

/** Answers other organisations about a private team exactly as if it did not exist. */
export function createGetShown(teams: Pick<Teams, 'findShown'>): GetShown {
  return async (teamId, orgIds) => {
    const team = await teams.findShown(teamId)
    const isHidden = team?.visibility === 'private' && !orgIds.includes(team.orgId)
    if (team === undefined || isHidden) throw new Problem('not_found', 'No such team.')
    return team
  }
}

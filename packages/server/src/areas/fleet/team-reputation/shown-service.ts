import { Problem } from '../../../kernel/problem.ts'
import type { RatedTeam, Teams } from './ports.ts'

/** What a caller gets to see, and whether others do not. */
export type Seen<Made> = { made: Made; isPrivate: boolean }

export type GetShown = (teamId: string, orgIds: readonly string[]) => Promise<RatedTeam>

/** To others a private team is answered exactly like one that is not there. */
export function createGetShown(teams: Pick<Teams, 'findShown'>): GetShown {
  return async (teamId, orgIds) => {
    const team = await teams.findShown(teamId)
    const isHidden = team?.visibility === 'private' && !orgIds.includes(team.orgId)
    if (team === undefined || isHidden) throw new Problem('not_found', 'No such team.')
    return team
  }
}

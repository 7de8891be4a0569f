import type { Db } from '../../../kernel/db.ts'

export type RatedTeam = {
  teamId: string
  orgId: string
  name: string
  status: 'active' | 'archived'
  visibility: 'public' | 'unlisted' | 'private'
  /** Number of roster changes so far. */
  rosterLength: number
  createdAt: Date
}

export type Teams = {
  /** Undefined also while the organisation of the team is deleted. */
  findShown(teamId: string): Promise<RatedTeam | undefined>
  /** Locks the team until the transaction ends; throws `conflict` if it is archived. */
  lockActive(tx: Db, teamId: string): Promise<RatedTeam>
  membersOf(db: Db, teamId: string): Promise<readonly string[]>
  /** A page of ids of active teams, in ascending order after the given id. */
  listActive(afterTeamId: string, limit: number): Promise<readonly string[]>
  /** Among the first `length` changes, those after the given time, oldest first; initial ones excluded. */
  rosterChangesAfter(
    db: Db,
    roster: { teamId: string; length: number },
    after: Date,
  ): Promise<readonly { changeId: string; createdAt: Date }[]>
}

export type Scores = {
  /** Agents whose score was never computed are left out. Roots are hex, null without checkpoints. */
  lastComputed(
    db: Db,
    agentIds: readonly string[],
  ): Promise<readonly { agentId: string; score: number | null; root: string | null }[]>
}

export type Orgs = {
  /** Undefined for an erased organisation. */
  accountOf(db: Db, orgId: string): Promise<string | undefined>
}

export type Plans = {
  /** True if the organisation's current plan includes team reputation. */
  includesTeamReputation(orgId: string): Promise<boolean>
}

export type Meters = {
  record(tx: Db, use: { orgId: string; meter: 'team_reputation'; amount: number }): Promise<void>
}

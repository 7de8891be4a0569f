import type { Db } from '../../../kernel/db.ts'

export type RatedTeam = {
  teamId: string
  orgId: string
  name: string
  status: 'active' | 'archived'
  visibility: 'public' | 'unlisted' | 'private'
  /** How many roster changes there were. */
  rosterLength: number
  createdAt: Date
}

export type Teams = {
  /** Undefined too while its organisation is deleted. */
  findShown(teamId: string): Promise<RatedTeam | undefined>
  /** Keeps the team as it is until the transaction ends; throws `conflict` once archived. */
  lockActive(tx: Db, teamId: string): Promise<RatedTeam>
  membersOf(db: Db, teamId: string): Promise<readonly string[]>
  /** Active ones, by id, a page after the given one. */
  listActive(afterTeamId: string, limit: number): Promise<readonly string[]>
  /** Changes after the team began, of the first so many, after that time; oldest first. */
  rosterChangesAfter(
    db: Db,
    roster: { teamId: string; length: number },
    after: Date,
  ): Promise<readonly { changeId: string; createdAt: Date }[]>
}

export type Scores = {
  /** Those that were never computed are left out. Roots are hex, null without checkpoints. */
  lastComputed(
    db: Db,
    agentIds: readonly string[],
  ): Promise<readonly { agentId: string; score: number | null; root: string | null }[]>
}

export type Orgs = {
  /** Undefined for an organisation that is no more. */
  accountOf(db: Db, orgId: string): Promise<string | undefined>
}

export type Plans = {
  /** Whether the organisation's plan includes team reputation now. */
  includesTeamReputation(orgId: string): Promise<boolean>
}

export type Meters = {
  record(tx: Db, use: { orgId: string; meter: 'team_reputation'; amount: number }): Promise<void>
}

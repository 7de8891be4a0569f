import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import { type OrgId, type TeamId, toOrgId, toTeamId } from '../../../kernel/ids.ts'
import { nameKey, type Status, type Team, type Visibility } from './team.ts'

type TeamRow = {
  team_id: string
  org_id: string
  name: string
  name_key: string
  description: string | null
  metadata: unknown
  visibility: Visibility
  status: Status
  roster_length: number
  created_at: Date
  updated_at: Date
  archived_at: Date | null
}

type TeamTables = {
  team: TeamRow & { org_closed: boolean }
}

/** A team whose ids were read from its row. */
export type StoredTeam = Team & { teamId: TeamId; orgId: OrgId }

export type CountedTeam = Team & { memberCount: number }

/** Unique name among the active teams of an organisation. */
export const NAME_CONSTRAINT = 'team_name'

export function createTeamStore(db: Db) {
  const q = db.withTables<TeamTables>()
  const byId = (teamId: string) => q.selectFrom('team').selectAll().where('team_id', '=', teamId)
  return {
    async insert(team: Team): Promise<void> {
      await q
        .insertInto('team')
        .values({ ...toRow(team), org_closed: false })
        .execute()
    },

    async find(teamId: string): Promise<StoredTeam | undefined> {
      const row = await byId(teamId).executeTakeFirst()
      return row && toTeam(row)
    },

    /** Blocks concurrent changes of the team and its roster until the transaction ends. */
    async lock(teamId: string): Promise<StoredTeam | undefined> {
      const row = await byId(teamId).forUpdate().executeTakeFirst()
      return row && toTeam(row)
    },

    async update(team: Team): Promise<void> {
      await q.updateTable('team').set(toRow(team)).where('team_id', '=', team.teamId).execute()
    },

    async orgOf(teamId: string): Promise<OrgId | undefined> {
      const row = await q
        .selectFrom('team')
        .select('org_id')
        .where('team_id', '=', teamId)
        .executeTakeFirst()
      return row && toOrgId(row.org_id)
    },

    /** Undefined also while the organisation is deleted. */
    async findShown(teamId: string): Promise<StoredTeam | undefined> {
      const row = await byId(teamId).where('org_closed', '=', false).executeTakeFirst()
      return row && toTeam(row)
    },

    /** Newest first. */
    list: (orgId: string, status: Status, request: PageRequest): Promise<Page<CountedTeam>> =>
      listTeams(db, orgId, status, request),

    /** Active teams of existing organisations, ordered by id, starting after the given id. */
    async listActive(afterTeamId: string, limit: number): Promise<string[]> {
      const rows = await q
        .selectFrom('team')
        .select('team_id')
        .where('status', '=', 'active')
        .where('org_closed', '=', false)
        .where('team_id', '>', afterTeamId)
        .orderBy('team_id')
        .limit(limit)
        .execute()
      return rows.map((row) => row.team_id)
    },

    /** The oldest active team with exactly these members. */
    findByRoster: (orgId: string, agentIds: readonly string[]): Promise<StoredTeam | undefined> =>
      findByRoster(db, orgId, agentIds),

    async setOrgClosed(orgId: OrgId, closed: boolean): Promise<void> {
      await q.updateTable('team').set({ org_closed: closed }).where('org_id', '=', orgId).execute()
    },

    async listOfOrg(orgId: OrgId, limit: number): Promise<TeamId[]> {
      const rows = await q
        .selectFrom('team')
        .select('team_id')
        .where('org_id', '=', orgId)
        .limit(limit)
        .execute()
      return rows.map((row) => toTeamId(row.team_id))
    },

    /** Members and roster changes must be deleted before. */
    async delete(teamId: string): Promise<void> {
      await q.deleteFrom('team').where('team_id', '=', teamId).execute()
    },
  }
}

async function listTeams(
  db: Db,
  orgId: string,
  status: Status,
  request: PageRequest,
): Promise<Page<CountedTeam>> {
  const q = db.withTables<TeamTables>()
  const rows = q.selectFrom('team').where('org_id', '=', orgId).where('status', '=', status)
  const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
  const items = await rows
    .selectAll()
    .select(
      sql<number>`(select count(*) from team_member m where m.team_id = team.team_id)`.as(
        'member_count',
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('team_id')
    .limit(request.perPage)
    .offset(offsetOf(request))
    .execute()
  const teams = items.map((row) => ({ ...toTeam(row), memberCount: row.member_count }))
  return { ...request, items: teams, total: counted.total }
}

async function findByRoster(
  db: Db,
  orgId: string,
  agentIds: readonly string[],
): Promise<StoredTeam | undefined> {
  const found = await sql<TeamRow>`
        select team.* from team join team_member as one using (team_id)
        where team.org_id = ${orgId} and team.status = 'active' and one.agent_id = ${agentIds[0]}
          and (select count(*) filter (where m.agent_id = any(${agentIds})) = ${agentIds.length}
              and count(*) = ${agentIds.length}
            from team_member m where m.team_id = team.team_id)
        order by team.created_at, team.team_id limit 1`.execute(db)
  const row = found.rows[0]
  return row && toTeam(row)
}

function toTeam(row: TeamRow): StoredTeam {
  return {
    teamId: toTeamId(row.team_id),
    orgId: toOrgId(row.org_id),
    name: row.name,
    description: row.description,
    metadata: row.metadata as Record<string, unknown>,
    visibility: row.visibility,
    status: row.status,
    rosterLength: row.roster_length,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    archivedAt: row.archived_at,
  }
}

function toRow(team: Team): TeamRow {
  return {
    team_id: team.teamId,
    org_id: team.orgId,
    name: team.name,
    name_key: nameKey(team.name),
    description: team.description,
    metadata: JSON.stringify(team.metadata),
    visibility: team.visibility,
    status: team.status,
    roster_length: team.rosterLength,
    created_at: team.createdAt,
    updated_at: team.updatedAt,
    archived_at: team.archivedAt,
  }
}

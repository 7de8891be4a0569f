import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import { type AgentId, type OrgId, type TeamId, toOrgId, toTeamId } from '../../../kernel/ids.ts'
import { type Member, nameKey, type Status, type Team, type Visibility } from './team.ts'

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
  team_member: { team_id: string; agent_id: string; added_at: Date }
}

/** A team whose ids were read from its row. */
export type StoredTeam = Team & { teamId: TeamId; orgId: OrgId }

export type CountedTeam = Team & { memberCount: number }

/** The constraint that keeps two active teams from having one name. */
export const NAME_CONSTRAINT = 'team_name'

export function createTeamStore(db: Db) {
  return { ...keeping(db), ...listing(db), ...members(db), ...following(db) }
}

function keeping(db: Db) {
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

    /** Others who want to change it or its roster wait until the transaction ends. */
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

    /** Undefined while its organisation is deleted. */
    async findShown(teamId: string): Promise<StoredTeam | undefined> {
      const row = await byId(teamId).where('org_closed', '=', false).executeTakeFirst()
      return row && toTeam(row)
    },
  }
}

function listing(db: Db) {
  const q = db.withTables<TeamTables>()
  return {
    /** Newest first. */
    async list(orgId: string, status: Status, request: PageRequest): Promise<Page<CountedTeam>> {
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
    },

    /** Active teams whose organisation is there, by id, after one of them. */
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

    /** The oldest active one whose members are these and no others. */
    async findByRoster(
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
    },
  }
}

function members(db: Db) {
  const q = db.withTables<TeamTables>()
  return {
    async addMembers(teamId: string, added: readonly Member[]): Promise<void> {
      if (added.length === 0) return
      const rows = added.map(({ agentId, addedAt }) => ({
        team_id: teamId,
        agent_id: agentId,
        added_at: addedAt,
      }))
      await q.insertInto('team_member').values(rows).execute()
    },

    async removeMember(teamId: string, agentId: string): Promise<void> {
      await q
        .deleteFrom('team_member')
        .where('team_id', '=', teamId)
        .where('agent_id', '=', agentId)
        .execute()
    },

    async listMembers(teamId: string): Promise<Member[]> {
      const rows = await q
        .selectFrom('team_member')
        .select(['agent_id', 'added_at'])
        .where('team_id', '=', teamId)
        .orderBy('added_at')
        .orderBy(sql`agent_id collate "C"`)
        .execute()
      return rows.map((row) => ({ agentId: row.agent_id, addedAt: row.added_at }))
    },

    /** Those of an agent, by id. */
    async listActiveOf(agentId: string): Promise<string[]> {
      const rows = await q
        .selectFrom('team_member as m')
        .innerJoin('team as t', 't.team_id', 'm.team_id')
        .select('m.team_id')
        .where('m.agent_id', '=', agentId)
        .where('t.status', '=', 'active')
        .orderBy('m.team_id')
        .execute()
      return rows.map((row) => row.team_id)
    },

    async removeEverywhere(agentId: AgentId): Promise<void> {
      await q.deleteFrom('team_member').where('agent_id', '=', agentId).execute()
    },
  }
}

function following(db: Db) {
  const q = db.withTables<TeamTables>()
  return {
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

    /** Its roster's changes must be gone. */
    async delete(teamId: string): Promise<void> {
      await q.deleteFrom('team_member').where('team_id', '=', teamId).execute()
      await q.deleteFrom('team').where('team_id', '=', teamId).execute()
    },
  }
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

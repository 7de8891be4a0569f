import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type { Member, Status } from './team.ts'

type MemberTables = {
  team: { team_id: string; status: Status }
  team_member: { team_id: string; agent_id: string; added_at: Date }
}

export function createMemberStore(db: Db) {
  const q = db.withTables<MemberTables>()
  return {
    async add(teamId: string, added: readonly Member[]): Promise<void> {
      if (added.length === 0) return
      const rows = added.map(({ agentId, addedAt }) => ({
        team_id: teamId,
        agent_id: agentId,
        added_at: addedAt,
      }))
      await q.insertInto('team_member').values(rows).execute()
    },

    async remove(teamId: string, agentId: string): Promise<void> {
      await q
        .deleteFrom('team_member')
        .where('team_id', '=', teamId)
        .where('agent_id', '=', agentId)
        .execute()
    },

    /** Ordered by the time of addition, then by id. */
    async list(teamId: string): Promise<Member[]> {
      const rows = await q
        .selectFrom('team_member')
        .select(['agent_id', 'added_at'])
        .where('team_id', '=', teamId)
        .orderBy('added_at')
        .orderBy(sql`agent_id collate "C"`)
        .execute()
      return rows.map((row) => ({ agentId: row.agent_id, addedAt: row.added_at }))
    },

    /** Active teams of the agent, ordered by id. */
    async listActiveTeams(agentId: string): Promise<string[]> {
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

    async removeFromAllTeams(agentId: AgentId): Promise<void> {
      await q.deleteFrom('team_member').where('agent_id', '=', agentId).execute()
    },

    async removeAll(teamId: string): Promise<void> {
      await q.deleteFrom('team_member').where('team_id', '=', teamId).execute()
    },
  }
}

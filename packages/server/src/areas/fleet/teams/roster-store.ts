import { sql } from 'kysely'
import { asPurger, type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId, TeamId } from '../../../kernel/ids.ts'
import type { RosterChange } from './team.ts'

type RosterTables = {
  team_roster_change: {
    team_id: string
    change_number: number
    change_id: string
    change_type: string
    agent_id: string | null
    actor_id: string | null
    initial: boolean
    created_at: Date
  }
}

export function createRosterStore(db: Db) {
  const q = db.withTables<RosterTables>()
  return {
    /** `length` is the current number of changes; new ones are numbered from there. */
    async append(
      { teamId, length }: { teamId: string; length: number },
      changes: readonly RosterChange[],
    ): Promise<void> {
      if (changes.length === 0) return
      const rows = changes.map((change, at) => ({
        team_id: teamId,
        change_number: length + at + 1,
        change_id: change.changeId,
        change_type: change.changeType,
        agent_id: change.agentId,
        actor_id: change.actorId,
        initial: change.initial,
        created_at: change.createdAt,
      }))
      await q.insertInto('team_roster_change').values(rows).execute()
    },

    /** Newest first. */
    async list(teamId: string, request: PageRequest): Promise<Page<RosterChange>> {
      const rows = q.selectFrom('team_roster_change').where('team_id', '=', teamId)
      const counted = await rows.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy('change_number', 'desc')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toChange), total: counted.total }
    },

    /** Changes after `after` among the first `length`, without initial members; oldest first. */
    async listLater(
      { teamId, length }: { teamId: string; length: number },
      after: Date,
    ): Promise<{ changeId: string; createdAt: Date }[]> {
      const rows = await q
        .selectFrom('team_roster_change')
        .select(['change_id', 'created_at'])
        .where('team_id', '=', teamId)
        .where('change_number', '<=', length)
        .where('initial', '=', false)
        .where('created_at', '>', after)
        .orderBy('change_number')
        .execute()
      return rows.map((row) => ({ changeId: row.change_id, createdAt: row.created_at }))
    },

    /** Keeps the changes and clears the id of the agent. */
    async anonymiseAgent(agentId: AgentId): Promise<void> {
      await asPurger(db, () =>
        sql`with deleted as (delete from team_roster_change where agent_id = ${agentId} returning *)
          insert into team_roster_change (team_id, change_number, change_id, change_type, agent_id,
            actor_id, initial, created_at)
          select team_id, change_number, change_id, change_type, null, actor_id, initial,
            created_at from deleted`.execute(db),
      )
    },

    async deleteOfTeam(teamId: TeamId): Promise<void> {
      await asPurger(db, () =>
        q.deleteFrom('team_roster_change').where('team_id', '=', teamId).execute(),
      )
    },
  }
}

function toChange(row: RosterTables['team_roster_change']): RosterChange {
  return {
    changeId: row.change_id,
    changeType: row.change_type as RosterChange['changeType'],
    agentId: row.agent_id,
    actorId: row.actor_id,
    initial: row.initial,
    createdAt: row.created_at,
  }
}

import { type Actor, SYSTEM_ACTOR } from '../../../audit.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { EventData } from '../../../kernel/events.ts'
import { type AgentId, newId, type OrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createRosterStore } from './roster-store.ts'
import {
  archiveLocked,
  assertActive,
  lockActive,
  type NamedMember,
  namedMembers,
  noTeam,
  recordTeam,
  requireAgents,
  type TeamDeps,
  tell,
} from './service.ts'
import { createTeamStore, type StoredTeam } from './store.ts'
import { MEMBERS_MAX, MEMBERS_MIN, planAddition, type RosterChange } from './team.ts'

/** Teams erased in one look at the table. */
const ERASED_PAGE = 100

export type Added = {
  added: readonly string[]
  alreadyMembers: readonly string[]
  members: readonly NamedMember[]
}

export type RosterService = ReturnType<typeof createRosterService>

/** Who belongs to a team, and what follows when agents or organisations end. */
export function createRosterService(deps: TeamDeps) {
  return { ...joining(deps), ...leaving(deps), ...ending(deps) }
}

function joining(deps: TeamDeps) {
  return {
    async addMembers(teamId: string, agentIds: readonly string[], actor: Actor): Promise<Added> {
      const wanted = [...new Set(agentIds)]
      if (wanted.length > MEMBERS_MAX) throw tooMany(wanted.length)
      return transact(deps.db, async (tx) => {
        const orgId = await createTeamStore(tx).orgOf(teamId)
        if (orgId === undefined) throw noTeam()
        // Agents before teams, as when an agent is archived, so that nobody waits in a ring.
        await requireAgents(deps, tx, orgId, wanted)
        const team = await lockActive(tx, teamId)
        const store = createTeamStore(tx)
        const present = (await store.listMembers(teamId)).map(({ agentId }) => agentId)
        const plan = planAddition(present, wanted)
        if (!plan.fits) throw tooMany(plan.count)
        const { added, alreadyMembers } = plan
        const now = deps.clock.now()
        await store.addMembers(
          teamId,
          added.map((agentId) => ({ agentId, addedAt: now })),
        )
        await follow(deps, tx, {
          team,
          actor,
          changeType: 'agent_added',
          agentIds: added,
          countBefore: present.length,
        })
        return { added, alreadyMembers, members: await namedMembers(deps, tx, teamId) }
      })
    },
  }
}

function leaving(deps: TeamDeps) {
  return {
    async removeMember(teamId: string, agentId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const team = await createTeamStore(tx).lock(teamId)
        if (team === undefined) throw noTeam()
        const store = createTeamStore(tx)
        const present = (await store.listMembers(teamId)).map((one) => one.agentId)
        if (!present.includes(agentId)) {
          throw new Problem('not_found', 'The agent is not in the team.')
        }
        assertActive(team)
        if (present.length <= MEMBERS_MIN) {
          throw new Problem('invalid_request', `A team keeps at least ${MEMBERS_MIN} agents.`)
        }
        await store.removeMember(teamId, agentId)
        await follow(deps, tx, {
          team,
          actor,
          changeType: 'agent_removed',
          agentIds: [agentId],
          countBefore: present.length,
        })
      })
    },

    /** An archived agent leaves its teams; one that is left with a single member is archived. */
    async retire(tx: Db, agentId: AgentId): Promise<void> {
      const store = createTeamStore(tx)
      for (const teamId of await store.listActiveOf(agentId)) {
        const team = await store.lock(teamId)
        const present = (await store.listMembers(teamId)).map((one) => one.agentId)
        if (team?.status !== 'active' || !present.includes(agentId)) continue
        await store.removeMember(teamId, agentId)
        const after = await follow(deps, tx, {
          team,
          actor: SYSTEM_ACTOR,
          changeType: 'agent_removed',
          agentIds: [agentId],
          countBefore: present.length,
        })
        if (present.length - 1 < MEMBERS_MIN) await archiveLocked(deps, tx, after, SYSTEM_ACTOR)
      }
    },

    /** With the agent: archived teams, too, forget who it was. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createTeamStore(tx).removeEverywhere(agentId)
      await createRosterStore(tx).forgetAgent(agentId)
    },
  }
}

type Following = {
  team: StoredTeam
  actor: Actor
  changeType: RosterChange['changeType']
  agentIds: readonly string[]
  countBefore: number
}

/** The log, the count of its entries, the audit log and the events. */
async function follow(deps: TeamDeps, tx: Db, done: Following): Promise<StoredTeam> {
  const { team, actor, changeType, agentIds, countBefore } = done
  if (agentIds.length === 0) return team
  const now = deps.clock.now()
  const actorId = actor.type === 'system' ? null : actor.id
  await createRosterStore(tx).append(
    { teamId: team.teamId, length: team.rosterLength },
    agentIds.map((agentId) => ({
      changeId: newId('trc'),
      changeType,
      agentId,
      actorId,
      initial: false,
      createdAt: now,
    })),
  )
  const rosterLength = team.rosterLength + agentIds.length
  const after = { ...team, rosterLength, updatedAt: now }
  await createTeamStore(tx).update(after)
  await deps.owned.rosterChanged(tx, team.teamId)
  const isAdded = changeType === 'agent_added'
  const agent_ids = isAdded ? { from: null, to: agentIds } : { from: agentIds, to: null }
  const action = isAdded ? 'team.members_added' : 'team.member_removed'
  await recordTeam(deps, tx, { team, action, actor, fields: { agent_ids } })
  const step = isAdded ? 1 : -1
  const data = agentIds.map((agentId, at) => ({
    team_id: team.teamId,
    agent_id: agentId,
    actor_id: actorId,
    member_count: countBefore + step * (at + 1),
  })) satisfies EventData['team.member_added'][]
  const type = isAdded ? 'team.member_added' : 'team.member_removed'
  await tell(
    deps,
    tx,
    team.orgId,
    data.map((one) => ({ type, data: one })),
  )
  return after
}

function ending(deps: TeamDeps) {
  return {
    /** With the organisation, whose agents stay in their teams: it may come back. */
    closeOrg: (tx: Db, orgId: OrgId): Promise<void> =>
      createTeamStore(tx).setOrgClosed(orgId, true),

    reopenOrg: (tx: Db, orgId: OrgId): Promise<void> =>
      createTeamStore(tx).setOrgClosed(orgId, false),

    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      const store = createTeamStore(tx)
      for (;;) {
        const teamIds = await store.listOfOrg(orgId, ERASED_PAGE)
        for (const teamId of teamIds) {
          await deps.owned.erase(tx, teamId)
          await createRosterStore(tx).deleteOf(teamId)
          await store.delete(teamId)
        }
        if (teamIds.length < ERASED_PAGE) return
      }
    },
  }
}

function tooMany(count: number): Problem {
  const message = `A team has at most ${MEMBERS_MAX} agents; this would make ${count}.`
  return new Problem('invalid_request', message)
}

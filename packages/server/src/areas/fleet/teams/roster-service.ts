import { type Actor, SYSTEM_ACTOR } from '../../../audit.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { type AgentId, newId, type OrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createMemberStore } from './member-store.ts'
import { createRosterStore } from './roster-store.ts'
import {
  archiveLocked,
  assertActive,
  lockActive,
  memberIds,
  type NamedMember,
  namedMembers,
  noTeam,
  publishEvents,
  recordTeam,
  requireAgents,
  type TeamDeps,
} from './service.ts'
import { createTeamStore, type StoredTeam } from './store.ts'
import { MEMBERS_MAX, MEMBERS_MIN, planAddition, type RosterChange } from './team.ts'

/** Page size of the teams deleted with an organisation. */
const ERASED_PAGE = 100

export type Added = {
  added: readonly string[]
  alreadyMembers: readonly string[]
  members: readonly NamedMember[]
}

export type RosterService = ReturnType<typeof createRosterService>

/** Membership of teams, and its changes when agents or organisations are archived or erased. */
export function createRosterService(deps: TeamDeps) {
  return {
    addMembers: (teamId: string, agentIds: readonly string[], actor: Actor): Promise<Added> =>
      addMembers(deps, teamId, agentIds, actor),

    removeMember: (teamId: string, agentId: string, actor: Actor): Promise<void> =>
      transact(deps.db, (tx) => removeMember(deps, tx, { teamId, agentId, actor })),

    /** Removes an archived agent from its teams; archives teams left with a single member. */
    retire: (tx: Db, agentId: AgentId): Promise<void> => retireAgent(deps, tx, agentId),

    /** Removes an erased agent from all teams and rosters, including those of archived teams. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createMemberStore(tx).removeFromAllTeams(agentId)
      await createRosterStore(tx).anonymiseAgent(agentId)
    },

    /** Keeps the members, because a closed organisation can be reopened. */
    closeOrg: (tx: Db, orgId: OrgId): Promise<void> =>
      createTeamStore(tx).setOrgClosed(orgId, true),

    reopenOrg: (tx: Db, orgId: OrgId): Promise<void> =>
      createTeamStore(tx).setOrgClosed(orgId, false),

    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      for (;;) {
        const teamIds = await createTeamStore(tx).listOfOrg(orgId, ERASED_PAGE)
        for (const teamId of teamIds) {
          await deps.dependents.erase(tx, teamId)
          await createRosterStore(tx).deleteOfTeam(teamId)
          await createMemberStore(tx).removeAll(teamId)
          await createTeamStore(tx).delete(teamId)
        }
        if (teamIds.length < ERASED_PAGE) return
      }
    },
  }
}

async function addMembers(
  deps: TeamDeps,
  teamId: string,
  agentIds: readonly string[],
  actor: Actor,
): Promise<Added> {
  const wanted = [...new Set(agentIds)]
  if (wanted.length > MEMBERS_MAX) throw tooMany(wanted.length)
  return transact(deps.db, async (tx) => {
    const orgId = await createTeamStore(tx).orgOf(teamId)
    if (orgId === undefined) throw noTeam()
    // Lock order: agents before teams, as when an agent is archived, to avoid deadlocks.
    await requireAgents(deps, tx, orgId, wanted)
    const team = await lockActive(tx, teamId)
    const present = await memberIds(tx, teamId)
    const plan = planAddition(present, wanted)
    if (!plan.fits) throw tooMany(plan.count)
    const { added, alreadyMembers } = plan
    const now = deps.clock.now()
    await createMemberStore(tx).add(
      teamId,
      added.map((agentId) => ({ agentId, addedAt: now })),
    )
    await recordChange(deps, tx, {
      team,
      actor,
      changeType: 'agent_added',
      agentIds: added,
      countBefore: present.length,
    })
    return { added, alreadyMembers, members: await namedMembers(deps, tx, teamId) }
  })
}

async function removeMember(
  deps: TeamDeps,
  tx: Db,
  { teamId, agentId, actor }: { teamId: string; agentId: string; actor: Actor },
): Promise<void> {
  const team = await createTeamStore(tx).lock(teamId)
  if (team === undefined) throw noTeam()
  const present = await memberIds(tx, teamId)
  if (!present.includes(agentId)) {
    throw new Problem('not_found', 'The agent is not a member of the team.')
  }
  assertActive(team)
  if (present.length <= MEMBERS_MIN) {
    throw new Problem('invalid_request', `A team must keep at least ${MEMBERS_MIN} agents.`)
  }
  await createMemberStore(tx).remove(teamId, agentId)
  await recordChange(deps, tx, {
    team,
    actor,
    changeType: 'agent_removed',
    agentIds: [agentId],
    countBefore: present.length,
  })
}

async function retireAgent(deps: TeamDeps, tx: Db, agentId: AgentId): Promise<void> {
  for (const teamId of await createMemberStore(tx).listActiveTeams(agentId)) {
    const team = await createTeamStore(tx).lock(teamId)
    const present = await memberIds(tx, teamId)
    if (team?.status !== 'active' || !present.includes(agentId)) continue
    await createMemberStore(tx).remove(teamId, agentId)
    const after = await recordChange(deps, tx, {
      team,
      actor: SYSTEM_ACTOR,
      changeType: 'agent_removed',
      agentIds: [agentId],
      countBefore: present.length,
    })
    if (present.length - 1 < MEMBERS_MIN) await archiveLocked(deps, tx, after, SYSTEM_ACTOR)
  }
}

type MembershipChange = {
  team: StoredTeam
  actor: Actor
  changeType: RosterChange['changeType']
  agentIds: readonly string[]
  countBefore: number
}

/** Writes the roster log, its length, the audit log and the events of a change. */
async function recordChange(deps: TeamDeps, tx: Db, change: MembershipChange): Promise<StoredTeam> {
  const { team, actor, changeType, agentIds, countBefore } = change
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
  await deps.dependents.rosterChanged(tx, team.teamId)
  const isAdded = changeType === 'agent_added'
  const agent_ids = isAdded ? { from: null, to: agentIds } : { from: agentIds, to: null }
  const action = isAdded ? 'team.members_added' : 'team.member_removed'
  await recordTeam(deps, tx, { team, action, actor, fields: { agent_ids } })
  const step = isAdded ? 1 : -1
  const type = isAdded ? 'team.member_added' : 'team.member_removed'
  await publishEvents(deps, tx, team.orgId, (to) =>
    agentIds.map((agentId, at) => ({
      ...to,
      type,
      data: {
        team_id: team.teamId,
        agent_id: agentId,
        actor_id: actorId,
        member_count: countBefore + step * (at + 1),
      },
    })),
  )
  return after
}

function tooMany(count: number): Problem {
  const message = `A team has at most ${MEMBERS_MAX} agents; this request would make it ${count}.`
  return new Problem('invalid_request', message)
}

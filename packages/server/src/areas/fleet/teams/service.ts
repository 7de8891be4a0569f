import { type Actor, type Audit, changesBetween } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, isUniqueViolation, transact } from '../../../kernel/db.ts'
import type { Events, NewEvent } from '../../../kernel/events.ts'
import { newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createMemberStore } from './member-store.ts'
import type { Agents, Dependents, Orgs } from './ports.ts'
import { createRosterStore } from './roster-store.ts'
import { type CountedTeam, createTeamStore, NAME_CONSTRAINT, type StoredTeam } from './store.ts'
import {
  acceptName,
  MEMBERS_MAX,
  MEMBERS_MIN,
  type Member,
  NAME_LENGTH_MAX,
  type RosterChange,
  type Status,
  type Team,
  type TeamFields,
} from './team.ts'

export type TeamDeps = {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  agents: Agents
  orgs: Orgs
  dependents: Dependents
}

export type NewTeam = TeamFields & { orgId: string; agentIds: readonly string[] }

export type NamedMember = Member & { name: string }
export type TeamView = { team: Team; members: readonly NamedMember[] }

export type TeamService = ReturnType<typeof createTeamService>

export function createTeamService(deps: TeamDeps) {
  const teams = createTeamStore(deps.db)
  const roster = createRosterStore(deps.db)
  return {
    create: (wanted: NewTeam, actor: Actor): Promise<TeamView> => createTeam(deps, wanted, actor),

    async get(teamId: string): Promise<TeamView> {
      const team = await teams.find(teamId)
      if (team === undefined) throw noTeam()
      return { team, members: await namedMembers(deps, deps.db, teamId) }
    },

    list: (orgId: string, status: Status, page: PageRequest): Promise<Page<CountedTeam>> =>
      teams.list(orgId, status, page),

    rosterHistory: (teamId: string, page: PageRequest): Promise<Page<RosterChange>> =>
      roster.list(teamId, page),

    /** Concurrent updates: the last write wins. */
    update: (teamId: string, changes: Partial<TeamFields>, actor: Actor): Promise<CountedTeam> =>
      updateTeam(deps, teamId, changes, actor),

    /** Permanent and idempotent: archiving an archived team changes nothing. */
    async archive(teamId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const team = await createTeamStore(tx).lock(teamId)
        if (team === undefined) throw noTeam()
        if (team.status === 'active') await archiveLocked(deps, tx, team, actor)
      })
    },

    // The methods below serve other features.

    orgOf: teams.orgOf,

    /** Locks the team until the transaction ends; throws `conflict` if it is archived. */
    lockActive,

    find: (db: Db, teamId: string): Promise<Team | undefined> => createTeamStore(db).find(teamId),

    /** For publication: undefined also while the organisation is deleted. */
    findShown: (teamId: string): Promise<Team | undefined> => teams.findShown(teamId),

    /** A page of active teams ordered by id, starting after the given id. */
    listActive: (afterTeamId: string, limit: number): Promise<string[]> =>
      teams.listActive(afterTeamId, limit),

    /** Active teams of an agent, ordered by id. */
    activeTeamsOf: (db: Db, agentId: string): Promise<string[]> =>
      createMemberStore(db).listActiveTeams(agentId),

    /** Ordered by the time they were added, then by id. */
    membersOf: (db: Db, teamId: string): Promise<string[]> => memberIds(db, teamId),

    /**
     * Roster changes after `after`, oldest first, among the first `length` ones; the initial
     * members are left out.
     */
    rosterChangesAfter: (db: Db, log: { teamId: string; length: number }, after: Date) =>
      createRosterStore(db).listLater(log, after),

    /** An active team of the organisation, with its members in the order they were added. */
    async findRoster(db: Db, orgId: string, teamId: string) {
      const team = await createTeamStore(db).find(teamId)
      if (team?.orgId !== orgId || team.status !== 'active') return undefined
      return { teamId, agentIds: await memberIds(db, teamId) }
    },

    /** Locks the team until the transaction ends; false unless active with exactly these members. */
    async lockRoster(
      tx: Db,
      { teamId, agentIds }: { teamId: string; agentIds: readonly string[] },
    ): Promise<boolean> {
      if ((await createTeamStore(tx).lock(teamId))?.status !== 'active') return false
      const members = new Set(await memberIds(tx, teamId))
      return members.size === agentIds.length && agentIds.every((id) => members.has(id))
    },

    /** The oldest active team of the organisation with exactly these members. */
    findByRoster: async (
      db: Db,
      orgId: string,
      agentIds: readonly string[],
    ): Promise<string | undefined> =>
      (await createTeamStore(db).findByRoster(orgId, agentIds))?.teamId,
  }
}

async function createTeam(deps: TeamDeps, wanted: NewTeam, actor: Actor): Promise<TeamView> {
  const name = requireName(wanted.name)
  const agentIds = [...new Set(wanted.agentIds)]
  if (agentIds.length < MEMBERS_MIN || agentIds.length > MEMBERS_MAX) {
    throw new Problem(
      'invalid_request',
      `agent_ids: must list ${MEMBERS_MIN} to ${MEMBERS_MAX} different agents`,
    )
  }
  const teamId = newId('team')
  return transact(deps.db, async (tx) => {
    const found = await requireAgents(deps, tx, wanted.orgId, agentIds)
    const now = deps.clock.now()
    const { orgId, description, metadata, visibility } = wanted
    const team: Team = {
      teamId,
      orgId,
      name,
      description,
      metadata,
      visibility,
      status: 'active',
      createdAt: now,
      updatedAt: now,
      archivedAt: null,
      rosterLength: agentIds.length,
    }
    await rejectTakenName(() => createTeamStore(tx).insert(team))
    const store = createMemberStore(tx)
    await store.add(
      teamId,
      agentIds.map((agentId) => ({ agentId, addedAt: now })),
    )
    await createRosterStore(tx).append(
      { teamId, length: 0 },
      agentIds.map((agentId) => ({
        changeId: newId('trc'),
        changeType: 'agent_added',
        agentId,
        actorId: actor.id,
        initial: true,
        createdAt: now,
      })),
    )
    await recordTeam(deps, tx, { team, action: 'team.created', actor })
    const data = { ...toEventData(team), member_count: agentIds.length, agent_ids: agentIds }
    await publishEvents(deps, tx, orgId, (to) => [{ ...to, type: 'team.created', data }])
    const names = new Map(found.map((agent) => [agent.agentId, agent.name]))
    const members = await store.list(teamId)
    return { team, members: members.map((one) => withName(one, names)) }
  })
}

async function updateTeam(
  deps: TeamDeps,
  teamId: string,
  changes: Partial<TeamFields>,
  actor: Actor,
): Promise<CountedTeam> {
  if (Object.keys(changes).length === 0) {
    throw new Problem(
      'invalid_request',
      'At least one of name, description, metadata and visibility is required.',
    )
  }
  const name = changes.name === undefined ? {} : { name: requireName(changes.name) }
  return transact(deps.db, async (tx) => {
    const before = await lockActive(tx, teamId)
    const after: Team = { ...before, ...changes, ...name, updatedAt: deps.clock.now() }
    await rejectTakenName(() => createTeamStore(tx).update(after))
    const { updatedAt: _, ...fields } = changesBetween(before, after)
    await recordTeam(deps, tx, { team: after, action: 'team.updated', actor, fields })
    return { ...after, memberCount: (await memberIds(tx, teamId)).length }
  })
}

export async function lockActive(tx: Db, teamId: string): Promise<StoredTeam> {
  const team = await createTeamStore(tx).lock(teamId)
  if (team === undefined) throw noTeam()
  assertActive(team)
  return team
}

export function assertActive({ status }: Team): void {
  if (status === 'active') return
  throw new Problem('conflict', 'The team is archived and cannot be changed.')
}

export async function archiveLocked(
  deps: TeamDeps,
  tx: Db,
  team: Team,
  actor: Actor,
): Promise<void> {
  const now = deps.clock.now()
  await createTeamStore(tx).update({
    ...team,
    status: 'archived',
    archivedAt: now,
    updatedAt: now,
  })
  await recordTeam(deps, tx, { team, action: 'team.archived', actor })
  const data = toEventData(team)
  await publishEvents(deps, tx, team.orgId, (to) => [{ ...to, type: 'team.archived', data }])
}

export async function memberIds(db: Db, teamId: string): Promise<string[]> {
  return (await createMemberStore(db).list(teamId)).map(({ agentId }) => agentId)
}

export async function namedMembers(deps: TeamDeps, db: Db, teamId: string): Promise<NamedMember[]> {
  const members = await createMemberStore(db).list(teamId)
  const found = await deps.agents.listFacts(
    db,
    members.map(({ agentId }) => agentId),
  )
  const names = new Map(found.map((agent) => [agent.agentId, agent.name]))
  return members.map((one) => withName(one, names))
}

function withName(member: Member, names: ReadonlyMap<string, string>): NamedMember {
  return { ...member, name: names.get(member.agentId) ?? member.agentId }
}

/** Throws `not_found` for archived agents and those of other organisations, as for missing ones. */
export async function requireAgents(
  deps: TeamDeps,
  tx: Db,
  orgId: string,
  agentIds: readonly string[],
) {
  const found = (await deps.agents.describe(tx, agentIds)).filter(
    (agent) => agent.orgId === orgId && !agent.archived,
  )
  const known = new Set(found.map(({ agentId }) => agentId))
  const missing = agentIds.filter((agentId) => !known.has(agentId))
  if (missing.length === 0) return found
  throw new Problem(
    'not_found',
    `The organisation has no agents with these ids: ${missing.join(', ')}.`,
  )
}

/** Publishes to the account of the organisation; a deleted organisation has none. */
export async function publishEvents(
  deps: TeamDeps,
  tx: Db,
  orgId: string,
  eventsTo: (recipient: { orgId: string; accountId: string }) => readonly NewEvent[],
): Promise<void> {
  const accountId = await deps.orgs.accountOf(tx, orgId)
  if (accountId !== undefined) await deps.events.emitAll(tx, eventsTo({ orgId, accountId }))
}

function toEventData({ teamId, orgId, name }: Team) {
  return { team_id: teamId, org_id: orgId, name }
}

type Recorded = {
  team: Team
  action: string
  actor: Actor
  fields?: Record<string, { from: unknown; to: unknown }>
}

export function recordTeam(
  deps: TeamDeps,
  tx: Db,
  { team, action, actor, fields = {} }: Recorded,
): Promise<void> {
  const target = { type: 'team', id: team.teamId }
  return deps.audit.record(tx, { orgId: team.orgId, action, actor, target, changes: fields })
}

function requireName(given: string): string {
  const name = acceptName(given)
  if (name !== undefined) return name
  throw new Problem('invalid_request', `name: must have 1 to ${NAME_LENGTH_MAX} characters`)
}

async function rejectTakenName(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (err) {
    if (!isUniqueViolation(err, NAME_CONSTRAINT)) throw err
    throw new Problem('conflict', 'The organisation already has a team of this name.', {
      cause: err,
    })
  }
}

export function noTeam(): Problem {
  return new Problem('not_found', 'No such team.')
}

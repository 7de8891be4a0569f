import { type Actor, type Audit, changesBetween } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, isUniqueViolation, transact } from '../../../kernel/db.ts'
import type { Events, NewEvent } from '../../../kernel/events.ts'
import { newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Agents, Orgs, OwnedRows } from './ports.ts'
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
  owned: OwnedRows
}

export type NewTeam = TeamFields & { orgId: string; agentIds: readonly string[] }

export type NamedMember = Member & { name: string }
export type TeamView = { team: Team; members: readonly NamedMember[] }

export type TeamService = ReturnType<typeof createTeamService>

export function createTeamService(deps: TeamDeps) {
  return { ...creating(deps), ...reading(deps), ...changing(deps), ...forOthers(deps) }
}

function creating(deps: TeamDeps) {
  return {
    async create(wanted: NewTeam, actor: Actor): Promise<TeamView> {
      const name = requireName(wanted.name)
      const agentIds = [...new Set(wanted.agentIds)]
      if (agentIds.length < MEMBERS_MIN || agentIds.length > MEMBERS_MAX) {
        throw new Problem(
          'invalid_request',
          `agent_ids: a team has ${MEMBERS_MIN} to ${MEMBERS_MAX} agents`,
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
        const store = createTeamStore(tx)
        await refusingTakenNames(() => store.insert(team))
        await store.addMembers(
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
        const data = { ...told(team), member_count: agentIds.length, agent_ids: agentIds }
        await tell(deps, tx, orgId, [{ type: 'team.created', data }])
        const names = new Map(found.map((agent) => [agent.agentId, agent.name]))
        const members = await store.listMembers(teamId)
        return { team, members: members.map((one) => withName(one, names)) }
      })
    },
  }
}

function reading(deps: TeamDeps) {
  const store = createTeamStore(deps.db)
  return {
    orgOf: store.orgOf,

    async get(teamId: string): Promise<TeamView> {
      const team = await store.find(teamId)
      if (team === undefined) throw noTeam()
      return { team, members: await namedMembers(deps, deps.db, teamId) }
    },

    list: (orgId: string, status: Status, page: PageRequest): Promise<Page<CountedTeam>> =>
      store.list(orgId, status, page),

    rosterHistory: (teamId: string, page: PageRequest): Promise<Page<RosterChange>> =>
      createRosterStore(deps.db).list(teamId, page),
  }
}

function changing(deps: TeamDeps) {
  return {
    /** The last write wins. */
    async update(teamId: string, changes: Partial<TeamFields>, actor: Actor): Promise<CountedTeam> {
      if (Object.keys(changes).length === 0) {
        throw new Problem(
          'invalid_request',
          'Say what to change: name, description, metadata or visibility.',
        )
      }
      const name = changes.name === undefined ? {} : { name: requireName(changes.name) }
      return transact(deps.db, async (tx) => {
        const before = await lockActive(tx, teamId)
        const after: Team = { ...before, ...changes, ...name, updatedAt: deps.clock.now() }
        const store = createTeamStore(tx)
        await refusingTakenNames(() => store.update(after))
        const { updatedAt: _, ...fields } = changesBetween(before, after)
        await recordTeam(deps, tx, { team: after, action: 'team.updated', actor, fields })
        return { ...after, memberCount: (await store.listMembers(teamId)).length }
      })
    },

    /** For good. Asked for again, nothing happens any more. */
    async archive(teamId: string, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const team = await createTeamStore(tx).lock(teamId)
        if (team === undefined) throw noTeam()
        if (team.status === 'active') await archiveLocked(deps, tx, team, actor)
      })
    },
  }
}

/** What other features ask of teams. */
function forOthers(deps: TeamDeps) {
  return {
    /** Keeps the team as it is until the transaction ends; throws `conflict` once archived. */
    lockActive,

    find: (db: Db, teamId: string): Promise<Team | undefined> => createTeamStore(db).find(teamId),

    /** For what is published of it: undefined too while its organisation is deleted. */
    findShown: (teamId: string): Promise<Team | undefined> =>
      createTeamStore(deps.db).findShown(teamId),

    /** Active ones, by id, a page after the given one. */
    listActive: (afterTeamId: string, limit: number): Promise<string[]> =>
      createTeamStore(deps.db).listActive(afterTeamId, limit),

    /** The active teams an agent is in, by id. */
    activeTeamsOf: (db: Db, agentId: string): Promise<string[]> =>
      createTeamStore(db).listActiveOf(agentId),

    /** By the time they were added, then by id. */
    membersOf: async (db: Db, teamId: string): Promise<string[]> =>
      (await createTeamStore(db).listMembers(teamId)).map(({ agentId }) => agentId),

    /** Changes after the team began, of the first so many, after that time; oldest first. */
    rosterChangesAfter: (db: Db, roster: { teamId: string; length: number }, after: Date) =>
      createRosterStore(db).listLater(roster, after),

    /** The active team of an organisation and its members, in the order they were added. */
    async findRoster(db: Db, orgId: string, teamId: string) {
      const store = createTeamStore(db)
      const team = await store.find(teamId)
      if (team?.orgId !== orgId || team.status !== 'active') return undefined
      return { teamId, agentIds: (await store.listMembers(teamId)).map(({ agentId }) => agentId) }
    },

    /** Keeps an active team with exactly these members as it is until the transaction ends. */
    async holdRoster(
      tx: Db,
      { teamId, agentIds }: { teamId: string; agentIds: readonly string[] },
    ): Promise<boolean> {
      const store = createTeamStore(tx)
      if ((await store.lock(teamId))?.status !== 'active') return false
      const members = new Set((await store.listMembers(teamId)).map(({ agentId }) => agentId))
      return members.size === agentIds.length && agentIds.every((id) => members.has(id))
    },

    /** The oldest active team of an organisation with exactly these members. */
    findByRoster: async (
      db: Db,
      orgId: string,
      agentIds: readonly string[],
    ): Promise<string | undefined> =>
      (await createTeamStore(db).findByRoster(orgId, agentIds))?.teamId,
  }
}

export async function lockActive(tx: Db, teamId: string): Promise<StoredTeam> {
  const team = await createTeamStore(tx).lock(teamId)
  if (team === undefined) throw noTeam()
  assertActive(team)
  return team
}

export function assertActive({ status }: Team): void {
  if (status === 'active') return
  throw new Problem('conflict', 'The team is archived; it cannot be changed any more.')
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
  await tell(deps, tx, team.orgId, [{ type: 'team.archived', data: told(team) }])
}

export async function namedMembers(deps: TeamDeps, db: Db, teamId: string): Promise<NamedMember[]> {
  const members = await createTeamStore(db).listMembers(teamId)
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

/** Another organisation's agent is answered exactly like a missing one; so is an archived one. */
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
  throw new Problem('not_found', `The organisation has no such agents: ${missing.join(', ')}.`)
}

type Told = NewEvent extends infer Event
  ? Event extends NewEvent
    ? Pick<Event, 'type' | 'data'>
    : never
  : never

/** To whoever hears for the organisation; a deleted one hears nothing any more. */
export async function tell(
  deps: TeamDeps,
  tx: Db,
  orgId: string,
  events: readonly Told[],
): Promise<void> {
  const accountId = await deps.orgs.accountOf(tx, orgId)
  if (accountId === undefined) return
  await deps.events.emitAll(
    tx,
    events.map((event) => ({ ...event, orgId, accountId }) as NewEvent),
  )
}

function told({ teamId, orgId, name }: Team) {
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

async function refusingTakenNames(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (err) {
    if (!isUniqueViolation(err, NAME_CONSTRAINT)) throw err
    throw new Problem('conflict', 'A team of this name exists in the organisation.', { cause: err })
  }
}

export function noTeam(): Problem {
  return new Problem('not_found', 'No such team.')
}

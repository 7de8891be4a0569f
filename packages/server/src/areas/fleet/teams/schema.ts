import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import {
  Nullable,
  PageFields,
  type PageLimits,
  pageQuery,
  toPageFields,
} from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Added } from './roster-service.ts'
import type { NamedMember, NewTeam, TeamView } from './service.ts'
import type { CountedTeam } from './store.ts'
import { MEMBERS_MAX, type RosterChange, STATUSES, type TeamFields, VISIBILITIES } from './team.ts'

export const MemberParams = Type.Object({ team_id: Type.String(), agent_id: Type.String() })

/** spec: interface, Limits. */
export const TEAM_PAGES: PageLimits = { perPageDefault: 50, perPageMax: 200 }

export const RosterQuery = pageQuery(TEAM_PAGES)
export const TeamQuery = Type.Object({
  status: Type.Optional(NamedEnum('TeamStatus', [...STATUSES], { default: 'active' })),
  ...RosterQuery.properties,
})

/** May exceed the size of a team, because duplicates count once. */
const AgentIds = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
  minItems: 1,
  maxItems: 20 * MEMBERS_MAX,
  description: 'duplicates count once',
})

const fields = {
  name: Type.String({ maxLength: 1000, description: '1 to 100 characters after trimming' }),
  description: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
  metadata: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'at most 16 KB' }),
  ),
  visibility: Type.Optional(NamedEnum('Visibility', [...VISIBILITIES])),
}

export const NewTeamBody = NamedObject('NewTeam', {
  org_id: Type.String({ minLength: 1, maxLength: 200 }),
  agent_ids: AgentIds,
  ...fields,
})

export const TeamChanges = NamedObject('TeamChanges', {
  ...fields,
  name: Type.Optional(fields.name),
})

export const NewMembersBody = NamedObject('NewTeamMembers', { agent_ids: AgentIds })

export const Team = NamedObject('Team', {
  id: Type.String(),
  org_id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  status: NamedEnum('TeamStatus', [...STATUSES]),
  metadata: Type.Record(Type.String(), Type.Unknown()),
  visibility: NamedEnum('Visibility', [...VISIBILITIES]),
  member_count: Type.Integer(),
  created_at: Type.String(),
  updated_at: Type.String(),
  archived_at: Nullable(Type.String()),
})

const Member = NamedObject('TeamMember', {
  team_id: Type.String(),
  agent_id: Type.String(),
  agent_name: Type.String(),
  added_at: Type.String(),
  removed_at: Type.Null(),
})

export const TeamWithMembers = NamedObject(
  'TeamWithMembers',
  {
    team: Team,
    members: Type.Array(Member),
  },
  { description: 'The team and its members' },
)
export const TeamPage = NamedObject('TeamPage', { teams: Type.Array(Team), ...PageFields })
export const Archived = NamedObject(
  'ArchivedTeam',
  {
    archived: Type.Literal(true),
    team_id: Type.String(),
  },
  { description: 'The team is archived' },
)
export const Removed = NamedObject(
  'RemovedTeamMember',
  {
    removed: Type.Literal(true),
    agent_id: Type.String(),
  },
  { description: 'The agent is removed from the team' },
)

export const MembersAdded = NamedObject(
  'AddedTeamMembers',
  {
    added: Type.Array(Type.String()),
    already_members: Type.Array(Type.String()),
    members: Type.Array(Member),
  },
  { description: 'The members of the team, and which were added' },
)

export const RosterPage = NamedObject('RosterChangePage', {
  changes: Type.Array(
    NamedObject('RosterChange', {
      id: Type.String(),
      team_id: Type.String(),
      change_type: NamedEnum('RosterChangeType', ['agent_added', 'agent_removed']),
      agent_id: Nullable(Type.String()),
      actor_id: Nullable(Type.String()),
      created_at: Type.String(),
    }),
  ),
  ...PageFields,
})

const METADATA_BYTES_MAX = 16 * 1024

export function toNewTeam(body: Static<typeof NewTeamBody>): NewTeam {
  return {
    orgId: body.org_id,
    name: body.name,
    agentIds: body.agent_ids,
    description: body.description ?? null,
    metadata: acceptMetadata(body.metadata ?? {}),
    visibility: body.visibility ?? 'public',
  }
}

/** Omits fields that were not given. */
export function toTeamChanges(body: Static<typeof TeamChanges>): Partial<TeamFields> {
  const { name, description, metadata, visibility } = body
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(metadata === undefined ? {} : { metadata: acceptMetadata(metadata) }),
    ...(visibility === undefined ? {} : { visibility }),
  }
}

function acceptMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  if (Buffer.byteLength(JSON.stringify(metadata)) <= METADATA_BYTES_MAX) return metadata
  throw new Problem('invalid_request', 'metadata: must be at most 16 KB')
}

export function toTeam(team: CountedTeam): Static<typeof Team> {
  return {
    id: team.teamId,
    org_id: team.orgId,
    name: team.name,
    description: team.description,
    status: team.status,
    metadata: team.metadata,
    visibility: team.visibility,
    member_count: team.memberCount,
    created_at: team.createdAt.toISOString(),
    updated_at: team.updatedAt.toISOString(),
    archived_at: team.archivedAt?.toISOString() ?? null,
  }
}

export function toTeamWithMembers({ team, members }: TeamView): Static<typeof TeamWithMembers> {
  return {
    team: toTeam({ ...team, memberCount: members.length }),
    members: members.map((one) => toMember(team.teamId, one)),
  }
}

function toMember(teamId: string, { agentId, name, addedAt }: NamedMember): Static<typeof Member> {
  return {
    team_id: teamId,
    agent_id: agentId,
    agent_name: name,
    added_at: addedAt.toISOString(),
    removed_at: null,
  }
}

export function toTeamPage(page: Page<CountedTeam>): Static<typeof TeamPage> {
  return { teams: page.items.map(toTeam), ...toPageFields(page) }
}

export function toMembersAdded(teamId: string, added: Added): Static<typeof MembersAdded> {
  return {
    added: [...added.added],
    already_members: [...added.alreadyMembers],
    members: added.members.map((one) => toMember(teamId, one)),
  }
}

export function toRosterPage(teamId: string, page: Page<RosterChange>): Static<typeof RosterPage> {
  const changes = page.items.map((change) => ({
    id: change.changeId,
    team_id: teamId,
    change_type: change.changeType,
    agent_id: change.agentId,
    actor_id: change.actorId,
    created_at: change.createdAt.toISOString(),
  }))
  return { changes, ...toPageFields(page) }
}

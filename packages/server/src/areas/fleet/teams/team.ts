export const VISIBILITIES = ['public', 'unlisted', 'private'] as const
export type Visibility = (typeof VISIBILITIES)[number]
export const STATUSES = ['active', 'archived'] as const
export type Status = (typeof STATUSES)[number]

/** spec: interface, Limits. */
export const MEMBERS_MIN = 2
export const MEMBERS_MAX = 50
/** spec: fleet §2. */
export const NAME_LENGTH_MAX = 100

export type TeamFields = {
  name: string
  description: string | null
  metadata: Record<string, unknown>
  visibility: Visibility
}

export type Team = TeamFields & {
  teamId: string
  orgId: string
  status: Status
  /** The number of roster changes so far. */
  rosterLength: number
  createdAt: Date
  updatedAt: Date
  archivedAt: Date | null
}

/** Lists are ordered by the time of addition, then by id. */
export type Member = { agentId: string; addedAt: Date }

export type RosterChange = {
  changeId: string
  changeType: 'agent_added' | 'agent_removed'
  /** Null once the agent is erased. */
  agentId: string | null
  /** Null if the service made the change. */
  actorId: string | null
  /** Whether the team was created with this member. */
  initial: boolean
  createdAt: Date
}

/** The trimmed name; undefined if its length is invalid. */
export function acceptName(given: string): string | undefined {
  const name = given.trim()
  const length = [...name].length
  return length >= 1 && length <= NAME_LENGTH_MAX ? name : undefined
}

/** Unique among the active teams of an organisation. */
export function nameKey(name: string): string {
  // Lower-casing can produce text that is not in NFC, so normalise again.
  return name.trim().normalize('NFC').toLowerCase().normalize('NFC')
}

export type Addition =
  | { fits: true; added: readonly string[]; alreadyMembers: readonly string[] }
  | { fits: false; count: number }

/** In the requested order, without duplicates. All or nothing: agents are never added in part. */
export function planAddition(members: readonly string[], wanted: readonly string[]): Addition {
  const present = new Set(members)
  const distinct = [...new Set(wanted)]
  const added = distinct.filter((agentId) => !present.has(agentId))
  const count = members.length + added.length
  if (count > MEMBERS_MAX) return { fits: false, count }
  return { fits: true, added, alreadyMembers: distinct.filter((agentId) => present.has(agentId)) }
}

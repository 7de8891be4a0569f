export const VISIBILITIES = ['public', 'unlisted', 'private'] as const
export type Visibility = (typeof VISIBILITIES)[number]
export const STATUSES = ['active', 'archived'] as const
export type Status = (typeof STATUSES)[number]

/** Interface, Limits. */
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
  /** How many roster changes there were. */
  rosterLength: number
  createdAt: Date
  updatedAt: Date
  archivedAt: Date | null
}

/** By the time they were added, then by id. */
export type Member = { agentId: string; addedAt: Date }

export type RosterChange = {
  changeId: string
  changeType: 'agent_added' | 'agent_removed'
  /** Null once the agent is erased. */
  agentId: string | null
  /** Null for the service itself. */
  actorId: string | null
  /** One of those the team began with. */
  initial: boolean
  createdAt: Date
}

/** The name as it is kept; nothing when it is no name. */
export function acceptName(given: string): string | undefined {
  const name = given.trim()
  const length = [...name].length
  return length >= 1 && length <= NAME_LENGTH_MAX ? name : undefined
}

/** Two teams of an organisation must differ in this. */
export function nameKey(name: string): string {
  // Lower case may leave NFC, so it is composed once more.
  return name.trim().normalize('NFC').toLowerCase().normalize('NFC')
}

export type Addition =
  | { fits: true; added: readonly string[]; alreadyMembers: readonly string[] }
  | { fits: false; count: number }

/** In the order asked for, each once. All or nothing: a team has no room for half of them. */
export function planAddition(members: readonly string[], wanted: readonly string[]): Addition {
  const present = new Set(members)
  const distinct = [...new Set(wanted)]
  const added = distinct.filter((agentId) => !present.has(agentId))
  const count = members.length + added.length
  if (count > MEMBERS_MAX) return { fits: false, count }
  return { fits: true, added, alreadyMembers: distinct.filter((agentId) => present.has(agentId)) }
}

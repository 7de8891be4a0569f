import type { Actor } from './audit.ts'
import type { Server } from './http/server.ts'
import type { Db } from './kernel/db.ts'
import type { AgentId, OrgId, TeamId } from './kernel/ids.ts'
import type { Lifecycle as LifecycleOf, TableFate } from './kernel/lifecycle.ts'

/** The process itself. */
type ProcessPhases = {
  /** Before the first request; fails early when SECRET_KEY is wrong. */
  warm: []
  /** Workers start, in processes that do background work. */
  serve: []
  /** Workers finish what they hold and take nothing new. */
  drain: []
  /** Buffers are flushed, while the database is still there. */
  stop: []
}

/** Owners of rows in many features. Each phase runs in the transaction of the change. */
type OwnerPhases = {
  agentRegistered: [tx: Db, agentId: AgentId]
  /** By themselves or with their organisation: nothing more is accepted from them. */
  agentsArchived: [tx: Db, agentIds: readonly AgentId[]]
  /** With their organisation. */
  agentsRestored: [tx: Db, agentIds: readonly AgentId[]]
  /** Archived by itself, not with its organisation, which may come back with all it had. */
  agentRetired: [tx: Db, agentId: AgentId]
  /** Name, visibility, owner, or whether they are archived. */
  agentsChanged: [tx: Db, agentIds: readonly AgentId[]]
  /** For good, 30 days after it was asked for or with the organisation. Its row is still there. */
  agentErased: [tx: Db, agentId: AgentId]
  /** At once, with the deletion. */
  orgClosed: [tx: Db, orgId: OrgId, actor: Actor]
  /** The deletion is undone. */
  orgReopened: [tx: Db, orgId: OrgId]
  /** For good, 30 days after the deletion. Its row is still there. */
  orgErased: [tx: Db, orgId: OrgId]
  teamRosterChanged: [tx: Db, teamId: TeamId]
  /** With its organisation. Its row is still there. */
  teamErased: [tx: Db, teamId: TeamId]
}

export type Phases = ProcessPhases & OwnerPhases

export type Lifecycle = LifecycleOf<Phases, Server>

type Fate = TableFate<keyof Phases>

const BACKUP = 'backup only'

/** Rows of an agent. */
export function goesWithAgent({ exported = BACKUP, purged = 'with its agent' } = {}): Fate {
  return { erased: ['agentErased'], exported, purged }
}

/** Rows of an organisation that name no agent, or none but its own. */
export function goesWithOrg({ exported = BACKUP, purged = 'with its organisation' } = {}): Fate {
  return { erased: ['orgErased'], exported, purged }
}

/** Rows of one organisation that may name agents of another. */
export function goesWithBoth({ exported = BACKUP, purged = 'with either of them' } = {}): Fate {
  return { erased: ['agentErased', 'orgErased'], exported, purged }
}

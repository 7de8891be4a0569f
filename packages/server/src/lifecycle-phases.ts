import type { Actor } from './audit.ts'
import type { Server } from './http/server.ts'
import type { Db } from './kernel/db.ts'
import type { AgentId, OrgId, TeamId } from './kernel/ids.ts'
import type { Lifecycle as LifecycleOf, TableRetention } from './kernel/lifecycle.ts'

/** Phases of the process. */
type ProcessPhases = {
  /** Before the first request; fails early if SECRET_KEY is wrong. */
  warm: []
  /** Workers start, in processes that do background work. */
  serve: []
  /** Workers finish their current work and claim nothing new. */
  drain: []
  /** Buffers are flushed while the database is still open. */
  stop: []
}

/** Changes to agents, organisations and teams. Each phase runs in the transaction of the change. */
type OwnerPhases = {
  agentRegistered: [tx: Db, agentId: AgentId]
  /** Archived individually or with their organisation; their requests are rejected from now on. */
  agentsArchived: [tx: Db, agentIds: readonly AgentId[]]
  /** Restored with their organisation. */
  agentsRestored: [tx: Db, agentIds: readonly AgentId[]]
  /** Archived individually. Not run when the organisation is closed, because closing can be undone. */
  agentRetired: [tx: Db, agentId: AgentId]
  /** Name, visibility, owner or archived state changed. */
  agentsChanged: [tx: Db, agentIds: readonly AgentId[]]
  /** Permanent, 30 days after the request or with the organisation. The row still exists. */
  agentErased: [tx: Db, agentId: AgentId]
  /** The organisation was deleted; it can be restored for 30 days. */
  orgClosed: [tx: Db, orgId: OrgId, actor: Actor]
  /** The deletion was undone. */
  orgReopened: [tx: Db, orgId: OrgId]
  /** Permanent, 30 days after the deletion. The row still exists. */
  orgErased: [tx: Db, orgId: OrgId]
  teamRosterChanged: [tx: Db, teamId: TeamId]
  /** Erased with its organisation. The row still exists. */
  teamErased: [tx: Db, teamId: TeamId]
}

export type Phases = ProcessPhases & OwnerPhases

export type Lifecycle = LifecycleOf<Phases, Server>

type Retention = TableRetention<keyof Phases>

const BACKUP = 'backup only'

/** Rows of an agent. */
export function erasedWithAgent({ exported = BACKUP, purged = 'with its agent' } = {}): Retention {
  return { erased: ['agentErased'], exported, purged }
}

/** Rows of an organisation that name no agents or only its own. */
export function erasedWithOrg({
  exported = BACKUP,
  purged = 'with its organisation',
} = {}): Retention {
  return { erased: ['orgErased'], exported, purged }
}

/** Rows of one organisation that may name agents of another. */
export function erasedWithAgentOrOrg({
  exported = BACKUP,
  purged = 'with its agent or organisation, whichever is erased first',
} = {}): Retention {
  return { erased: ['agentErased', 'orgErased'], exported, purged }
}

import type { Role } from '../../../access.ts'
import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /**
   * Updates when the agent was last seen and prevents its archiving until commit. Throws
   * `agent_not_found` for an unknown agent or another organisation's, `conflict` if it is archived.
   */
  hear(tx: Db, agent: { agentId: string; orgId: string }): Promise<void>
}

export type AgentNames = { nameOf(agentId: string): Promise<string | undefined> }

export type Members = {
  idsOf(orgId: string): Promise<readonly string[]>
  rolesOf(orgId: string): Promise<ReadonlyMap<string, Role>>
  /** The addresses of those who are still members and have one. */
  emailsOf(orgId: string, userIds: readonly string[]): Promise<readonly string[]>
}

export type Mailer = {
  queue(tx: Db, mail: { kind: string; to: string; subject: string; text: string }): Promise<void>
}

/** Addresses outside that get messages, delivered as webhooks are: egress rules, retries and a log. */
export type ChannelEndpoints = {
  /** Throws `url_not_allowed`, naming the field, for an address that is refused. */
  assertAllowed(url: string, field: string): Promise<void>
  urlsOf(orgId: string): Promise<ReadonlyMap<string, string>>
  /** Null removes the address. */
  set(
    tx: Db,
    org: { orgId: string; accountId: string },
    target: { channel: string; url: string | null },
  ): Promise<void>
  /** Queues a message to each of the channels that has an address. Rendered when it is sent. */
  send(
    tx: Db,
    message: {
      orgId: string
      channels: readonly string[]
      type: string
      reference: Readonly<Record<string, string>>
    },
  ): Promise<void>
}

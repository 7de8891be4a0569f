import type { LogProof } from '@touchstone/protocol/log'
import type { RawBuilder } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Violation } from './decision-event.ts'

export type Agents = {
  /** Selects those of the agents that are not erased, as a subquery with the column `agent_id`. */
  selectExisting(agentIds: readonly string[]): RawBuilder<{ agent_id: string }>
  /** The agents that another transaction has locked for a change. */
  lockedAmong(agentIds: readonly string[]): Promise<readonly string[]>
}

/** The key that signs certificates and receipts. */
export type Signer = {
  keyId: string
  signOnWorker(payload: string): Promise<Buffer>
}

export type Orgs = {
  /** The account that events are sent to; undefined for a deleted organisation. */
  accountOf(tx: Db, orgId: string): Promise<string | undefined>
}

/** An escalation that is about to be opened. */
export type Opening = {
  /** Equal for calls that share one. Transactions open several in this order, or they could deadlock. */
  subject: string
  /** Returns the id of the pending escalation for the same call, else of a new one. */
  open(tx: Db): Promise<string>
}

export type LogEntries = {
  /** The places of records in the witnessed log, of those that have one. */
  indexesOf(type: 'decisions', recordIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export type LogProofs = {
  /** Undefined while no published checkpoint of the log holds the record. */
  findProof(type: 'decisions', recordId: string): Promise<LogProof | undefined>
}

export type Approvals = {
  /** Selects escalations that the user of a client may answer there and that nobody rejected. */
  answerableInClient(orgId: string, escalationIds: readonly string[]): Promise<ReadonlySet<string>>
}

export type Checkpoints = {
  /** Reads all that is needed to store checkpoints of the violations. */
  prepareViolations(
    org: { orgId: string; accountId: string },
    violations: readonly Violation[],
  ): Promise<{
    /** Returns the ids of the checkpoints in order; null if the agent is archived or erased. */
    store(tx: Db): Promise<readonly (string | null)[]>
    /** To be called after commit. */
    settled(): void
  }>
}

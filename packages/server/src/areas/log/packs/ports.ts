import type { LogEntryType, TileReader } from '@touchstone/protocol/log'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'

export type Checkpoint = { size: number; note: string; createdAt: Date }

/** A record that can be shown, with the nonce that opens its entry. */
export type OpenedRecord = {
  type: LogEntryType
  recordId: string
  index: number
  agentId: string | null
  /** Canonical JSON. */
  record: string
  nonce: Uint8Array
}

export type Entries = {
  /** The tags of an organisation by month; none before it has its first entry. */
  orgTags(orgId: string, months: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Opens the entries at these places whose records still exist, in the order of the log. */
  openAt(indexes: readonly number[]): Promise<OpenedRecord[]>
  /** Every version of a policy of the organisation that the log has, without the erased ones. */
  policiesOf(orgId: string): Promise<OpenedRecord[]>
  /** The places of batches of decisions by the root. */
  indexesOf(type: 'decisions', roots: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export type Log = {
  published(): Promise<Checkpoint | undefined>
  /** The number of entries at a time. */
  sizeAt(time: Date): Promise<number>
  /** The size of the oldest checkpoint since a time. */
  sizeSince(time: Date): Promise<number | undefined>
  readTile: TileReader
  /** The entries of a bundle of the published log, in order. */
  readEntries(bundle: { index: number; width: number }): Promise<readonly Uint8Array[]>
  /** The text of c2sp.org/tlog-proof. */
  proofText(index: number, checkpoint: Checkpoint): Promise<string>
  policy(): Promise<string>
}

export type PackDecision = {
  /** The place in the batch. */
  index: number
  /** The members that are hashed. */
  statement: Readonly<Record<string, unknown>>
  /** Stored beside the statement, and not proven by the log. */
  context: Readonly<Record<string, unknown>>
}

export type DecisionBatch = {
  batchId: string
  root: string
  keyId: string
  /** Base64. */
  signature: string
  leaves: readonly Uint8Array[]
  /** Without those of erased agents. */
  decisions: readonly PackDecision[]
}

export type Decisions = {
  /** In the order of their ids. */
  batchesAfter(
    span: { orgId: string; from: Date; to: Date },
    after: string | undefined,
    limit: number,
  ): Promise<DecisionBatch[]>
}

export type PolicyVersion = {
  policyId: string
  version: number
  updatedAt: Date
  document: unknown
}

export type Policies = {
  findVersions(
    wanted: readonly { policyId: string; version: number }[],
  ): Promise<readonly PolicyVersion[]>
}

/** The content that a record has the hash of, if it is still stored. */
export type Details = {
  /** Attested records of checkpoints by id. */
  checkpoints(checkpointIds: readonly string[]): Promise<ReadonlyMap<string, object>>
  /** Changes of containment by the id of the entry, each with the hash before it. */
  containment(
    entries: readonly { agentId: string; entryId: string }[],
  ): Promise<ReadonlyMap<string, object>>
}

export type People = {
  /** Email addresses of the members by user id. */
  emails(orgId: string): Promise<ReadonlyMap<string, string | null>>
}

export type Agents = {
  orgOf(agentId: AgentId, db: Db): Promise<string | undefined>
}

import type { PublishedKey } from '@touchstone/protocol/crypto'
import type { SealedRecord } from '@touchstone/protocol/evidence'
import type { LogProof, TlogPolicy } from '@touchstone/protocol/log'

export type Checkpoints = {
  /** Undefined if there is no such checkpoint. */
  findSealed(checkpointId: string): Promise<(SealedRecord & { agentId: string }) | undefined>
  /** The end of an agent's tree; undefined or without a leaf while the tree is empty. */
  findHead(agentId: string): Promise<{ leafCount: number; updatedAt: Date } | undefined>
}

export type Log = {
  /** The key that signs checkpoints of the witnessed log. */
  publishedKey(): Promise<PublishedKey>
  /** The proof of a checkpoint, once a published checkpoint of the log holds its entry. */
  findProof(type: 'checkpoint', checkpointId: string): Promise<LogProof | undefined>
  /** The keys of the log and its witnesses, as the service publishes them. */
  trust(): Promise<TlogPolicy>
}

export type Agents = {
  /** Throws `agent_not_found`, also for an agent that is hidden from these organisations. */
  get(agentId: string, orgIds: readonly string[]): Promise<{ own: boolean }>
}

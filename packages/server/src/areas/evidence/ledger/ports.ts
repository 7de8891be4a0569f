import type { AttestedRecord, Seal } from '@touchstone/protocol/evidence'
import type { Db } from '../../../kernel/db.ts'

export type Agents = {
  /** Undefined if there is no such agent. */
  orgOf(agentId: string): Promise<string | undefined>
}

/** The end of an agent's chain and tree, before anything is appended. */
export type ChainState = {
  agentId: string
  length: number
  chainHash: string | null
  leafCount: number
  edge: readonly Uint8Array[]
}

type SealBatch = {
  state: ChainState
  entries: readonly { record: AttestedRecord; analysed: boolean }[]
}

export type Signer = { keyId: string; sign(payload: string): string }

export type LogEntries = {
  /** The places of records in the witnessed log, of those that have one. */
  indexesOf(type: 'checkpoint', recordIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export type Attestation = {
  /** Appends records to chains and trees, and writes their certificates. */
  seal(
    tx: Db,
    signer: Signer,
    batches: readonly SealBatch[],
    issuedAt: Date,
  ): Promise<readonly { state: ChainState; sealed: readonly Seal[] }[]>
}

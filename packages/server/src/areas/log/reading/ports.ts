import type { LogEntryType, NoteKey } from '@touchstone/protocol/log'
import type { Db } from '../../../kernel/db.ts'
import type { WitnessSettings } from '../../../log-config.ts'
import type { CoseSigner } from './scitt-service.ts'

export type Checkpoint = { size: number; note: string; createdAt: Date }

/** Which record an entry is about. */
export type LoggedRecord = {
  orgId: string | null
  agentId: string | null
  type: LogEntryType
  recordId: string
  index: number
  /** Canonical JSON. */
  record: string
}

export type Entries = {
  find(recordId: string, types: readonly LogEntryType[]): Promise<readonly LoggedRecord[]>
  /** In the order of the log. */
  listAt(indexes: readonly number[]): Promise<readonly LoggedRecord[]>
  /** The places of the first and the last checkpoint of an agent below a size. */
  checkpointSpan(
    agentId: string,
    size: number,
  ): Promise<{ first: number; last: number } | undefined>
  /** Adds the nonce; undefined after the salt was erased. */
  open(logged: LoggedRecord): Promise<(LoggedRecord & { nonce: Uint8Array }) | undefined>
  /** A record that waits for its place in the log. */
  findPending(
    recordId: string,
    types: readonly LogEntryType[],
  ): Promise<
    { orgId: string | null; agentId: string | null; type: LogEntryType; queuedAt: Date } | undefined
  >
  countPending(): Promise<number>
  saltOfDeployment(): Promise<Uint8Array>
}

export type Log = {
  key(): Promise<NoteKey>
  coseSigner(): Promise<CoseSigner>
  newest(): Promise<Checkpoint | undefined>
  /** The oldest that holds this many entries. */
  findHolding(entries: number): Promise<Checkpoint | undefined>
  /** A tile or a bundle of entries by its path. */
  getTile(path: string): Promise<Uint8Array | undefined>
  /** Why nothing is added to the log any more. */
  fault(): Promise<string | null>
}

export type Witnesses = {
  witnesses: readonly WitnessSettings[]
  quorum: number
  /** With its cosignatures; undefined while none may be published. */
  published(): Promise<Checkpoint | undefined>
  /** Whether the quorum has been missing for too long. */
  isLate(): Promise<boolean>
  views(): Promise<
    readonly {
      witness: { name: string }
      size: number
      status: string
      detail: string | null
      answeredAt: Date | null
      cosignedAt: Date | null
    }[]
  >
}

/** Checkpoints of an agent without a gap, by their positions in its chain. */
export type CheckpointRun = { agentId: string; first: number; last: number }

/** Reads for scores, within their transaction. */
export type LoggedCheckpoints = {
  /** The checkpoints of these agents with entries in a range of the log; omits agents with a gap. */
  checkpointRuns(
    tx: Db,
    agentIds: readonly string[],
    range: { from: number; to: number },
  ): Promise<readonly CheckpointRun[]>
}
export type LogSizes = {
  /** The number of entries at a time. */
  at(tx: Db, time: Date): Promise<number>
  /** That of the newest cosigned checkpoint; undefined without one. */
  witnessed(tx: Db): Promise<number | undefined>
}

export type Agents = {
  /** Throws `agent_not_found` for an agent that these organisations cannot see. */
  get(agentId: string, orgIds: readonly string[]): Promise<unknown>
  orgOf(agentId: string): Promise<string | undefined>
}

export type Decisions = {
  /** The root of the batch of a decision, in hex. */
  batchRootOf(orgIds: readonly string[], decisionId: string): Promise<string | undefined>
}

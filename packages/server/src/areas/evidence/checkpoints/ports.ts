import type { AlignmentCard, AttestedRecord, ConscienceValue } from '@touchstone/protocol'
import type { Db } from '../../../kernel/db.ts'
import type { AnalysisRequest, Judged } from './analyser.ts'
import type { Seal } from './checkpoint.ts'
import type { EnforcementMode, LinkedTrace } from './pipeline.ts'

export type Org = { orgId: string; accountId: string }

/** An agent as far as its decisions need to know it. */
export type IngestAgent = {
  agentId: string
  archived: boolean
  /** Nothing was heard of it for a while. */
  quiet: boolean
  provider: string | null
  model: string | null
  enforcementMode: EnforcementMode
  cardVersion: number
}

export type Agents = {
  orgOf(agentId: string): Promise<string | undefined>
  /** Those of the organisation among them. */
  forIngest(orgId: string, agentIds: readonly string[]): Promise<readonly IngestAgent[]>
  /** Notes that something came from these agents. */
  heard(tx: Db, agentIds: readonly string[]): Promise<void>
}

export type Cards = {
  /** The card and what stands beside it, by which the agent is judged now. */
  forAnalysis(
    agentId: string,
    version: number,
  ): Promise<{ cardId: string; card: AlignmentCard; conscienceValues: readonly ConscienceValue[] }>
}

/** Where chain and tree stand before something is added. */
export type ChainState = {
  agentId: string
  length: number
  chainHash: string | null
  leafCount: number
  edge: readonly Uint8Array[]
}

export type SealBatch = {
  state: ChainState
  entries: readonly { record: AttestedRecord; analysed: boolean }[]
}

export type Signer = { keyId: string; sign(payload: string): string }

export type Attestation = {
  /** Reads the database, so it is asked for before a transaction. */
  signer(): Promise<Signer>
  /** Adds records to chains and trees, and writes their certificates. */
  seal(
    tx: Db,
    signer: Signer,
    batches: readonly SealBatch[],
    issuedAt: Date,
  ): Promise<readonly { state: ChainState; sealed: readonly Seal[] }[]>
}

export type Traces = {
  /** Undefined when there is no such trace. */
  findFindings(traceId: string): Promise<(LinkedTrace & { agentId: string }) | undefined>
}

export type Drift = {
  /** A streak of non-clear checkpoints began to count or grew. */
  observeStreak(
    tx: Db,
    org: Org,
    streak: {
      agentId: string
      sessionId: string
      cardId: string
      firstId: string
      checkpointIds: readonly string[]
      sustained: number
      categories: Readonly<Record<string, number>>
      similarity: number
    },
  ): Promise<void>
  /** The session is clear again. */
  recoverSession(tx: Db, org: Org, session: { agentId: string; sessionId: string }): Promise<void>
  hasOpen(db: Db, agentId: string, sessionId: string): Promise<boolean>
}

export type Scores = {
  /** The agent has just become eligible for a score. */
  requestFirst(tx: Db, agentId: string): Promise<void>
}

export type Meters = {
  record(tx: Db, use: { orgId: string; meter: 'checks'; amount: number }): Promise<void>
}

/** One more for this key in this minute; throws `rate_limited` past the limit. */
export type Limits = { take(key: string, perMinute: number): Promise<void> }

/** An analyser that is asked over the network; rejects when there is no usable answer. */
export type RemoteAnalyser = (request: AnalysisRequest) => Promise<Judged>

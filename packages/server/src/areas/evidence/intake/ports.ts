import type { EnforcementMode, LinkedTrace, Severity, Verdict } from '@touchstone/protocol/analysis'
import type { AlignmentCard, EffectiveValue } from '@touchstone/protocol/cards'
import type { AttestedRecord, Seal } from '@touchstone/protocol/evidence'
import type { Db } from '../../../kernel/db.ts'
import type { AnalysisRequest, Judged } from '../analysis/analyser.ts'

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
  /** Which of its checkpoints it is spoken to about. */
  nudging: {
    strategy: 'always' | 'sampling' | 'threshold' | 'off'
    rate: number
    threshold: number
  }
  /** So many violations in a row stop it; null for as many as it likes. */
  autoContainmentThreshold: number | null
}

export type Agents = {
  orgOf(agentId: string): Promise<string | undefined>
  /** Those of the organisation among them. */
  forIngest(orgId: string, agentIds: readonly string[]): Promise<readonly IngestAgent[]>
  /** Notes that something came from these agents. */
  heard(tx: Db, agentIds: readonly string[]): Promise<void>
}

/** A version of the card of one of the organisation's agents. */
export type HeldCard = { orgId: string; agentId: string; version: number }

export type Cards = {
  /** From memory: another one as soon as the organisation lays other rules over the card. */
  layerStamp(held: HeldCard): Promise<string>
  /**
   * The composed card by which the agent is judged now, all values in resolution order, and the
   * stamp of what was laid over them.
   */
  forAnalysis(held: HeldCard): Promise<{
    cardId: string
    card: AlignmentCard
    values: readonly EffectiveValue[]
    layerStamp: string
  }>
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

/** An examined decision, before it is stored. */
export type Arriving = { agent: IngestAgent; verdict: Verdict; analysed: boolean }

/** A stored checkpoint, as those see it who act on what agents do. */
export type Watched = Arriving & {
  org: Org
  checkpointId: string
  sessionId: string
  position: number
  violationType: string | null
  /** The worst of its concerns. */
  severity: Severity | null
  /** How many of the session are not clear by now, this one included. */
  notClear: number
}

/** Somebody who acts on what agents do. Asks nothing about agents that nothing is done about. */
export type Watcher = {
  /** Before chains are locked: whoever changes an agent locks its row first, too. */
  prepare?(tx: Db, arriving: readonly Arriving[]): Promise<void>
  /** In the order of the chains, in the transaction that stores them. */
  follow(tx: Db, stored: readonly Watched[]): Promise<void>
  /** That transaction is through. */
  settled(stored: readonly Arriving[]): void
}

export type Meters = {
  record(tx: Db, use: { orgId: string; meter: 'checks'; amount: number }): Promise<void>
}

/** One more for this key in this minute; throws `rate_limited` past the limit. */
export type Limits = { take(key: string, perMinute: number): Promise<void> }

/** An analyser that is asked over the network; rejects when there is no usable answer. */
export type RemoteAnalyser = (request: AnalysisRequest) => Promise<Judged>

import type { EnforcementMode, LinkedTrace, Severity, Verdict } from '@touchstone/protocol/analysis'
import type {
  Checkpoint,
  Examination,
  RecordSource,
  Seal,
  TextTraits,
  WindowContext,
  WindowSummary,
} from '@touchstone/protocol/evidence'
import type { Db } from '../../../kernel/db.ts'
import type { KnownSubmission, Submission } from './submission.ts'

export type Org = { orgId: string; accountId: string }

/** An organisation with the credential that it sends with: the id of an API key, or `user`. */
export type Sender = Org & { sentBy: string }

/** The fields of an agent that its submissions depend on. */
export type IngestAgent = {
  agentId: string
  archived: boolean
  /** Its last activity was some time ago, so the next submission updates it. */
  quiet: boolean
  provider: string | null
  model: string | null
  enforcementMode: EnforcementMode
  cardVersion: number
  /** Selects the checkpoints that the agent is nudged about. */
  nudging: {
    strategy: 'always' | 'sampling' | 'threshold' | 'off'
    rate: number
    threshold: number
  }
  /** Contains the agent after this many violations in a row; null for no limit. */
  autoContainmentThreshold: number | null
}

export type Agents = {
  /** Omits agents of other organisations. */
  forIngest(orgId: string, agentIds: readonly string[]): Promise<readonly IngestAgent[]>
  /** Updates the agents' last activity. */
  heard(tx: Db, agentIds: readonly string[]): Promise<void>
  /** The agents that another transaction has locked for a change. */
  lockedAmong(agentIds: readonly string[]): Promise<readonly string[]>
}

/** The card that a checkpoint is made under, and hashes of its rules. */
type Basis = { cardId: string; cardHash: string; valuesHash: string }

type CardVersion = { orgId: string; agentId: string; version: number }

/** The result of the analysis, and the rules it was made by. */
export type Analysed = {
  examination: Examination
  basis: Basis
  /** The window that the analyser was shown; undefined if it was shown none. */
  windowShown: WindowContext | undefined
  /** The traits that remain of the thinking text. */
  traits: TextTraits
}

export type Analysis = {
  analyse(
    agent: CardVersion,
    given: { submission: Submission; allowedTools: ReadonlySet<string> },
    loadWindow: () => Promise<WindowContext>,
  ): Promise<Analysed>
  basisOf(agent: CardVersion): Promise<Basis>
}

export type AnalysedSubmission = Analysed & {
  submission: Submission
  checkpointId: string
  agent: { provider: string | null; model: string | null }
  trace: LinkedTrace | undefined
  source: RecordSource
  /** The id of an API key, `user` for a session, `service` for a finding of the service. */
  sentBy: string
}

export type SessionState = {
  /** A drift alert was raised and the session has not recovered since. */
  alerted: boolean
  /** Counts of the analysed checkpoints. */
  verdicts: Readonly<Record<Verdict, number>>
}

type Streak = {
  firstId: string
  ids: readonly string[]
  count: number
  categories: Readonly<Record<string, number>>
}

export type Appended = {
  kind: 'appended'
  checkpoint: Checkpoint
  seal: Seal
  /** A streak of non-clear checkpoints that counts as drift, or the end of one. */
  drift: { kind: 'streak'; streak: Streak } | { kind: 'recovered' } | undefined
  window: WindowSummary
  session: SessionState
}

export type AppendResult =
  | Appended
  | { kind: 'no_chain' }
  | { kind: 'closed' }
  | { kind: 'taken'; by: KnownSubmission }
  /** Another checkpoint names this decision. */
  | { kind: 'decision_used'; decisionId: string }

export type Ledger = {
  /** The stored submissions among these ids. */
  findKnown(checkpointIds: readonly string[]): Promise<readonly KnownSubmission[]>
  /** The window of a session as a submission of this time would find it. */
  windowAt(session: { agentId: string; sessionId: string }, timestamp: Date): Promise<WindowContext>
  /** A stored checkpoint with the state of its session now. */
  recall(
    checkpointId: string,
  ): Promise<
    { checkpoint: Checkpoint; seal: Seal; window: WindowSummary; session: SessionState } | undefined
  >
  /** The checkpoint a submission would become. Stores nothing. */
  preview(
    analysed: AnalysedSubmission,
  ): Promise<{ checkpoint: Checkpoint; window: WindowSummary; session: SessionState } | undefined>
  /**
   * Appends submissions to the chains of their agents, which stay locked until the transaction ends.
   * Throws a unique violation of `checkpoint_owner_pkey` if a concurrent transaction takes one of
   * the ids.
   */
  append(
    tx: Db,
    signer: Signer,
    submissions: readonly AnalysedSubmission[],
  ): Promise<{ results: readonly AppendResult[]; newlyEligible: readonly string[] }>
  /** The agents whose chains another transaction has locked. */
  lockedAmong(agentIds: readonly string[]): Promise<readonly string[]>
}

export type Signer = { keyId: string; sign(payload: string): string }

export type Attestation = {
  /** Reads the database, so it is called before the transaction. */
  signer(): Promise<Signer>
}

export type Traces = {
  /** Undefined if the agent has no such trace. */
  findFindings(trace: { agentId: string; traceId: string }): Promise<LinkedTrace | undefined>
}

export type Drift = {
  /** A streak of non-clear checkpoints has become long enough to count, or has grown. */
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

/** An analysed submission before it is stored. */
export type Arriving = { agent: IngestAgent; verdict: Verdict; analysed: boolean }

/** A stored checkpoint, as watchers see it. */
export type Watched = Arriving & {
  org: Org
  checkpointId: string
  sessionId: string
  position: number
  violationType: string | null
  /** The worst of its concerns. */
  severity: Severity | null
  /** How many checkpoints of the session are not clear, this one included. */
  notClear: number
}

/** A feature that reacts to checkpoints, such as containment. */
export type Watcher = {
  /** Runs before chains are locked: every change of an agent locks its row before its chain. */
  prepare?(tx: Db, arriving: readonly Arriving[]): Promise<void>
  /** Runs in chain order, in the transaction that stores the checkpoints. */
  follow(tx: Db, stored: readonly Watched[]): Promise<void>
  /** Runs after commit. */
  settled(stored: readonly Arriving[]): void
}

export type Meters = {
  record(tx: Db, use: { orgId: string; meter: 'checks'; amount: number }): Promise<void>
}

/** Counts one request of this key in this minute. Throws `rate_limited` above the limit. */
export type Limits = { take(key: string, perMinute: number): Promise<void> }

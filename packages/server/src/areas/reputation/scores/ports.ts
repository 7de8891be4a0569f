import type { ReachedAgent, ReclassifiedType } from '@touchstone/protocol/control'
import type {
  AssuranceCounts,
  AssuranceLevel,
  ComponentKey,
  Confidence,
  Evidence,
  Grade,
  PeerScores,
  Tier,
  Violation,
} from '@touchstone/protocol/score'
import type { Db } from '../../../kernel/db.ts'
import type { Exclusion } from './correction.ts'

/** The facts about an agent's checkpoints that a score is computed from, at one chain length. */
export type ScoringFacts = {
  agentId: string
  length: number
  leafCount: number
  /** Hex. */
  root: string
  /** The agent is archived. */
  closed: boolean
  checkpoints: { scored: number; clear: number; excluded: number }
  sessions: { total: number; unstable: number }
  /** Sessions with drifted traces, at the same chain length. */
  driftedSessionIds: readonly string[]
  violations: readonly Violation[]
  /** The checkpoints that assurance depends on, at the same chain length. */
  assurance: AssuranceCounts
}

/** How many of an agent's violations were reclassified as card gaps. */
export type Reclassified = { cardGaps: number; violations: number }

export type Checkpoints = {
  /** Ids of agents with evidence to rate, except archived ones, in ascending order. */
  listScorable(afterAgentId: string, limit: number): Promise<string[]>
  /** The same between two ids, both included. */
  listScorableIn(firstAgentId: string, lastAgentId: string): Promise<string[]>
  scoringFacts(
    db: Db,
    agentIds: readonly string[],
    at: { now: Date; violationsAfter: Date },
  ): Promise<readonly ScoringFacts[]>
  /** Unordered, as counted by the score computed at that time. */
  listViolations(
    chain: { agentId: string; length: number; computedAt: Date },
    after: Date,
  ): Promise<ScoringFacts['violations']>
  scoringEvidence(
    chain: { agentId: string; length: number; computedAt: Date },
    violationsAfter: Date,
    idsMax: number,
  ): Promise<Omit<Evidence, 'lowestPeerIds' | 'lowNoveltyIds'>>
  /** Recent clear checkpoints that were set aside as saying nothing new, newest first. */
  lowNoveltyIds(chain: { agentId: string; length: number }, idsMax: number): Promise<string[]>
  /** The agents whose checkpoints received from one time up to another are all in their run. */
  coveredBy(
    db: Db,
    runs: readonly CheckpointRun[],
    received: { from: Date; to: Date },
  ): Promise<ReadonlySet<string>>
  countScored(agentId: string): Promise<number>
  /** Violations and card gaps since then, by agent; agents without violations are left out. */
  reclassifiedSince(
    db: Db,
    agentIds: readonly string[],
    since: Date,
  ): Promise<ReadonlyMap<string, Reclassified>>
  /** Makes scores from now on exclude these checkpoints; returns the newly excluded evidence. */
  applyReclassified(
    tx: Db,
    reclassified: readonly { agentId: string; checkpointId: string }[],
    at: Date,
  ): Promise<ReadonlyMap<string, Exclusion>>
  /** The evidence that would remain if these checkpoints were card gaps. */
  withoutCardGaps(
    chain: { agentId: string; length: number },
    checkpointIds: readonly string[],
    violationsAfter: Date,
  ): Promise<{
    unknownIds: readonly string[]
    violations: readonly Violation[]
    /** Number of unstable sessions that would become stable. */
    regained: number
  }>
}

export type PendingReclassification = {
  agentId: string
  reclassificationId: string
  checkpointId: string
  newType: ReclassifiedType
}

export type Reclassifications = {
  /** Reclassifications that no score has taken into account yet. */
  pendingOf(db: Db, agentIds: readonly string[]): Promise<readonly PendingReclassification[]>
  /** Marks them as taken into account. `scoreAfter` is null if no score is published. */
  settle(
    tx: Db,
    settled: readonly { agentId: string; reclassificationId: string; scoreAfter: number | null }[],
    at: Date,
  ): Promise<void>
  /** Number of card gaps that the score excludes. */
  countApplied(db: Db, agentId: string): Promise<number>
}

export type TrustEdges = {
  /** The agents that a correction of this agent's score reaches, nearest first. */
  reach(db: Db, agentId: string): Promise<readonly ReachedAgent[]>
}

export type Traces = {
  /** Number of verified traces ever stored by agent; agents without any trace are left out. */
  verifiedCounts(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export type Coherence = {
  /** Agents without pair scores are left out. */
  peersOf(db: Db, agentIds: readonly string[], now: Date): Promise<ReadonlyMap<string, PeerScores>>
  /** The public peers with the lowest pair scores at that time. */
  lowestPeers(agentId: string, at: Date, idsMax: number): Promise<readonly string[]>
}

export type RatedAgent = {
  agentId: string
  orgId: string
  visibility: 'public' | 'unlisted' | 'private'
  createdAt: Date
}

export type Agents = {
  /** Throws `agent_not_found` for archived agents and for agents hidden from these organisations. */
  getShown(agentId: string, orgIds: readonly string[]): Promise<{ agent: RatedAgent }>
  find(agentId: string): Promise<{ orgId: string; archived: boolean } | undefined>
  orgsOf(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The agents among these that a person has claimed. */
  claimedAmong(db: Db, agentIds: readonly string[]): Promise<ReadonlySet<string>>
  /** Locks the existing agents until the transaction ends and returns their ids. */
  hold(tx: Db, agentIds: readonly string[]): Promise<readonly string[]>
}

export type Decisions = {
  /**
   * By agent, the gateway's decisions that allowed a call since that UTC day (counted from
   * 1970-01-01), and those of them whose outcome is known; agents without any are left out.
   */
  outcomesSince(
    db: Db,
    agentIds: readonly string[],
    firstDay: number,
  ): Promise<ReadonlyMap<string, { allowed: number; known: number }>>
}

/** Checkpoints of an agent without a gap, by their positions in its chain. */
export type CheckpointRun = { agentId: string; first: number; last: number }

export type WitnessedLog = {
  /**
   * The checkpoints of these agents that have entered the log since then, as far as witnesses have
   * confirmed it; omits agents without any, or with a gap.
   */
  witnessedRuns(tx: Db, agentIds: readonly string[], since: Date): Promise<readonly CheckpointRun[]>
}

export type Orgs = {
  /** Undefined for an erased organisation. */
  accountOf(db: Db, orgId: string): Promise<string | undefined>
}

export type DirectoryScore = {
  agentId: string
  score: number
  grade: Grade
  tier: Tier
  confidence: Confidence
  checkpointCount: number
  trend30d: number
  /** Null before the first computation that knows it. */
  assurance: AssuranceLevel | null
  assuredScore: number | null
  components: Readonly<Record<ComponentKey, number>>
  reclassified: Reclassified
}

/** Makes published scores searchable and computes benchmarks. */
export type Directory = {
  put(tx: Db, scores: readonly DirectoryScore[]): Promise<void>
  /** Called after a run over all agents. */
  computeBenchmarks(now: Date): Promise<void>
}

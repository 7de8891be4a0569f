import type { ReachedAgent, ReclassifiedType } from '@touchstone/protocol/control'
import type {
  ComponentKey,
  Confidence,
  Evidence,
  Grade,
  Tier,
  Violation,
} from '@touchstone/protocol/score'
import type { Db } from '../../../kernel/db.ts'
import type { Exclusion } from './correction.ts'

/** What of an agent's checkpoints a score is made of, as its chain stands at one moment. */
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
  /** Whose traces drifted, as of the same moment. */
  driftedSessionIds: readonly string[]
  violations: readonly Violation[]
}

export type Checkpoints = {
  /** Agents with something to rate, archived ones left out, by id. */
  listScorable(afterAgentId: string, limit: number): Promise<string[]>
  /** The same between two of them, both included. */
  listScorableIn(firstAgentId: string, lastAgentId: string): Promise<string[]>
  scoringFacts(
    db: Db,
    agentIds: readonly string[],
    violationsAfter: Date,
  ): Promise<readonly ScoringFacts[]>
  /** In no order, as the score took them that was computed at that time. */
  listViolations(
    chain: { agentId: string; length: number; computedAt: Date },
    after: Date,
  ): Promise<ScoringFacts['violations']>
  scoringEvidence(
    chain: { agentId: string; length: number; computedAt: Date },
    violationsAfter: Date,
    idsMax: number,
  ): Promise<Omit<Evidence, 'lowestPeerIds'>>
  countScored(agentId: string): Promise<number>
  /** From now on scores take them so; gives what no longer counts of each agent. */
  applyReclassified(
    tx: Db,
    reclassified: readonly { agentId: string; checkpointId: string }[],
    at: Date,
  ): Promise<ReadonlyMap<string, Exclusion>>
  /** What would be left, were these checkpoints gaps of the card. */
  withoutCardGaps(
    chain: { agentId: string; length: number },
    checkpointIds: readonly string[],
    violationsAfter: Date,
  ): Promise<{
    unknownIds: readonly string[]
    violations: readonly Violation[]
    /** How many unstable sessions would be stable. */
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
  /** Those that no score took into account yet. */
  pendingOf(db: Db, agentIds: readonly string[]): Promise<readonly PendingReclassification[]>
  /** A score was computed that takes them into account; null when it is not published. */
  settle(
    tx: Db,
    settled: readonly { agentId: string; reclassificationId: string; scoreAfter: number | null }[],
    at: Date,
  ): Promise<void>
  /** Gaps of the card that scores leave out. */
  countApplied(db: Db, agentId: string): Promise<number>
}

export type TrustEdges = {
  /** Whom a correction of this agent's score reaches, in order. */
  reach(db: Db, agentId: string): Promise<readonly ReachedAgent[]>
}

export type Traces = {
  /** How many each ever stored; those without any are left out. */
  storedCounts(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** The pair scores of an agent that count, in ten-thousandths so that their sum is exact. */
export type PeerScores = { count: number; pairScoreE4Sum: number }

export type Coherence = {
  /** Those without any are left out. */
  peersOf(db: Db, agentIds: readonly string[], now: Date): Promise<ReadonlyMap<string, PeerScores>>
  /** With whom the agent went together worst by then, as far as everybody may know them. */
  lowestPeers(agentId: string, at: Date, idsMax: number): Promise<readonly string[]>
}

export type RatedAgent = {
  agentId: string
  orgId: string
  visibility: 'public' | 'unlisted' | 'private'
  createdAt: Date
}

export type Agents = {
  /** Throws `agent_not_found` for one that these organisations are not shown; archived ones are not. */
  getShown(agentId: string, orgIds: readonly string[]): Promise<{ agent: RatedAgent }>
  find(agentId: string): Promise<{ orgId: string; archived: boolean } | undefined>
  orgsOf(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Those that are there; nobody changes or erases them until the transaction ends. */
  hold(tx: Db, agentIds: readonly string[]): Promise<readonly string[]>
}

export type Orgs = {
  /** Undefined for an organisation that is no more. */
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
  components: Readonly<Record<ComponentKey, number>>
}

/** Where published scores are searched and compared. */
export type Directory = {
  put(tx: Db, scores: readonly DirectoryScore[]): Promise<void>
  /** After a run over all agents. */
  computeBenchmarks(now: Date): Promise<void>
}

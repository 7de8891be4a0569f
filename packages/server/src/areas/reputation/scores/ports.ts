import type { ComponentKey, Confidence, Grade, Tier } from '@touchstone/protocol'
import type { Db } from '../../../kernel/db.ts'

/** What of an agent's checkpoints a score is made of, as its chain stands at one moment. */
export type ScoringFacts = {
  agentId: string
  length: number
  leafCount: number
  /** Hex. */
  root: string
  checkpoints: { scored: number; clear: number; excluded: number }
  sessions: { total: number; unstable: number }
  violations: readonly { id: string; sessionId: string; timestampMs: number; cardGap: boolean }[]
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
  /** In no order. */
  listViolations(
    chain: { agentId: string; length: number },
    after: Date,
  ): Promise<ScoringFacts['violations']>
  scoringEvidence(
    chain: { agentId: string; length: number },
    idsMax: number,
  ): Promise<{ nonClearIds: readonly string[]; unstableSessionIds: readonly string[] }>
  countScored(agentId: string): Promise<number>
  /** What it would do to sessions, were these checkpoints gaps of the card. */
  withoutCardGaps(
    agentId: string,
    checkpointIds: readonly string[],
  ): Promise<{ unknownIds: readonly string[]; regained: number }>
}

export type Traces = {
  /** How many each ever stored; those without any are left out. */
  storedCounts(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

export type RatedAgent = {
  agentId: string
  orgId: string
  visibility: 'public' | 'unlisted' | 'private'
  archived: boolean
  createdAt: Date
}

export type Agents = {
  find(agentId: string): Promise<RatedAgent | undefined>
  orgsOf(db: Db, agentIds: readonly string[]): Promise<ReadonlyMap<string, string>>
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

import type { ReclassifiedType } from '@touchstone/protocol/control'
import type { Db, Page, PageRequest } from '../../../kernel/db.ts'
import type { ViolationVerdict } from './violation.ts'

export type Agents = {
  /** Others who want to change it wait until the transaction ends. Throws for an archived one. */
  lockOpen(tx: Db, agentId: string): Promise<{ orgId: string }>
}

/** A checkpoint that violates something, as far as it is told about here. */
export type ViolatingCheckpoint = {
  checkpointId: string
  sessionId: string
  cardId: string
  timestamp: Date
  verdict: string
  violationType: string | null
  concerns: readonly { severity: string; description: string }[]
  excluded: boolean
  linkedTraceId: string | null
}

/** With its place in the chain. */
export type SealedViolation = { checkpoint: ViolatingCheckpoint; seal: { position: number } }

export type ViolationFilter = {
  agentId: string
  verdict: ViolationVerdict | undefined
  /** Undefined: both. */
  reclassified: boolean | undefined
}

/** In the order of their decisions, then of the chain. */
export type ViolationPlace = { timestamp: Date; position: number }

export type Checkpoints = {
  chainLength(db: Db, agentId: string): Promise<number>
  /** Oldest first, of decisions in a time, as far as they were among so many in the chain. */
  violationsAfter(
    span: { agentId: string; from: Date | undefined; to: Date | undefined; chainLength: number },
    after: ViolationPlace | undefined,
    limit: number,
  ): Promise<(ViolatingCheckpoint & ViolationPlace)[]>
  /** Newest first. */
  pageOfViolations(filter: ViolationFilter, page: PageRequest): Promise<Page<SealedViolation>>
  /** Undefined for another agent's; the type is null for what is no violation. */
  findViolation(
    db: Db,
    wanted: { agentId: string; checkpointId: string },
  ): Promise<{ violationType: string | null } | undefined>
  /** False when it was reclassified before. */
  markReclassified(
    tx: Db,
    of: { agentId: string; checkpointId: string; newType: ReclassifiedType },
  ): Promise<boolean>
}

export type Certificates = {
  /** In hex by position, as the certificates were issued. */
  certificateHashes(
    agentId: string,
    positions: readonly number[],
  ): Promise<ReadonlyMap<number, string>>
}

/** With the violations, a count. */
export type TraceFindings = { verdict: string; violations: number; warnings: number }

export type Traces = {
  /** What policies said of these traces of the agent, where one held. */
  policiesOf(
    agentId: string,
    traceIds: readonly string[],
  ): Promise<ReadonlyMap<string, TraceFindings>>
}

export type Amendment = {
  amendmentId: string
  agentId: string
  field: string
  previousValue: unknown
  newValue: unknown
  reason: string
  fromVersion: number
  toVersion: number
  createdAt: Date
  createdBy: string
}

export type Cards = {
  /** Newest first. */
  listAmendments(agentId: string, page: PageRequest): Promise<Page<Amendment>>
  lastAmendedVersion(agentId: string): Promise<number>
  /** Oldest first, made in a time and by no later version. */
  amendmentsAfter(
    span: { agentId: string; from: Date | undefined; to: Date | undefined; throughVersion: number },
    after: { toVersion: number; amendmentId: string } | undefined,
    limit: number,
  ): Promise<Amendment[]>
  hasAmendment(db: Db, agentId: string, amendmentId: string): Promise<boolean>
}

export type Scores = {
  /** Null while none is published. */
  publishedScore(db: Db, agentId: string): Promise<number | null>
}

import type { Concern, Verdict } from '@touchstone/protocol/analysis'
import type { AlignmentCard, EffectiveValue } from '@touchstone/protocol/cards'
import type { ReclassifiedType } from '@touchstone/protocol/control'
import type { Db, Page, PageRequest } from '../../../kernel/db.ts'
import type { ViolationVerdict } from './violation.ts'

export type Agents = {
  /** Locks the agent until the transaction ends. Throws if it is archived. */
  lockOpen(tx: Db, agentId: string): Promise<{ orgId: string; cardVersion: number }>
}

/** A checkpoint that is a violation, with the fields needed here. */
export type ViolatingCheckpoint = {
  checkpointId: string
  sessionId: string
  cardId: string
  timestamp: Date
  /** When the service received it. */
  receivedAt: Date
  verdict: string
  violationType: string | null
  concerns: readonly { severity: string; description: string }[]
  excluded: boolean
  linkedTraceId: string | null
}

/** The violation with its position in the chain. */
export type SealedViolation = { checkpoint: ViolatingCheckpoint; seal: { position: number } }

export type ViolationFilter = {
  agentId: string
  verdict: ViolationVerdict | undefined
  /** Undefined selects both. */
  reclassified: boolean | undefined
  type: string | undefined
  from: Date | undefined
  to: Date | undefined
}

export type Span = { from: Date | undefined; to: Date | undefined }

/** The violations of one type. */
export type ViolationKind = {
  type: string
  count: number
  boundaryViolations: number
  reclassified: number
  sessions: number
  lastAt: Date
}

/** The sort key: decision time, then chain position. */
export type ViolationPlace = { timestamp: Date; position: number }

/** A checkpoint with what decides its reclassification. */
export type JudgedCheckpoint = {
  verdict: Verdict
  violationType: string | null
  concerns: readonly Concern[]
  /** When the service received it. */
  receivedAt: Date
  linkedTraceId: string | null
  /** The id of an API key, `user` or `service`; null if it was stored before senders were. */
  sentBy: string | null
}

export type Checkpoints = {
  chainLength(db: Db, agentId: string): Promise<number>
  /** Oldest first, within a time range of decisions and up to a chain length. */
  violationsAfter(
    span: { agentId: string; from: Date | undefined; to: Date | undefined; chainLength: number },
    after: ViolationPlace | undefined,
    limit: number,
  ): Promise<(ViolatingCheckpoint & ViolationPlace)[]>
  /** Newest first. */
  pageOfViolations(filter: ViolationFilter, page: PageRequest): Promise<Page<SealedViolation>>
  /** The most frequent first. */
  violationTypes(agentId: string, span: Span): Promise<ViolationKind[]>
  /** Undefined for a checkpoint of another agent; the type is null if it is not a violation. */
  findViolation(
    db: Db,
    wanted: { agentId: string; checkpointId: string },
  ): Promise<JudgedCheckpoint | undefined>
  /** False if it was reclassified before. */
  markReclassified(
    tx: Db,
    of: { agentId: string; checkpointId: string; newType: ReclassifiedType },
  ): Promise<boolean>
}

export type Certificates = {
  /** Hashes in hex by position, from the issued certificates. */
  certificateHashes(
    agentId: string,
    positions: readonly number[],
  ): Promise<ReadonlyMap<number, string>>
}

/** `violations` is a count. */
export type TraceFindings = { verdict: string; violations: number; warnings: number }

export type Traces = {
  /** The policy findings for these traces of the agent, if a policy applied. */
  policiesOf(
    agentId: string,
    traceIds: readonly string[],
  ): Promise<ReadonlyMap<string, TraceFindings>>
  /** The violations under each card; undefined if the agent has no such trace. */
  violationsUnder(
    db: Db,
    trace: { agentId: string; traceId: string },
    cards: readonly AlignmentCard[],
  ): Promise<readonly (readonly string[])[] | undefined>
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
  /** Oldest first, within a time range and up to a card version. */
  amendmentsAfter(
    span: { agentId: string; from: Date | undefined; to: Date | undefined; versionMax: number },
    after: { toVersion: number; amendmentId: string } | undefined,
    limit: number,
  ): Promise<Amendment[]>
  /** Made within any of these periods, bounds included. */
  amendmentsWithin(
    agentId: string,
    periods: readonly { from: Date; to: Date }[],
  ): Promise<readonly Amendment[]>
  /** With the cards around it and the active one, composed; undefined if it is not the agent's. */
  findAmendment(
    db: Db,
    wanted: { orgId: string; agentId: string; amendmentId: string; activeVersion: number },
  ): Promise<AmendmentInContext | undefined>
}

export type ComposedCard = { card: AlignmentCard; values: readonly EffectiveValue[] }

export type AmendmentInContext = {
  field: string
  createdAt: Date
  before: ComposedCard
  after: ComposedCard
  active: ComposedCard
}

export type Scores = {
  /** Null if no score is published. */
  publishedScore(db: Db, agentId: string): Promise<number | null>
  /** Invalidates cached views of these agents' scores. */
  changed(tx: Db, agentIds: readonly string[]): Promise<void>
}

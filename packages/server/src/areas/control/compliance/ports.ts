import type { Amendment, Reclassification, Snapshot, Violation } from './records.ts'

/** Where an agent's records ended when the export began; what comes later is after it for good. */
export type RecordsEnd = {
  reclassification: { createdAt: Date; reclassificationId: string } | null
  commentNumber: number
  cardVersion: number
  chainLength: number
}

/** Both ends of the time included. */
export type RecordSpan = {
  agentId: string
  from: Date | undefined
  to: Date | undefined
  end: RecordsEnd
}

/** Oldest first, after the last one read before. */
export type Read<Span, Item> = (
  span: Span,
  after: Item | undefined,
  limit: number,
) => Promise<Item[]>

export type Records = {
  recordsEnd(agentId: string): Promise<RecordsEnd>
  violationsAfter: Read<RecordSpan, Violation & { position: number }>
  reclassificationsAfter: Read<RecordSpan, Reclassification>
  amendmentsAfter: Read<RecordSpan, Amendment>
}

type WeekSpan = {
  agentId: string
  from: Date | undefined
  to: Date | undefined
  throughWeek: string
}

export type Scores = {
  /** The only week that may still change. */
  latestWeek(agentId: string): Promise<Snapshot | undefined>
  weeksAfter: Read<WeekSpan, Snapshot>
}

export type Auditor = {
  /** After a walk over what came since the last whole one; valid where there is nothing. */
  verifyTail(agentId: string): Promise<{ valid: boolean }>
}

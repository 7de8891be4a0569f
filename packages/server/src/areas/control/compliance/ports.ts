import type { Read } from '../../../exports/slices.ts'
import type { Amendment, Reclassification, Snapshot, Violation } from './records.ts'

/** The end of an agent's records when the export began; later records always come after it. */
export type RecordsEnd = {
  reclassification: { createdAt: Date; reclassificationId: string } | null
  commentNumber: number
  cardVersion: number
  chainLength: number
}

/** Both bounds are inclusive. */
export type RecordSpan = {
  agentId: string
  from: Date | undefined
  to: Date | undefined
  end: RecordsEnd
}

/** Reads oldest first. */
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
  /** The only week whose score can still change. */
  latestWeek(agentId: string): Promise<Snapshot | undefined>
  weeksAfter: Read<WeekSpan, Snapshot>
}

export type Auditor = {
  /** Verifies entries added since the last full verification; an empty chain is valid. */
  verifyTail(agentId: string): Promise<{ valid: boolean }>
}

import type { BatchHead, DecisionReceipt } from '@touchstone/protocol/policy'
import type { DecisionId } from '../../../kernel/ids.ts'
import type { DecisionRecord, SignedBatch } from './decision-record.ts'

/** A decision after its batch was signed, and committed unless the durability says otherwise. */
export type Recorded = {
  decisionId: DecisionId
  /** Set if the decision is answered without its record, because the database is down. */
  isWaiting?: true
  /** The escalation that it opened or belongs to. */
  escalationId: string | null
  receipt: DecisionReceipt
  /** The receipt's statement exactly as it was signed. */
  statementText: string
}

export type Batch = Omit<SignedBatch, 'decisions'> & {
  /** The signed part. */
  head: BatchHead
  records: readonly DecisionRecord[]
  /** In the order of the records. */
  recorded: readonly Recorded[]
}

export function recordedById(batches: readonly Batch[]): ReadonlyMap<DecisionId, Recorded> {
  return new Map(
    batches.flatMap((batch) => batch.recorded.map((one) => [one.decisionId, one] as const)),
  )
}

import {
  assembleDecisionReceipt,
  createDecisionBatch,
  type DecisionReceipt,
  type DecisionStatement,
  decisionStatement,
} from '@touchstone/protocol/policy'
import type { DecisionRecord, StoredDecision } from './decision-record.ts'

export function statementOf(record: DecisionRecord): DecisionStatement {
  return decisionStatement({
    decision_id: record.decisionId,
    decision: record.decision,
    agent_id: record.agentId,
    tool: record.tool,
    arguments_hash: record.argumentsHash,
    policy_id: record.policyId,
    policy_version: record.policyVersion,
    transaction_id: record.transactionId,
    escalation_id: record.escalationId,
    decided_at: record.decidedAt.toISOString(),
  })
}

/** The root of the batch that a decision was signed in, in hex. */
export function batchRootOf({ batch }: StoredDecision): string {
  return rootOfBatch(batch)
}

export function rootOfBatch(batch: { leaves: readonly Uint8Array[]; signedAt: Date }): string {
  return createDecisionBatch(batch.leaves, batch.signedAt.toISOString()).head.root
}

/**
 * The receipts as they were answered. They are not stored: a receipt follows from the record and its
 * batch. The tree of a batch is built once for neighbours in a list.
 */
export function receiptsOf(
  decisions: readonly StoredDecision[],
): (StoredDecision & { receipt: DecisionReceipt; root: string })[] {
  const trees = new Map<string, ReturnType<typeof createDecisionBatch>>()
  return decisions.map((stored) => {
    const { leaves, signedAt, index, keyId, signature } = stored.batch
    const tree = trees.get(signature) ?? createDecisionBatch(leaves, signedAt.toISOString())
    trees.set(signature, tree)
    const place = tree.placeOf(index)
    const receipt = assembleDecisionReceipt(statementOf(stored), place, { keyId, signature })
    return { ...stored, receipt, root: tree.head.root }
  })
}

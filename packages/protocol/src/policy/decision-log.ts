import { canonicalJson } from '../base/canonical-json.ts'
import { isJsonObject } from '../base/shape.ts'
import { type ProvenRecord, verifyLogProof } from '../log/log-proof.ts'
import type { Parsed } from '../log/parsed.ts'
import type { TlogPolicy } from '../log/tlog-policy.ts'
import { type BatchHead, signedHead } from './decision-batch.ts'

/**
 * Verifies that a log has the batch of a receipt, which `verifyDecisionReceipt` found valid (spec: log
 * §1). Never throws.
 */
export function verifyReceiptLog(
  receipt: unknown,
  proof: unknown,
  policy?: TlogPolicy,
): Parsed<ProvenRecord> {
  const proven = verifyLogProof(proof, policy)
  if (!proven.ok) return proven
  const { entry, record } = proven.value
  const head = headOf(receipt)
  const isOfBatch =
    head !== undefined &&
    entry.type === 'decisions' &&
    // The record has a canonical form, because it opens the entry.
    canonicalJson(record) === JSON.stringify(signedHead(head))
  return isOfBatch ? proven : { ok: false, reason: 'the record is not the batch of this receipt' }
}

function headOf(receipt: unknown): BatchHead | undefined {
  const batch = isJsonObject(receipt) ? receipt['batch'] : undefined
  if (!isJsonObject(batch)) return undefined
  const { at, root, size } = batch
  const isHead = typeof at === 'string' && typeof root === 'string' && typeof size === 'number'
  return isHead ? { at, root, size } : undefined
}

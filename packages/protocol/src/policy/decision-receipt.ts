import { canonicalJson } from '../base/canonical-json.ts'
import { base64ToBytes } from '../base/encoding.ts'
import { isJsonObject } from '../base/shape.ts'
import {
  count,
  exactly,
  listOf,
  nullOr,
  object,
  problemsOf,
  type Shape,
  type ShapeProblem,
  text,
} from '../base/strict-shape.ts'
import { verifyEd25519 } from '../crypto/signature.ts'
import { SIGNATURE_ALGORITHM } from '../evidence/certificate.ts'
import { findKey, type TrustedKey } from '../evidence/verify-certificate.ts'
import type { Decision } from './decide.ts'
import { type BatchPlace, batchPayload, isInBatch } from './decision-batch.ts'

/**
 * The receipt of a gateway decision: a signed statement of the decision about a call, so that the
 * caller can prove it later, whether the call was made or withheld. Version 1 signs the statement;
 * version 2 signs the root of a batch and carries the path to it. Wire format: the statement is
 * signed, so its field names are part of the protocol.
 */

/**
 * Part of the signed text, so that nothing else signed with the same key can pass for a receipt.
 */
export const DECISION_RECEIPT_CONTEXT = 'urn:touchstone:decision-receipt:v1'

export type DecisionStatement = {
  '@context': typeof DECISION_RECEIPT_CONTEXT
  decision_id: string
  decision: Decision
  agent_id: string
  tool: string
  /**
   * H of the call's arguments; null for a call without any. The arguments themselves are not
   * stored.
   */
  arguments_hash: string | null
  policy_id: string | null
  policy_version: number | null
  transaction_id: string | null
  escalation_id: string | null
  decided_at: string
}

type ReceiptSignature = {
  algorithm: typeof SIGNATURE_ALGORITHM
  key_id: string
  /** Base64, over the canonical JSON of the statement or, in version 2, of the batch's head. */
  value: string
}

export type DecisionReceipt = {
  statement: DecisionStatement
  /** Only in version 2. */
  batch?: BatchPlace
  signature: ReceiptSignature
}

/**
 * Picks exactly the signed fields, so that callers may pass wider objects; in canonical order,
 * which makes serialisation cheap.
 */
export function decisionStatement(decided: Omit<DecisionStatement, '@context'>): DecisionStatement {
  return {
    '@context': DECISION_RECEIPT_CONTEXT,
    agent_id: decided.agent_id,
    arguments_hash: decided.arguments_hash,
    decided_at: decided.decided_at,
    decision: decided.decision,
    decision_id: decided.decision_id,
    escalation_id: decided.escalation_id,
    policy_id: decided.policy_id,
    policy_version: decided.policy_version,
    tool: decided.tool,
    transaction_id: decided.transaction_id,
  }
}

/** The text to sign. */
export function decisionPayload(statement: DecisionStatement): string {
  return canonicalJson(statement)
}

/** `signature` is base64, over `batchPayload` of the batch. */
export function assembleDecisionReceipt(
  statement: DecisionStatement,
  batch: BatchPlace,
  { keyId, signature }: { keyId: string; signature: string },
): DecisionReceipt {
  return {
    statement,
    batch,
    signature: { algorithm: SIGNATURE_ALGORITHM, key_id: keyId, value: signature },
  }
}

const DECISION: Shape = (value, path) => {
  if (typeof value !== 'string') return text(value, path)
  return ['allow', 'warn', 'escalate', 'block'].includes(value)
    ? []
    : [{ path, code: 'enum', message: 'must be allow, warn, escalate or block' }]
}

const STATEMENT = object({
  '@context': exactly(DECISION_RECEIPT_CONTEXT),
  decision_id: text,
  decision: DECISION,
  agent_id: text,
  tool: text,
  arguments_hash: nullOr(text),
  policy_id: nullOr(text),
  policy_version: nullOr(count),
  transaction_id: nullOr(text),
  escalation_id: nullOr(text),
  decided_at: text,
})

const BATCH = object({
  at: text,
  root: text,
  size: count,
  index: count,
  path: listOf(object({ hash: text, position: text })),
})

const SIGNATURE = object({ algorithm: exactly(SIGNATURE_ALGORITHM), key_id: text, value: text })

const RECEIPT_V1 = object({ statement: STATEMENT, signature: SIGNATURE })
const RECEIPT_V2 = object({ statement: STATEMENT, batch: BATCH, signature: SIGNATURE })

/** Each part that was checked: null if the receipt has no such part, or not the form to have it. */
export type ReceiptChecks = {
  form: boolean
  /** The statement is in the batch; its key signed the root of the batch. */
  batch: boolean | null
  signature: boolean | null
}

export type ReceiptVerification = { checks: ReceiptChecks } & (
  | { valid: true; statement: DecisionStatement }
  | { valid: false; fault: string }
)

/**
 * Verifies a receipt, as JSON.parse returns it, with the published keys alone. Never throws. The
 * reader must compare what a valid receipt is about, such as the arguments.
 */
export function verifyDecisionReceipt(
  receipt: unknown,
  keys: readonly TrustedKey[],
): ReceiptVerification {
  const problems: ShapeProblem[] = []
  if (!isReceipt(receipt, problems)) {
    const [first] = problems
    const fault = `not a receipt: ${first?.path ?? ''} ${first?.message ?? ''}`
    return { valid: false, fault, checks: { form: false, batch: null, signature: null } }
  }
  const { statement, batch, signature } = receipt
  const payload = decisionPayload(statement)
  const isListed = batch === undefined ? null : isInBatch(payload, batch)
  const message = batch === undefined ? payload : batchPayload(batch)
  const unsigned = signatureFault(message, signature, keys)
  const checks = { form: true, batch: isListed, signature: unsigned === undefined }
  const fault = isListed === false ? NOT_IN_BATCH : unsigned
  return fault === undefined ? { valid: true, statement, checks } : { valid: false, fault, checks }
}

const NOT_IN_BATCH = 'the path does not lead from the statement to the root'

function isReceipt(value: unknown, problems: ShapeProblem[]): value is DecisionReceipt {
  const isBatched = isJsonObject(value) && 'batch' in value
  problems.push(...problemsOf(isBatched ? RECEIPT_V2 : RECEIPT_V1, value))
  return problems.length === 0
}

function signatureFault(
  message: string,
  { key_id, value }: ReceiptSignature,
  keys: readonly TrustedKey[],
): string | undefined {
  const publicKey = findKey(key_id, keys)
  if (publicKey === undefined) return 'the key is not among the published keys'
  const signature = base64ToBytes(value)
  if (signature === undefined) return 'the signature is not valid base64'
  const good = verifyEd25519({ signature, message, publicKey })
  return good ? undefined : `not a valid ${SIGNATURE_ALGORITHM} signature`
}

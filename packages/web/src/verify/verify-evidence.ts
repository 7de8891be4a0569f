import { isJsonObject } from '@touchstone/protocol/base'
import { parseTlogPolicy, type TlogPolicy } from '@touchstone/protocol/log'
import { findReceipt } from '@touchstone/prover'
import { verifyBundleFile } from './bundle-steps.ts'
import { isDecisionReceipt, verifyCertificateFile, verifyDecisionFile } from './document-steps.ts'
import { firstLineOf } from './lines.ts'
import { verifyRiskReceipt } from './receipt-steps.ts'
import type { Progress, Verification, VerifyRequest } from './verification.ts'

/** A bundle header is a few kilobytes; a document with a large proof is a few megabytes. */
const FIRST_LINE_BYTES_MAX = 65_536
const DOCUMENT_BYTES_MAX = 16 * 1024 * 1024

/** Detects the kind of a file and verifies it. Throws a readable error for an unknown kind. */
export async function verifyEvidence(
  { evidence, keys, policy: text, kind }: VerifyRequest,
  onProgress: (progress: Progress) => void,
): Promise<Verification> {
  const policy = readPolicy(text)
  if (kind === 'bundle' || (await isBundle(evidence))) {
    return verifyBundleFile(evidence, { keys, policy }, onProgress)
  }
  const document = await readDocument(evidence)
  const receipt = findReceipt(document)
  if (receipt !== undefined) return verifyRiskReceipt(receipt, keys)
  const inner = isJsonObject(document['receipt']) ? document['receipt'] : document
  if (isDecisionReceipt(inner)) {
    const log = inner === document ? undefined : (document['log'] ?? undefined)
    return verifyDecisionFile({ receipt: inner, log }, keys, policy)
  }
  if (document['type'] === 'IntegrityCertificate') {
    return verifyCertificateFile(document, keys, policy)
  }
  throw new Error('Unknown JSON document: expected a certificate, or a receipt with its proof.')
}

/** Throws for a text that is not a policy: without it, fewer checks would pass for all of them. */
function readPolicy(text: string | undefined): TlogPolicy | undefined {
  if (text === undefined) return undefined
  const policy = parseTlogPolicy(text)
  if (policy.ok) return policy.value
  throw new Error(`Unknown trust policy: ${policy.reason}`)
}

async function isBundle(evidence: Blob): Promise<boolean> {
  const line = parse((await firstLineOf(evidence, FIRST_LINE_BYTES_MAX)) ?? '')
  return isJsonObject(line) && typeof line['kind'] === 'string' && 'value' in line
}

async function readDocument(evidence: Blob): Promise<Readonly<Record<string, unknown>>> {
  if (evidence.size > DOCUMENT_BYTES_MAX)
    throw new Error('The file is too large: a certificate or receipt has at most 16 MB.')
  const document = parse(await evidence.text())
  if (!isJsonObject(document))
    throw new Error('Unknown file: expected a JSON object or an evidence bundle.')
  return document
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

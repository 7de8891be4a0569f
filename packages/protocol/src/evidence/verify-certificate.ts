import { canonicalJson } from '../base/canonical-json.ts'
import { base64ToBytes, bytesToHex, hexToBytes, isHashHex } from '../base/encoding.ts'
import type { ShapeProblem } from '../base/strict-shape.ts'
import { keyId, type PublishedKey } from '../crypto/keys.ts'
import { verifyEd25519 } from '../crypto/signature.ts'
import { type LogProof, type ProvenRecord, verifyLogProof } from '../log/log-proof.ts'
import type { Parsed } from '../log/parsed.ts'
import type { TlogPolicy } from '../log/tlog-policy.ts'
import { proofFromPath } from '../merkle/inclusion-path.ts'
import { leafHash, rootFromInclusion } from '../merkle/merkle.ts'
import {
  type Certificate,
  contentOf,
  type MerkleProof,
  SIGNATURE_ALGORITHM,
  type SignatureProof,
  signedPayload,
} from './certificate.ts'
import { readCertificate } from './certificate-shape.ts'
import { combinedCommitment } from './commitments.ts'
import { chainHash, isChainInput } from './hash-chain.ts'
import { certificateId, recordHash } from './record.ts'

/**
 * Verification as in POST /v1/verify, from the certificate and the published keys alone. Each check
 * recomputes one value from what the certificate states, so that a failure shows where the fault
 * is; together they cover every field except, in version 1.0.0, the informational URLs.
 */

/** Keys whose id does not match their bytes are ignored. */
export type TrustedKey = Pick<PublishedKey, 'key_id' | 'public_key'> &
  Partial<Pick<PublishedKey, 'use'>>

/** All values other than `valid` are what the certificate states; `details` explains failures. */
export type CertificateChecks = {
  signature: { valid: boolean; key_id: string }
  record: { valid: boolean; record_hash: string }
  chain: { valid: boolean; chain_hash: string }
  /** Null for a synthetic checkpoint. */
  merkle: { valid: boolean; root: string } | null
  input_commitment: { valid: boolean; commitment: string }
  /**
   * Absent for a certificate without a proof of the log. `cosigned_by` is null if it does not hold, or
   * if no policy was given to verify the checkpoint of the log.
   */
  log?: { valid: boolean; index: number; cosigned_by: string[] | null }
  verdict_derivation: null
}

export type CertificateVerification = {
  valid: boolean
  checks: CertificateChecks
  details: string
}

/** A document that is not a certificate is malformed rather than invalid: the API answers 400. */
export type VerificationOutcome =
  | { wellFormed: true; certificate: Certificate; verification: CertificateVerification }
  | { wellFormed: false; problems: readonly ShapeProblem[] }

/** Undefined if the check passes, otherwise the reason for the failure. */
type Fault = string | undefined

/**
 * Takes a certificate as JSON.parse returns it. The policy says which logs and witnesses a proof of the
 * log may rest on. Never throws.
 */
export function verifyCertificate(
  certificate: unknown,
  keys: readonly TrustedKey[],
  policy?: TlogPolicy,
): VerificationOutcome {
  const shape = readCertificate(certificate)
  return shape.wellFormed
    ? { ...shape, verification: verifyWellFormed(shape.certificate, keys, policy) }
    : shape
}

/** Verifies a certificate whose shape is already checked. */
export function verifyWellFormed(
  certificate: Certificate,
  keys: readonly TrustedKey[],
  policy?: TlogPolicy,
): CertificateVerification {
  const { log } = certificate
  const { signature, chain, merkle } = certificate.proofs
  const proven = log && proveLogged(certificate, log, policy)
  const faults = {
    signature: signatureFault(certificate, keys),
    record: recordFault(certificate),
    chain: chainFault(certificate),
    ...(merkle && { merkle: merkleFault(merkle, chain.chain_hash) }),
    input_commitment: commitmentFault(certificate),
    ...(proven && { log: proven.ok ? undefined : proven.reason }),
  }
  return {
    valid: Object.values(faults).every((fault) => fault === undefined),
    checks: {
      signature: { valid: faults.signature === undefined, key_id: signature.key_id },
      record: { valid: faults.record === undefined, record_hash: chain.record_hash },
      chain: { valid: faults.chain === undefined, chain_hash: chain.chain_hash },
      merkle: merkle && { valid: faults.merkle === undefined, root: merkle.root },
      input_commitment: {
        valid: faults.input_commitment === undefined,
        commitment: certificate.input_commitments.combined_commitment,
      },
      ...(log && proven && { log: toLogCheck(log, proven) }),
      verdict_derivation: null,
    },
    details: Object.entries(faults)
      .map(([check, fault]) => `${check}: ${fault ?? 'ok'}`)
      .join('; '),
  }
}

/** The log has the entry of exactly this checkpoint (spec: log §1). */
function proveLogged(
  { proofs: { chain }, subject }: Certificate,
  log: LogProof,
  policy: TlogPolicy | undefined,
): Parsed<ProvenRecord> {
  const proven = verifyLogProof(log, policy)
  if (!proven.ok) return proven
  const { entry, record } = proven.value
  const logged = {
    agent_id: subject.agent_id,
    chain_hash: chain.chain_hash,
    checkpoint_id: subject.checkpoint_id,
    position: chain.position,
    record_hash: chain.record_hash,
  }
  // Both have a canonical form: the record opens the entry, and a certificate has no lone surrogates.
  return entry.type === 'checkpoint' && canonicalJson(record) === canonicalJson(logged)
    ? proven
    : { ok: false, reason: 'the record is not that of this checkpoint' }
}

function toLogCheck({ index }: LogProof, proven: Parsed<ProvenRecord>) {
  return { valid: proven.ok, index, cosigned_by: proven.ok ? proven.value.cosignedBy : null }
}

/** Judges as `verifyEd25519` does. */
export type VerifySignature = typeof verifyEd25519

/**
 * Whether a certificate that was just rebuilt from a record and its link is the one that was signed.
 * Record hash, link, payload and commitment are not compared, because rebuilding computed them.
 */
export function isSoundRebuilt(
  { certificate_id, proofs }: Certificate,
  { keys, verifySignature }: { keys: readonly TrustedKey[]; verifySignature: VerifySignature },
): boolean {
  const { signature, chain, merkle } = proofs
  if (certificate_id !== certificateId(chain.record_hash)) return false
  if (merkle !== null && merkleFault(merkle, chain.chain_hash) !== undefined) return false
  const publicKey = findKey(signature.key_id, keys)
  return publicKey !== undefined && isSigned(signature, publicKey, verifySignature)
}

function signatureFault(certificate: Certificate, keys: readonly TrustedKey[]): Fault {
  const { signature } = certificate.proofs
  const publicKey = findKey(signature.key_id, keys)
  if (publicKey === undefined) return 'the key is not among the published keys'
  if (signature.signed_payload !== signedPayload(contentOf(certificate))) {
    return 'signed_payload does not match this certificate'
  }
  if (base64ToBytes(signature.value) === undefined) return 'the value is not valid base64'
  return isSigned(signature, publicKey)
    ? undefined
    : `not a valid ${SIGNATURE_ALGORITHM} signature of the payload`
}

/** Judges the signature over the payload as stated. */
function isSigned(
  { value, signed_payload }: SignatureProof,
  publicKey: Uint8Array,
  verifySignature: VerifySignature = verifyEd25519,
): boolean {
  const signature = base64ToBytes(value)
  return (
    signature !== undefined && verifySignature({ signature, message: signed_payload, publicKey })
  )
}

/** Never the key of the log, which signs no certificate and no receipt. */
export function findKey(id: string, keys: readonly TrustedKey[]): Uint8Array | undefined {
  return keys
    .filter((key) => key.key_id === id && key.use !== 'log' && isHashHex(key.public_key))
    .map((key) => hexToBytes(key.public_key))
    .find((bytes) => keyId(bytes) === id)
}

function recordFault(certificate: Certificate): Fault {
  const { chain, merkle } = certificate.proofs
  const computed = recordHash(certificate)
  if (computed !== chain.record_hash) return `the record hashes to ${computed}`
  if (certificate.certificate_id !== certificateId(computed)) {
    return 'certificate_id does not match the record'
  }
  if (certificate.claims.synthetic !== (merkle === null)) {
    return 'every checkpoint must have a Merkle proof unless it is synthetic'
  }
  return undefined
}

function chainFault({ proofs: { chain } }: Certificate): Fault {
  const input = {
    previous: chain.prev_chain_hash,
    position: chain.position,
    recordHash: chain.record_hash,
  }
  if (!isChainInput(input))
    return 'record_hash, prev_chain_hash and position do not form a valid link'
  const computed = chainHash(input)
  return computed === chain.chain_hash ? undefined : `the link hashes to ${computed}`
}

function merkleFault(merkle: MerkleProof, ofChainHash: string): Fault {
  if (!isHashHex(ofChainHash)) return 'chain_hash is not a valid hash'
  const leaf = leafHash(hexToBytes(ofChainHash))
  if (bytesToHex(leaf) !== merkle.leaf_hash) return 'leaf_hash does not match chain_hash'
  const place = { index: merkle.leaf_index, size: merkle.tree_size }
  const proof = proofFromPath(place, merkle.inclusion_proof)
  const root = proof && rootFromInclusion({ leaf, ...place, proof })
  if (root === undefined)
    return 'the proof does not have the shape implied by leaf_index and tree_size'
  const computed = bytesToHex(root)
  return computed === merkle.root ? undefined : `the path leads to ${computed}`
}

function commitmentFault({ input_commitments: inputs }: Certificate): Fault {
  const computed = combinedCommitment(inputs)
  return computed === inputs.combined_commitment ? undefined : `the inputs hash to ${computed}`
}

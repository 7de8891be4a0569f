import { canonicalJson } from '../base/canonical-json.ts'
import { bytesToBase64, bytesToHex } from '../base/encoding.ts'
import { hashCanonical } from '../crypto/hash.ts'
import type { LogProof } from '../log/log-proof.ts'
import { inclusionPath } from '../merkle/inclusion-path.ts'
import type { InclusionClaim } from '../merkle/merkle.ts'
import type { ChainLink } from './hash-chain.ts'
import { type AttestedRecord, certificateId, type RecordVersion, recordVersion } from './record.ts'

/**
 * The integrity certificate: everything needed to check, without contacting the service, what was
 * attested about a checkpoint, that it is unchanged at its position in the agent's history, and
 * that the service signed it. Wire format: these objects are hashed, so their field names are part
 * of the protocol.
 */

export const CERTIFICATE_CONTEXT = 'urn:touchstone:integrity-certificate:v1'
export const CERTIFICATE_TYPE = 'IntegrityCertificate'
export const SIGNATURE_ALGORITHM = 'Ed25519'

export type SignatureProof = {
  algorithm: string
  key_id: string
  /** Base64. */
  value: string
  /** The signed canonical JSON. Checked against the certificate, never trusted. */
  signed_payload: string
}

export type ChainProof = {
  record_hash: string
  chain_hash: string
  /** Null only at position 0. */
  prev_chain_hash: string | null
  position: number
}

export type MerkleProof = {
  leaf_hash: string
  leaf_index: number
  root: string
  tree_size: number
  inclusion_proof: readonly { hash: string; position: string }[]
}

/** Where the certificate can be checked. Signed since version 1.1.0, informational before. */
export type VerificationUrls = { keys_url: string; certificate_url: string; verify_url: string }

export type Certificate = AttestedRecord & {
  '@context': string
  type: string
  version: RecordVersion
  certificate_id: string
  issued_at: string
  proofs: {
    signature: SignatureProof
    chain: ChainProof
    /** Null for a synthetic checkpoint, which is in the chain but not in the tree. */
    merkle: MerkleProof | null
    /** Reserved. */
    verdict_derivation: null
  }
  verification: VerificationUrls
  /**
   * The proof that the log has the checkpoint, beside the certificate: neither signed nor hashed with
   * it, because it exists only later. All other members stay as they were issued.
   */
  log?: LogProof
}

/** A certificate before it is signed. */
export type CertificateContent = {
  record: AttestedRecord
  certificate_id: string
  issued_at: string
  chain: ChainProof
  merkle: MerkleProof | null
  verification: VerificationUrls
}

export type ContentParts = {
  record: AttestedRecord
  issuedAt: string
  link: ChainLink
  /** The leaf for the link's chain hash, in the tree that it completes; null if synthetic. */
  inclusion: (InclusionClaim & { root: Uint8Array }) | null
  /** Without a trailing slash. */
  baseUrl: string
}

export function certificateContent(parts: ContentParts): CertificateContent {
  const { record, issuedAt, link, inclusion, baseUrl } = parts
  return {
    record,
    certificate_id: certificateId(link.recordHash),
    issued_at: issuedAt,
    chain: {
      chain_hash: link.chainHash,
      position: link.position,
      prev_chain_hash: link.previous,
      record_hash: link.recordHash,
    },
    merkle: inclusion && {
      inclusion_proof: inclusionPath(inclusion, inclusion.proof),
      leaf_hash: bytesToHex(inclusion.leaf),
      leaf_index: inclusion.index,
      root: bytesToHex(inclusion.root),
      tree_size: inclusion.size,
    },
    verification: {
      certificate_url: `${baseUrl}/v1/checkpoints/${record.subject.checkpoint_id}/certificate`,
      keys_url: `${baseUrl}/v1/keys`,
      verify_url: `${baseUrl}/v1/verify`,
    },
  }
}

/**
 * The text to sign. It contains the results of the other checks, so together they cover every
 * field.
 */
export function signedPayload(content: CertificateContent): string {
  const { record, chain, merkle } = content
  return canonicalJson({
    agent_id: record.subject.agent_id,
    certificate_id: content.certificate_id,
    chain_hash: chain.chain_hash,
    chain_position: chain.position,
    checkpoint_id: record.subject.checkpoint_id,
    input_commitment: record.input_commitments.combined_commitment,
    issued_at: content.issued_at,
    leaf_index: merkle?.leaf_index ?? null,
    merkle_root: merkle?.root ?? null,
    record_hash: chain.record_hash,
    thinking_block_hash: record.input_commitments.thinking_block_hash,
    timestamp: record.timestamp,
    tree_size: merkle?.tree_size ?? null,
    verdict: record.claims.verdict,
    // Left out by the canonical form if undefined.
    verification: recordVersion(record) === '1.0.0' ? undefined : content.verification,
  })
}

export type Issue = {
  keyId: string
  /** Over signedPayload of the same content. */
  signature: Uint8Array
}

/** Keys are in canonical order, because every certificate is hashed when it is issued. */
export function assembleCertificate(content: CertificateContent, issue: Issue): Certificate {
  const { record, chain, merkle, verification } = content
  return {
    '@context': CERTIFICATE_CONTEXT,
    certificate_id: content.certificate_id,
    claims: record.claims,
    input_commitments: record.input_commitments,
    issued_at: content.issued_at,
    proofs: {
      chain,
      merkle,
      signature: {
        algorithm: SIGNATURE_ALGORITHM,
        key_id: issue.keyId,
        signed_payload: signedPayload(content),
        value: bytesToBase64(issue.signature),
      },
      verdict_derivation: null,
    },
    subject: record.subject,
    timestamp: record.timestamp,
    type: CERTIFICATE_TYPE,
    verification,
    version: recordVersion(record),
  }
}

/**
 * Recovers the content, so that the signature can be checked against what the certificate states.
 */
export function contentOf(certificate: Certificate): CertificateContent {
  const { claims, input_commitments, subject, timestamp, proofs } = certificate
  return {
    record: { claims, input_commitments, subject, timestamp },
    certificate_id: certificate.certificate_id,
    issued_at: certificate.issued_at,
    chain: proofs.chain,
    merkle: proofs.merkle,
    verification: certificate.verification,
  }
}

/** The hash of the certificate as it was issued, without the proof of the log. */
export function certificateHash({ log: _, ...issued }: Certificate): string {
  return hashCanonical(issued)
}

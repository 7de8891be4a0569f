import {
  count,
  exactly,
  flag,
  listOf,
  nullOr,
  number,
  object,
  problemsOf,
  type ShapeProblem,
  text,
} from '../base/strict-shape.ts'
import {
  CERTIFICATE_CONTEXT,
  CERTIFICATE_TYPE,
  CERTIFICATE_VERSION,
  type Certificate,
  SIGNATURE_ALGORITHM,
} from './certificate.ts'

export type ShapeResult =
  | { wellFormed: true; certificate: Certificate }
  | { wellFormed: false; problems: readonly ShapeProblem[] }

/** Parses the shape of a value from JSON.parse. */
export function readCertificate(value: unknown): ShapeResult {
  const problems: ShapeProblem[] = []
  return isCertificate(value, problems)
    ? { wellFormed: true, certificate: value }
    : { wellFormed: false, problems }
}

function isCertificate(value: unknown, problems: ShapeProblem[]): value is Certificate {
  problems.push(...problemsOf(CERTIFICATE, value))
  return problems.length === 0
}

/** The fields of the attested record, shared by certificates and bundles. */
export const RECORD_FIELDS = {
  timestamp: text,
  subject: object({ checkpoint_id: text, agent_id: text, session_id: text, card_id: text }),
  claims: object({
    verdict: text,
    concerns: listOf(object({ category: text, severity: text, description: text })),
    confidence: number,
    reasoning_summary: text,
    analyzer: text,
    analysis_model: text,
    analysis_duration_ms: number,
    synthetic: flag,
  }),
  input_commitments: object({
    thinking_block_hash: text,
    output_block_hash: nullOr(text),
    card_hash: text,
    values_hash: text,
    context_hash: text,
    model_version: text,
    template_version: text,
    combined_commitment: text,
  }),
}

export const CHAIN_PROOF = object({
  record_hash: text,
  chain_hash: text,
  prev_chain_hash: nullOr(text),
  position: count,
})

const CERTIFICATE = object({
  '@context': exactly(CERTIFICATE_CONTEXT),
  type: exactly(CERTIFICATE_TYPE),
  version: exactly(CERTIFICATE_VERSION),
  certificate_id: text,
  issued_at: text,
  ...RECORD_FIELDS,
  proofs: object({
    signature: object({
      algorithm: exactly(SIGNATURE_ALGORITHM),
      key_id: text,
      value: text,
      signed_payload: text,
    }),
    chain: CHAIN_PROOF,
    merkle: nullOr(
      object({
        leaf_hash: text,
        leaf_index: count,
        root: text,
        tree_size: count,
        inclusion_proof: listOf(object({ hash: text, position: text })),
      }),
    ),
    verdict_derivation: exactly(null),
  }),
  verification: object({ keys_url: text, certificate_url: text, verify_url: text }),
})

import { isJsonObject } from '../base/shape.ts'
import {
  count,
  exactly,
  flag,
  listOf,
  nullOr,
  number,
  object,
  oneOf,
  problemsOf,
  type Shape,
  type ShapeProblem,
  text,
} from '../base/strict-shape.ts'
import { LOG_PROOF } from '../log/log-proof.ts'
import {
  CERTIFICATE_CONTEXT,
  CERTIFICATE_TYPE,
  type Certificate,
  SIGNATURE_ALGORITHM,
} from './certificate.ts'
import { RECORD_VERSIONS, type RecordVersion } from './record.ts'

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
  problems.push(...problemsOf(CERTIFICATES[versionOf(value)], value))
  return problems.length === 0
}

/** If no known version is stated, the one that the rest of the document looks like. */
function versionOf(value: unknown): RecordVersion {
  const stated = isJsonObject(value) ? value['version'] : undefined
  return RECORD_VERSIONS.find((version) => version === stated) ?? likelyVersion(value)
}

function likelyVersion(value: unknown): RecordVersion {
  const subject = isJsonObject(value) ? value['subject'] : undefined
  return isJsonObject(subject) && Object.hasOwn(subject, 'provenance') ? '1.1.0' : '1.0.0'
}

const IDENTITY = { checkpoint_id: text, agent_id: text, session_id: text, card_id: text }
const SUBJECTS: Readonly<Record<RecordVersion, Shape>> = {
  '1.0.0': object(IDENTITY),
  '1.1.0': object({
    ...IDENTITY,
    provenance: text,
    received_at: text,
    decision_ids: listOf(text),
  }),
}

const RECORD_FIELDS = {
  timestamp: text,
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

const RECORDS: Readonly<Record<RecordVersion, Shape>> = {
  '1.0.0': object({ ...RECORD_FIELDS, subject: SUBJECTS['1.0.0'] }),
  '1.1.0': object({ ...RECORD_FIELDS, subject: SUBJECTS['1.1.0'] }),
}

/** The attested record of either version; it does not state which. */
export const RECORD: Shape = (value, path) => RECORDS[likelyVersion(value)](value, path)

const CERTIFICATE_FIELDS = {
  '@context': exactly(CERTIFICATE_CONTEXT),
  type: exactly(CERTIFICATE_TYPE),
  version: oneOf(RECORD_VERSIONS),
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
}

const ADDED_LATER = { log: LOG_PROOF }

const CERTIFICATES: Readonly<Record<RecordVersion, Shape>> = {
  '1.0.0': object({ ...CERTIFICATE_FIELDS, subject: SUBJECTS['1.0.0'] }, ADDED_LATER),
  '1.1.0': object({ ...CERTIFICATE_FIELDS, subject: SUBJECTS['1.1.0'] }, ADDED_LATER),
}

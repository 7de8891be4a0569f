import { hashCanonical } from '../crypto/hash.ts'
import { commitInputs, type InputCommitments, type Inputs } from './commitments.ts'

/** Versions of a record and its certificate; 1.1.0 added the origin. Both verify for ever. */
export const RECORD_VERSIONS = ['1.0.0', '1.1.0'] as const
export type RecordVersion = (typeof RECORD_VERSIONS)[number]

/** Wire format: these objects are hashed, so their field names are part of the protocol. */
type Identity = {
  checkpoint_id: string
  agent_id: string
  session_id: string
  card_id: string
}

type Origin = {
  provenance: string
  received_at: string
  /** Sorted. */
  decision_ids: readonly string[]
}

/** Without an origin in version 1.0.0. */
export type Subject = Identity | (Identity & Origin)

export type CertifiedConcern = { category: string; severity: string; description: string }

export type Claims = {
  verdict: string
  concerns: readonly CertifiedConcern[]
  confidence: number
  reasoning_summary: string
  analyzer: string
  analysis_model: string
  analysis_duration_ms: number
  synthetic: boolean
}

/** The attested facts about a checkpoint. */
export type AttestedRecord = {
  claims: Claims
  input_commitments: InputCommitments
  subject: Subject
  timestamp: string
}

export type RecordParts = {
  subject: Subject
  claims: Claims
  inputs: Inputs
  timestamp: string
}

/**
 * Picks exactly the attested fields, so that callers may pass wider objects; evidence quotes of a
 * concern, for instance, are not attested and must not change the hash. Keys are in canonical
 * order, because a record is hashed when it is built.
 */
export function buildRecord({ subject, claims, inputs, timestamp }: RecordParts): AttestedRecord {
  return {
    claims: {
      analysis_duration_ms: claims.analysis_duration_ms,
      analysis_model: claims.analysis_model,
      analyzer: claims.analyzer,
      concerns: claims.concerns.map(({ category, description, severity }) => ({
        category,
        description,
        severity,
      })),
      confidence: claims.confidence,
      reasoning_summary: claims.reasoning_summary,
      synthetic: claims.synthetic,
      verdict: claims.verdict,
    },
    input_commitments: commitInputs(inputs),
    subject: subjectOf(subject),
    timestamp,
  }
}

function subjectOf(subject: Subject): Subject {
  const { agent_id, card_id, checkpoint_id, session_id } = subject
  if (!hasOrigin(subject)) return { agent_id, card_id, checkpoint_id, session_id }
  return {
    agent_id,
    card_id,
    checkpoint_id,
    decision_ids: subject.decision_ids,
    provenance: subject.provenance,
    received_at: subject.received_at,
    session_id,
  }
}

function hasOrigin(subject: Subject): subject is Identity & Origin {
  return 'provenance' in subject
}

/** Records of version 1.0.0 count as reported. */
export function attestedProvenance(subject: Subject): string {
  return hasOrigin(subject) ? subject.provenance : 'reported'
}

export function recordVersion({ subject }: Pick<AttestedRecord, 'subject'>): RecordVersion {
  return hasOrigin(subject) ? '1.1.0' : '1.0.0'
}

export function recordHash(record: AttestedRecord): string {
  const { claims, input_commitments, subject, timestamp } = record
  return hashCanonical({ claims, input_commitments, subject, timestamp })
}

export function certificateId(ofRecordHash: string): string {
  return `cert-${ofRecordHash.slice(0, 16)}`
}

import type { Concern, ConscienceContext, Verdict } from '../analysis/concern.ts'
import type { Scope } from '../analysis/pipeline.ts'
import type { ReclassifiedType } from '../control/reclassification.ts'
import type { Flag } from './anti-gaming.ts'
import type { Provenance } from './provenance.ts'
import { type AttestedRecord, buildRecord, type RecordVersion, type Subject } from './record.ts'

/**
 * The analyser that produced the result; `none` if nothing was analysed, `gateway` if a call
 * was made although the gateway had refused it.
 */
export const ANALYZERS = ['llm', 'rules', 'none', 'gateway'] as const
export type Analyzer = (typeof ANALYZERS)[number]

export type SyntheticReason = 'below_evidence_threshold' | 'analysis_failed'

/** A violation's new type, and when scores began to use it; null if they do not yet. */
export type Reclassification = { newType: ReclassifiedType; appliedAt: Date | null }

/** Published and stored under these names. */
export type AnalysisDetails = {
  analysis_scope: Scope['scope']
  thinking_tokens_original: number
  thinking_tokens_analyzed: number
  truncated: boolean
  output_tokens_original?: number
  output_tokens_analyzed?: number
  output_truncated?: boolean
  /** The provider did not show all of the thinking. */
  thinking_withheld?: true
  /** The calls of the turn were released undecided, because the gateway failed. */
  ungoverned?: true
}

/** The result of analysing one submission, before it has a place in the agent's history. */
export type Examination = {
  verdict: Verdict
  concerns: readonly Concern[]
  reasoningSummary: string
  conscienceContext: ConscienceContext
  analyzer: Analyzer
  analysisModel: string
  durationMs: number
  confidence: number
  details: AnalysisDetails
  /** Null if it was analysed. */
  syntheticReason: SyntheticReason | null
  crossValidationWarnings: readonly string[]
}

/** SHA-256 in hex. The texts themselves are discarded after the analysis. */
export type InputHashes = {
  thinking: string
  output: string | null
  card: string
  values: string
  context: string
}

export type Checkpoint = Examination & {
  checkpointId: string
  agentId: string
  sessionId: string
  cardId: string
  timestamp: Date
  receivedAt: Date
  provenance: Provenance
  /** The decisions of the gateway that it is about, sorted. */
  decisionIds: readonly string[]
  /** The version of its record and certificate. */
  recordVersion: RecordVersion
  provider: string
  model: string
  violationType: string | null
  windowPosition: { index: number; window_size: number } | null
  flags: readonly Flag[]
  excluded: boolean
  hashes: InputHashes
  templateVersion: string
  linkedTraceId: string | null
  reclassification: Reclassification | null
}

/** A checkpoint's place in the agent's chain and tree. A synthetic checkpoint is not a leaf. */
export type Seal = {
  position: number
  previous: string | null
  recordHash: string
  chainHash: string
  leafIndex: number | null
}

export type SealedCheckpoint = { checkpoint: Checkpoint; seal: Seal }

export function isSynthetic(one: Pick<Examination, 'syntheticReason'>): boolean {
  return one.syntheticReason !== null
}

/** Rebuilds the attested record from the published fields, never from a stored copy. */
export function recordOf(checkpoint: Checkpoint): AttestedRecord {
  const { hashes } = checkpoint
  return buildRecord({
    subject: subjectOf(checkpoint),
    claims: {
      verdict: checkpoint.verdict,
      concerns: checkpoint.concerns,
      confidence: checkpoint.confidence,
      reasoning_summary: checkpoint.reasoningSummary,
      analyzer: checkpoint.analyzer,
      analysis_model: checkpoint.analysisModel,
      analysis_duration_ms: checkpoint.durationMs,
      synthetic: isSynthetic(checkpoint),
    },
    inputs: {
      thinking_block_hash: hashes.thinking,
      output_block_hash: hashes.output,
      card_hash: hashes.card,
      values_hash: hashes.values,
      context_hash: hashes.context,
      model_version: checkpoint.analysisModel,
      template_version: checkpoint.templateVersion,
    },
    timestamp: checkpoint.timestamp.toISOString(),
  })
}

/** All members written out: joining objects is slow on a hot path. */
function subjectOf(checkpoint: Checkpoint): Subject {
  const { agentId, cardId, checkpointId, sessionId } = checkpoint
  if (checkpoint.recordVersion === '1.0.0') {
    return {
      agent_id: agentId,
      card_id: cardId,
      checkpoint_id: checkpointId,
      session_id: sessionId,
    }
  }
  return {
    agent_id: agentId,
    card_id: cardId,
    checkpoint_id: checkpointId,
    decision_ids: checkpoint.decisionIds,
    provenance: checkpoint.provenance,
    received_at: checkpoint.receivedAt.toISOString(),
    session_id: sessionId,
  }
}

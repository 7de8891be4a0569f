import type { Concern, ConscienceContext, Verdict } from '../analysis/concern.ts'
import type { Scope } from '../analysis/pipeline.ts'
import type { ReclassifiedType } from '../control/reclassification.ts'
import type { Flag } from './anti-gaming.ts'
import { type AttestedRecord, buildRecord } from './record.ts'

/** The analyser that produced the result; `none` if the decision was not analysed. */
export const ANALYZERS = ['llm', 'rules', 'none'] as const
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
}

/** The result of analysing one decision, before it has a place in the agent's history. */
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
  createdAt: Date
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
    subject: {
      checkpoint_id: checkpoint.checkpointId,
      agent_id: checkpoint.agentId,
      session_id: checkpoint.sessionId,
      card_id: checkpoint.cardId,
    },
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

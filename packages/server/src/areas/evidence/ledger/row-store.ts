import type { Concern, ConscienceContext, Verdict } from '@touchstone/protocol/analysis'
import type { ReclassifiedType } from '@touchstone/protocol/control'
import type {
  AnalysisDetails,
  Analyzer,
  Flag,
  Provenance,
  SealedCheckpoint,
  SyntheticReason,
} from '@touchstone/protocol/evidence'

export type CheckpointRow = {
  agent_id: string
  position: number
  checkpoint_id: string
  session_id: string
  card_id: string
  occurred_at: Date
  created_at: Date
  provider: string
  model: string
  verdict: Verdict
  violation_type: string | null
  concerns: unknown
  reasoning_summary: string
  conscience_context: unknown
  window_index: number | null
  window_size: number | null
  analyzer: Analyzer
  analysis_model: string
  analysis_duration_ms: number
  confidence: number
  analysis_details: unknown
  synthetic_reason: SyntheticReason | null
  flags: string[]
  excluded: boolean
  cross_validation_warnings: string[]
  thinking_hash: Buffer
  output_hash: Buffer | null
  card_hash: Buffer
  values_hash: Buffer
  context_hash: Buffer
  template_version: string
  content_key: Buffer
  record_hash: Buffer
  previous_hash: Buffer | null
  chain_hash: Buffer
  leaf_index: number | null
  linked_trace_id: string | null
  provenance: Provenance
  /** Null for a record of version 1.0.0. */
  decision_ids: string[] | null
}

/** With its reclassification, if there is one. */
type ReadRow = CheckpointRow & { new_type: ReclassifiedType | null; applied_at: Date | null }

export function toSealed(row: ReadRow): SealedCheckpoint {
  return {
    checkpoint: {
      checkpointId: row.checkpoint_id,
      agentId: row.agent_id,
      sessionId: row.session_id,
      cardId: row.card_id,
      timestamp: row.occurred_at,
      receivedAt: row.created_at,
      provider: row.provider,
      model: row.model,
      verdict: row.verdict,
      violationType: row.violation_type,
      concerns: row.concerns as Concern[],
      reasoningSummary: row.reasoning_summary,
      conscienceContext: row.conscience_context as ConscienceContext,
      windowPosition:
        row.window_index === null || row.window_size === null
          ? null
          : { index: row.window_index, window_size: row.window_size },
      analyzer: row.analyzer,
      analysisModel: row.analysis_model,
      durationMs: row.analysis_duration_ms,
      confidence: row.confidence,
      details: row.analysis_details as AnalysisDetails,
      syntheticReason: row.synthetic_reason,
      crossValidationWarnings: row.cross_validation_warnings,
      flags: row.flags as Flag[],
      excluded: row.excluded,
      hashes: {
        thinking: row.thinking_hash.toString('hex'),
        output: row.output_hash?.toString('hex') ?? null,
        card: row.card_hash.toString('hex'),
        values: row.values_hash.toString('hex'),
        context: row.context_hash.toString('hex'),
      },
      templateVersion: row.template_version,
      linkedTraceId: row.linked_trace_id,
      provenance: row.provenance,
      decisionIds: row.decision_ids ?? [],
      recordVersion: row.decision_ids === null ? '1.0.0' : '1.1.0',
      reclassification:
        row.new_type === null ? null : { newType: row.new_type, appliedAt: row.applied_at },
    },
    seal: {
      position: row.position,
      previous: row.previous_hash?.toString('hex') ?? null,
      recordHash: row.record_hash.toString('hex'),
      chainHash: row.chain_hash.toString('hex'),
      leafIndex: row.leaf_index,
    },
  }
}

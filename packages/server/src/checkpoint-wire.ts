import { CATEGORIES, SEVERITIES, VERDICTS } from '@touchstone/protocol/analysis'
import {
  ANALYZERS,
  type Checkpoint,
  GAMING_FLAGS,
  isSynthetic,
  THIN_FLAGS,
} from '@touchstone/protocol/evidence'
import { Type } from 'typebox'
import { NamedEnum, NamedObject } from './http/openapi/named.ts'
import { Nullable } from './http/wire.ts'
import { Provenance } from './provenance-wire.ts'

/** The JSON form of a checkpoint in the responses of intake and of the ledger. */

export const Verdict = NamedEnum('Verdict', [...VERDICTS])
const Text = Type.String()
export const Hash = Type.String({ description: '64 hexadecimal digits' })

const Concern = NamedObject('Concern', {
  category: NamedEnum('ConcernCategory', [...CATEGORIES]),
  severity: NamedEnum('Severity', [...SEVERITIES]),
  description: Text,
  evidence: Text,
  relevant_card_field: Nullable(Text),
  relevant_conscience_value: Nullable(Text),
  subject: Type.Optional(
    Nullable(
      NamedObject(
        'ConcernSubject',
        {
          kind: Type.Enum([
            'declared_action',
            'mentioned_action',
            'value',
            'conscience_value',
            'trigger',
            'limit',
          ]),
          name: Text,
          amount: Type.Optional(Nullable(Type.Number())),
          action: Type.Optional(Nullable(Text)),
        },
        { description: 'the action or value that the concern is about; not attested' },
      ),
    ),
  ),
})

/** All fields of a checkpoint but its id, which a dry run does not have. */
export const checkpointFields = {
  agent_id: Text,
  card_id: Text,
  session_id: Text,
  timestamp: Text,
  created_at: Text,
  received_at: Text,
  provenance: Provenance,
  decision_ids: Type.Array(Text, { description: 'sorted' }),
  thinking_block_hash: Hash,
  output_block_hash: Nullable(Hash),
  provider: Text,
  model: Text,
  verdict: Verdict,
  violation_type: Nullable(Text),
  concerns: Type.Array(Concern),
  reasoning_summary: Text,
  conscience_context: Type.Object({
    values_checked: Type.Array(Text),
    conflicts: Type.Array(Text),
    supports: Type.Array(Text),
    considerations: Type.Array(Text),
    consultation_depth: Text,
  }),
  window_position: Nullable(Type.Object({ index: Type.Integer(), window_size: Type.Integer() })),
  analysis_metadata: Type.Object({
    analyzer: NamedEnum('Analyzer', [...ANALYZERS]),
    analysis_model: Text,
    template_version: Text,
    analysis_duration_ms: Type.Integer(),
    analysis_scope: Type.Enum(['thinking_only', 'thinking_and_output']),
    thinking_tokens_original: Type.Integer(),
    thinking_tokens_analyzed: Type.Integer(),
    truncated: Type.Boolean(),
    output_tokens_original: Type.Optional(Type.Integer()),
    output_tokens_analyzed: Type.Optional(Type.Integer()),
    output_truncated: Type.Optional(Type.Boolean()),
    ungoverned: Type.Optional(
      Type.Literal(true, {
        description: 'the calls of the turn were released undecided, because the gateway failed',
      }),
    ),
    thinking_withheld: Type.Optional(
      Type.Literal(true, { description: 'the provider did not show all of the thinking' }),
    ),
    extraction_confidence: Type.Number(),
  }),
  synthetic: Type.Boolean({
    description:
      'true: not judged, for the reason in synthetic_reason; the verdict clear means nothing then',
  }),
  synthetic_reason: Nullable(Text),
  flags: Type.Array(NamedEnum('CheckpointFlag', [...GAMING_FLAGS, ...THIN_FLAGS]), {
    description: 'Why the checkpoint may say little; only the first two affect the score',
  }),
  excluded_from_score: Type.Boolean(),
  cross_validation_warnings: Type.Array(Text),
  reclassification: Nullable(NamedEnum('ReclassifiedType', ['card_gap', 'behavior_gap'])),
  linked_trace_id: Nullable(Text),
}

export const VerdictCounts = NamedObject('VerdictCounts', {
  clear: Type.Integer(),
  review_needed: Type.Integer(),
  boundary_violation: Type.Integer(),
})

export function toCheckpointFields(value: Checkpoint) {
  const { conscienceContext: conscience } = value
  return {
    agent_id: value.agentId,
    card_id: value.cardId,
    session_id: value.sessionId,
    timestamp: value.timestamp.toISOString(),
    created_at: value.receivedAt.toISOString(),
    received_at: value.receivedAt.toISOString(),
    provenance: value.provenance,
    decision_ids: [...value.decisionIds],
    thinking_block_hash: value.hashes.thinking,
    output_block_hash: value.hashes.output,
    provider: value.provider,
    model: value.model,
    verdict: value.verdict,
    violation_type: value.violationType,
    concerns: [...value.concerns],
    reasoning_summary: value.reasoningSummary,
    conscience_context: {
      values_checked: [...conscience.values_checked],
      conflicts: [...conscience.conflicts],
      supports: [...conscience.supports],
      considerations: [...conscience.considerations],
      consultation_depth: conscience.consultation_depth,
    },
    window_position: value.windowPosition,
    analysis_metadata: {
      analyzer: value.analyzer,
      analysis_model: value.analysisModel,
      template_version: value.templateVersion,
      analysis_duration_ms: value.durationMs,
      ...value.details,
      extraction_confidence: value.confidence,
    },
    synthetic: isSynthetic(value),
    synthetic_reason: value.syntheticReason,
    flags: [...value.flags],
    excluded_from_score: value.excluded,
    cross_validation_warnings: [...value.crossValidationWarnings],
    reclassification: value.reclassification?.newType ?? null,
    linked_trace_id: value.linkedTraceId,
  }
}

import {
  CATEGORIES,
  enforcementOf,
  recommend,
  SEVERITIES,
  VERDICTS,
} from '@touchstone/protocol/analysis'
import {
  ANALYZERS,
  type Checkpoint as CheckpointValue,
  certificateId,
  isSynthetic,
  type SealedCheckpoint,
} from '@touchstone/protocol/evidence'
import { type Static, Type } from 'typebox'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable, PageFields } from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import { scoringSetSize } from '../ledger/head.ts'
import type { Integrity as IntegrityValue } from '../ledger/service.ts'
import { isStable, type Session } from '../ledger/session.ts'
import type { Checked } from './commit-service.ts'
import type { DryRun, Outcome } from './service.ts'

const Verdict = NamedEnum('Verdict', [...VERDICTS])
const Text = Type.String()
const Hash = Type.String({ description: '64 hexadecimal digits' })

const Concern = NamedObject('Concern', {
  category: NamedEnum('ConcernCategory', [...CATEGORIES]),
  severity: NamedEnum('Severity', [...SEVERITIES]),
  description: Text,
  evidence: Text,
  relevant_card_field: Nullable(Text),
  relevant_conscience_value: Nullable(Text),
})

const checkpoint = {
  agent_id: Text,
  card_id: Text,
  session_id: Text,
  timestamp: Text,
  created_at: Text,
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
    extraction_confidence: Type.Number(),
  }),
  synthetic: Type.Boolean(),
  synthetic_reason: Nullable(Text),
  flags: Type.Array(Text),
  excluded_from_score: Type.Boolean(),
  cross_validation_warnings: Type.Array(Text),
  reclassification: Nullable(NamedEnum('ReclassifiedType', ['card_gap', 'behavior_gap'])),
  linked_trace_id: Nullable(Text),
}

export const Checkpoint = NamedObject('Checkpoint', { checkpoint_id: Text, ...checkpoint })

export const Checking = NamedObject(
  'CheckpointResult',
  {
    checkpoint: NamedObject('AnalysedCheckpoint', {
      checkpoint_id: Nullable(Type.String({ description: 'null for a dry run' })),
      ...checkpoint,
    }),
    proceed: Type.Boolean(),
    recommended_action: NamedEnum('RecommendedAction', [
      'continue',
      'log_and_continue',
      'pause_for_review',
      'deny_and_escalate',
    ]),
    duplicate: Type.Boolean(),
    enforcement: Type.Object({
      mode: NamedEnum('EnforcementMode', ['observe', 'nudge', 'enforce']),
      action: Type.Enum(['none', 'nudge', 'block']),
      message: Nullable(Text),
    }),
    window_summary: Type.Object({
      size: Type.Integer(),
      max_size: Type.Integer(),
      verdicts: NamedObject('VerdictCounts', {
        clear: Type.Integer(),
        review_needed: Type.Integer(),
        boundary_violation: Type.Integer(),
      }),
      integrity_ratio: Type.Number(),
      drift_alert_active: Type.Boolean(),
    }),
    attestation: Nullable(
      Type.Object({
        chain_hash: Hash,
        position: Type.Integer(),
        leaf_index: Nullable(Type.Integer({ description: 'null for a synthetic checkpoint' })),
        certificate_id: Text,
      }),
    ),
  },
  { description: 'The checkpoint, the recommended action and the state of the session window' },
)

export const BatchResult = NamedObject('CheckpointBatchResult', {
  results: Type.Array(
    NamedObject('CheckpointBatchItem', {
      index: Type.Integer(),
      status: Type.Enum(['created', 'duplicate', 'rejected']),
      checkpoint_id: Type.Optional(Text),
      verdict: Type.Optional(Verdict),
      proceed: Type.Optional(Type.Boolean()),
      synthetic: Type.Optional(Type.Boolean({ description: 'true if it was not analysed' })),
      error: Type.Optional(Text),
      message: Type.Optional(Text),
    }),
  ),
  accepted: Type.Integer(),
  duplicates: Type.Integer(),
  rejected: Type.Integer(),
})

export const CheckpointPage = NamedObject('CheckpointPage', {
  checkpoints: Type.Array(Checkpoint),
  ...PageFields,
})

export const Integrity = NamedObject(
  'AgentIntegrity',
  {
    agent_id: Text,
    total_checks: Type.Integer(),
    analyzed_checks: Type.Integer(),
    clear_count: Type.Integer(),
    review_count: Type.Integer(),
    violation_count: Type.Integer(),
    integrity_ratio: Type.Number(),
    latest_verdict: Nullable(Verdict),
  },
  { description: 'The counts of the checkpoints of the agent' },
)

export const SessionPage = NamedObject('SessionPage', {
  sessions: Type.Array(
    NamedObject('Session', {
      session_id: Text,
      checkpoint_count: Type.Integer(),
      analyzed_count: Type.Integer(),
      verdicts: NamedObject('VerdictCounts', {
        clear: Type.Integer(),
        review_needed: Type.Integer(),
        boundary_violation: Type.Integer(),
      }),
      stable: Type.Boolean(),
      started_at: Text,
      last_at: Text,
    }),
  ),
  ...PageFields,
})

export function toCheckpoint(value: CheckpointValue): Static<typeof Checkpoint> {
  return { checkpoint_id: value.checkpointId, ...toContent(value) }
}

function toContent(value: CheckpointValue) {
  const { conscienceContext: conscience } = value
  return {
    agent_id: value.agentId,
    card_id: value.cardId,
    session_id: value.sessionId,
    timestamp: value.timestamp.toISOString(),
    created_at: value.createdAt.toISOString(),
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

export function toChecking(checked: Checked | DryRun): Static<typeof Checking> {
  const { checkpoint, mode, window } = checked
  const { verdict, concerns, violationType } = checkpoint
  const { proceed, recommendedAction } = recommend(verdict, concerns)
  const seal = 'seal' in checked ? checked.seal : undefined
  return {
    checkpoint: {
      checkpoint_id: seal === undefined ? null : checkpoint.checkpointId,
      ...toContent(checkpoint),
    },
    proceed,
    recommended_action: recommendedAction,
    duplicate: checked.duplicate,
    enforcement: enforcementOf({ mode, verdict, violationType, concerns }),
    window_summary: {
      size: window.size,
      max_size: window.maxSize,
      verdicts: window.verdicts,
      integrity_ratio: window.integrityRatio,
      drift_alert_active: window.driftAlertActive,
    },
    attestation:
      seal === undefined
        ? null
        : {
            chain_hash: seal.chainHash,
            position: seal.position,
            leaf_index: seal.leafIndex,
            certificate_id: certificateId(seal.recordHash),
          },
  }
}

export function toBatchResult(outcomes: readonly Outcome[]): Static<typeof BatchResult> {
  const results = outcomes.map((outcome, index) =>
    outcome.ok
      ? {
          index,
          status: outcome.checked.duplicate ? ('duplicate' as const) : ('created' as const),
          checkpoint_id: outcome.checked.checkpoint.checkpointId,
          verdict: outcome.checked.checkpoint.verdict,
          proceed: proceeds(outcome.checked.checkpoint),
          synthetic: isSynthetic(outcome.checked.checkpoint),
        }
      : {
          index,
          status: 'rejected' as const,
          error: outcome.problem.code,
          message: outcome.problem.message,
        },
  )
  const count = (status: string) => results.filter((result) => result.status === status).length
  return {
    results,
    accepted: count('created'),
    duplicates: count('duplicate'),
    rejected: count('rejected'),
  }
}

function proceeds({ verdict, concerns }: CheckpointValue): boolean {
  return recommend(verdict, concerns).proceed
}

export function toCheckpointPage(page: Page<SealedCheckpoint>): Static<typeof CheckpointPage> {
  return {
    checkpoints: page.items.map(({ checkpoint }) => toCheckpoint(checkpoint)),
    total: page.total,
    page: page.page,
    per_page: page.perPage,
  }
}

export function toIntegrity(agentId: string, value: IntegrityValue): Static<typeof Integrity> {
  const { verdicts } = value.counts
  return {
    agent_id: agentId,
    total_checks: value.total,
    analyzed_checks: scoringSetSize(value.counts),
    clear_count: verdicts.clear,
    review_count: verdicts.review_needed,
    violation_count: verdicts.boundary_violation,
    integrity_ratio: value.ratio,
    latest_verdict: value.latestVerdict,
  }
}

export function toSessionPage(page: Page<Session>): Static<typeof SessionPage> {
  return {
    sessions: page.items.map((session) => {
      const { verdicts } = session
      return {
        session_id: session.sessionId,
        checkpoint_count: session.checkpointCount,
        analyzed_count: verdicts.clear + verdicts.review_needed + verdicts.boundary_violation,
        verdicts,
        stable: isStable(session),
        started_at: session.startedAt?.toISOString() ?? '',
        last_at: session.lastAt?.toISOString() ?? '',
      }
    }),
    total: page.total,
    page: page.page,
    per_page: page.perPage,
  }
}

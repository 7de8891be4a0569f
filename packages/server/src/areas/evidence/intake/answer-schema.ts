import { enforcementOf, recommend } from '@touchstone/protocol/analysis'
import { type Checkpoint, certificateId, isSynthetic } from '@touchstone/protocol/evidence'
import { type Static, Type } from 'typebox'
import {
  checkpointFields,
  Hash,
  toCheckpointFields,
  Verdict,
  VerdictCounts,
} from '../../../checkpoint-wire.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import type { IngestResult } from './commit-service.ts'
import type { DryRunResult, IngestOutcome } from './service.ts'

const Text = Type.String()

export const CheckpointResult = NamedObject(
  'CheckpointResult',
  {
    checkpoint: NamedObject('AnalysedCheckpoint', {
      checkpoint_id: Nullable(Type.String({ description: 'null for a dry run' })),
      ...checkpointFields,
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
      verdicts: VerdictCounts,
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
      synthetic: Type.Optional(Type.Boolean({ description: 'true if it was not judged' })),
      error: Type.Optional(Text),
      message: Type.Optional(Text),
    }),
  ),
  accepted: Type.Integer(),
  duplicates: Type.Integer(),
  rejected: Type.Integer(),
})

export function toCheckpointResult(
  result: IngestResult | DryRunResult,
): Static<typeof CheckpointResult> {
  const { checkpoint, mode, window } = result
  const { verdict, concerns, violationType } = checkpoint
  const { proceed, recommendedAction } = recommend(verdict, concerns)
  const seal = 'seal' in result ? result.seal : undefined
  return {
    checkpoint: {
      checkpoint_id: seal === undefined ? null : checkpoint.checkpointId,
      ...toCheckpointFields(checkpoint),
    },
    proceed,
    recommended_action: recommendedAction,
    duplicate: result.duplicate,
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

export function toBatchResult(outcomes: readonly IngestOutcome[]): Static<typeof BatchResult> {
  const results = outcomes.map((outcome, index) =>
    outcome.ok
      ? {
          index,
          status: outcome.result.duplicate ? ('duplicate' as const) : ('created' as const),
          checkpoint_id: outcome.result.checkpoint.checkpointId,
          verdict: outcome.result.checkpoint.verdict,
          proceed: proceeds(outcome.result.checkpoint),
          synthetic: isSynthetic(outcome.result.checkpoint),
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

function proceeds({ verdict, concerns }: Checkpoint): boolean {
  return recommend(verdict, concerns).proceed
}

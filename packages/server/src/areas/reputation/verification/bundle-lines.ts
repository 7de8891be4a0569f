import type { BundleEntry, BundleHeader } from '@touchstone/protocol/bundle'
import type { AttestedRecord, ChainLink } from '@touchstone/protocol/evidence'
import type { ComponentKey, ComponentScores, ScoreInput } from '@touchstone/protocol/score'

/** A checkpoint as a score uses it: its attested record plus the fields that are not attested. */
export type ProvableCheckpoint = ChainLink & {
  record: AttestedRecord
  leafIndex: number | null
  flags: readonly string[]
  excluded: boolean
  reclassification: string | null
}

/** The inputs of a score, except for the violations. */
export type ScoreBasis = Omit<ScoreInput, 'nowMs' | 'violations'>

/** A published score, and the end of the evidence that it was computed from. */
export type PublishedScore = {
  agentId: string
  /** Null while the agent is not eligible. */
  score: number | null
  grade: string
  tier: string
  confidence: string
  checkpointCount: number
  components: readonly { key: ComponentKey; score: number | null }[]
  basis: ScoreBasis
  chainLength: number
  treeSize: number
  /** Hex. */
  root: string
  /** Sessions that the score counted as having drifted traces. */
  driftedSessionIds: readonly string[]
  computedAt: Date
}

export function toPublished(
  published: PublishedScore & { score: number },
): BundleHeader['published'] {
  return {
    score: published.score,
    grade: published.grade,
    tier: published.tier,
    confidence: published.confidence,
    checkpoint_count: published.checkpointCount,
    components: toComponents(published.components),
    computed_at: published.computedAt.toISOString(),
    chain_length: published.chainLength,
    tree_size: published.treeSize,
    root: published.root,
  }
}

function toComponents(components: PublishedScore['components']): ComponentScores {
  const scoreOf = (key: ComponentKey) => components.find((one) => one.key === key)?.score ?? 0
  return {
    integrity_ratio: scoreOf('integrity_ratio'),
    compliance: scoreOf('compliance'),
    drift_stability: scoreOf('drift_stability'),
    trace_completeness: scoreOf('trace_completeness'),
    coherence_compatibility: scoreOf('coherence_compatibility'),
  }
}

export function toBasis(basis: ScoreBasis): BundleHeader['basis'] {
  const { checkpoints, sessions, peers } = basis
  return {
    checkpoints: {
      scored: checkpoints.scored,
      clear: checkpoints.clear,
      excluded: checkpoints.excluded,
    },
    sessions: { total: sessions.total, unstable: sessions.unstable },
    traces_stored: basis.tracesStored,
    peers: { count: peers.count, pair_score_e4_sum: peers.pairScoreE4Sum },
    adjustment_e4: basis.adjustmentE4,
  }
}

export function toCheckpoint(checkpoint: ProvableCheckpoint): BundleEntry {
  return {
    kind: 'checkpoint',
    value: {
      record: checkpoint.record,
      chain: {
        record_hash: checkpoint.recordHash,
        chain_hash: checkpoint.chainHash,
        prev_chain_hash: checkpoint.previous,
        position: checkpoint.position,
      },
      leaf_index: checkpoint.leafIndex,
      flags: checkpoint.flags,
      excluded_from_score: checkpoint.excluded,
      reclassification: checkpoint.reclassification,
    },
  }
}

import {
  BUNDLE_FORMAT,
  type BundleEntry,
  type BundleHeader,
  type BundleTreeHead,
  METHODOLOGY_1,
  toBundleAssurance,
} from '@touchstone/protocol/bundle'
import type { AttestedRecord, ChainLink } from '@touchstone/protocol/evidence'
import {
  type Assurance,
  type AssuranceInput,
  type ComponentKey,
  type ComponentScores,
  METHODOLOGY,
  PAIR_WEIGHTS,
  type ScoreInput,
} from '@touchstone/protocol/score'

/** A checkpoint as a score uses it: its attested record plus the fields that are not attested. */
export type ProvableCheckpoint = ChainLink & {
  record: AttestedRecord
  leafIndex: number | null
  flags: readonly string[]
  excluded: boolean
  reclassification: string | null
  receivedAt: Date
}

/** A pair score that a score used. */
export type UsedPairScore = {
  /** Null for a peer that is not public. */
  peerId: string | null
  scoreE4: number
  checkedAt: Date
  acrossOrgs: boolean
}

/** The inputs of a score, except for the violations. */
export type ScoreBasis = Omit<ScoreInput, 'nowMs' | 'violations'> & {
  /** Absent in scores of methodology 1. */
  assurance?: AssuranceInput
}

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
  assurance: Assurance | null
  assuredScore: number | null
  basis: ScoreBasis
  chainLength: number
  treeSize: number
  /** Hex. */
  root: string
  /** Sessions that the score counted as having drifted traces. */
  driftedSessionIds: readonly string[]
  computedAt: Date
}

type RatedScore = PublishedScore & { score: number }

/** In the methodology that the score was computed by. */
export function toHeader(published: RatedScore, treeHead: BundleTreeHead): BundleHeader {
  const { agentId, assurance, assuredScore, basis } = published
  const common = { format: BUNDLE_FORMAT, agent_id: agentId, tree_head: treeHead }
  const figures = toPublished(published)
  if (assurance === null || assuredScore === null || basis.assurance === undefined) {
    return {
      ...common,
      methodology_version: METHODOLOGY_1,
      published: figures,
      basis: { ...toBasis(basis), traces_stored: basis.tracesVerified },
    }
  }
  const { claimed, decisionsAllowed, outcomesKnown, witnessed } = basis.assurance
  return {
    ...common,
    methodology: METHODOLOGY,
    published: { ...figures, assurance: toBundleAssurance(assurance), assured_score: assuredScore },
    basis: {
      ...toBasis(basis),
      traces_verified: basis.tracesVerified,
      assurance: {
        claimed,
        decisions_allowed: decisionsAllowed,
        outcomes_known: outcomesKnown,
        witnessed,
      },
    },
  }
}

function toPublished(published: RatedScore) {
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

function toBasis(basis: ScoreBasis) {
  const { checkpoints, sessions, peers } = basis
  return {
    checkpoints: {
      scored: checkpoints.scored,
      clear: checkpoints.clear,
      excluded: checkpoints.excluded,
    },
    sessions: { total: sessions.total, unstable: sessions.unstable },
    peers: {
      count: peers.count,
      pair_score_e4_sum: peers.pairScoreE4Sum,
      ...(peers.acrossOrgs === undefined
        ? {}
        : {
            across_orgs: {
              count: peers.acrossOrgs.count,
              pair_score_e4_sum: peers.acrossOrgs.pairScoreE4Sum,
            },
          }),
    },
    adjustment_e4: basis.adjustmentE4,
  }
}

/** `hasWeight` is false for a score of methodology 1. */
export function toPairScore(pair: UsedPairScore, hasWeight: boolean): BundleEntry {
  const weight = pair.acrossOrgs ? PAIR_WEIGHTS.acrossOrgs : PAIR_WEIGHTS.withinOrg
  return {
    kind: 'pair_score',
    value: {
      peer_id: pair.peerId,
      pair_score_e4: pair.scoreE4,
      checked_at: pair.checkedAt.toISOString(),
      ...(hasWeight && { weight }),
    },
  }
}

/** `hasAssurance` is false for a score of methodology 1. */
export function toCheckpoint(checkpoint: ProvableCheckpoint, hasAssurance: boolean): BundleEntry {
  const receipt = { received_at: checkpoint.receivedAt.toISOString() }
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
      ...(hasAssurance && receipt),
    },
  }
}

import { canonicalJson } from '../base/canonical-json.ts'
import { NO_ENTRY_HASH } from '../control/linked-entry.ts'
import { hashCanonical, sha256Hex } from '../crypto/hash.ts'
import type { RiskLevel } from '../risk/individual-risk.ts'
import type { Grade } from '../score/grade.ts'
import type { TeamComponentScores } from './team-reputation.ts'

/** The fields of a counted assessment that are chained; in micro units. */
export type ChainedAssessment = {
  assessmentId: string
  /** As published. */
  createdAt: string
  coherence: number
  structuralRisk: number
  level: RiskLevel
}

/**
 * The hex hash of an assessment, which binds all counted ones before it; the first has no
 * predecessor.
 */
export function teamChainHash(
  { assessmentId, createdAt, coherence, structuralRisk, level }: ChainedAssessment,
  previousHash: string = NO_ENTRY_HASH,
): string {
  const entry = {
    assessment_id: assessmentId,
    created_at: createdAt,
    cq: coherence,
    sr: structuralRisk,
    level,
  }
  return sha256Hex(`${previousHash}${canonicalJson(entry)}`)
}

/** Null if a member is unrated or has no checkpoints. */
export type MemberStanding = { agentId: string; score: number | null; merkleRoot: string | null }

/** The hash of one member's standing, in its published form. */
export function memberScoreHash({ agentId, score, merkleRoot }: MemberStanding): string {
  return prefixed(hashCanonical({ agent_id: agentId, score, merkle_root: merkleRoot }))
}

export type TeamProof = {
  teamId: string
  score: number
  grade: Grade
  components: TeamComponentScores
  /** The hex hash of the latest counted assessment. */
  chainHead: string
  /** In any order: they are sorted, so that they do not reveal which belongs to whom. */
  memberScoreHashes: readonly string[]
  /** Ids of the roster changes in the last 90 days, oldest first. */
  rosterChangeIds: readonly string[]
  computedAt: string
}

/** Computed over the published hashes, so that a reader can recompute it. */
export function teamProofHash(proof: TeamProof): string {
  return prefixed(
    hashCanonical({
      team_id: proof.teamId,
      score: proof.score,
      grade: proof.grade,
      components: proof.components,
      assessment_chain_head: prefixed(proof.chainHead),
      member_score_hashes: proof.memberScoreHashes.toSorted(),
      roster_changes: proof.rosterChangeIds,
      computed_at: proof.computedAt,
    }),
  )
}

function prefixed(hex: string): string {
  return `sha256:${hex}`
}

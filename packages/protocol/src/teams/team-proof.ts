import { canonicalJson } from '../base/canonical-json.ts'
import { NO_ENTRY_HASH } from '../control/linked-entry.ts'
import { hashCanonical, sha256Hex } from '../crypto/hash.ts'
import type { RiskLevel } from '../risk/individual-risk.ts'
import type { Grade } from '../score/grade.ts'
import type { TeamComponentScores } from './team-reputation.ts'

/** A counted assessment as it is chained; micro units. */
export type ChainedAssessment = {
  assessmentId: string
  /** As published. */
  createdAt: string
  coherence: number
  structuralRisk: number
  level: RiskLevel
}

/** The hash of an assessment, hex, that binds all counted ones before it; the first has none. */
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

/** Null where a member is unrated, or has no checkpoints. */
export type MemberStanding = { agentId: string; score: number | null; merkleRoot: string | null }

/** Of one member, as it is published. */
export function memberScoreHash({ agentId, score, merkleRoot }: MemberStanding): string {
  return prefixed(hashCanonical({ agent_id: agentId, score, merkle_root: merkleRoot }))
}

export type TeamProof = {
  teamId: string
  score: number
  grade: Grade
  components: TeamComponentScores
  /** Hex, of the latest counted assessment. */
  chainHead: string
  /** In any order: they are sorted, so that they do not say which is whose. */
  memberScoreHashes: readonly string[]
  /** The ids of the changes of the last 90 days, oldest first. */
  rosterChangeIds: readonly string[]
  computedAt: string
}

/** Over the hashes as they are published, so that a reader can hash what was read. */
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

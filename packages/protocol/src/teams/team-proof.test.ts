import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../crypto/hash.ts'
import {
  type ChainedAssessment,
  memberScoreHash,
  type TeamProof,
  teamChainHash,
  teamProofHash,
} from './team-proof.ts'

const assessment: ChainedAssessment = {
  assessmentId: 'tra-1',
  createdAt: '2026-03-01T12:00:00.000Z',
  coherence: 487_384,
  structuralRisk: 251_194,
  level: 'high',
}

describe('teamChainHash', () => {
  const written =
    '{"assessment_id":"tra-1","cq":487384,"created_at":"2026-03-01T12:00:00.000Z","level":"high","sr":251194}'

  it('starts from 64 zeros and links each assessment to the previous one', () => {
    const first = teamChainHash(assessment)
    expect(first).toBe(sha256Hex('0'.repeat(64) + written))
    expect(teamChainHash(assessment, first)).toBe(sha256Hex(first + written))
  })
})

describe('memberScoreHash', () => {
  it('encodes unknown values as null', () => {
    expect(memberScoreHash({ agentId: 'b', score: null, merkleRoot: null })).toBe(
      `sha256:${sha256Hex('{"agent_id":"b","merkle_root":null,"score":null}')}`,
    )
  })
})

describe('teamProofHash', () => {
  const proof: TeamProof = {
    teamId: 'team-1',
    score: 725,
    grade: 'A',
    components: {
      coherence_history: 762,
      member_quality: 632,
      operational_record: 833,
      structural_stability: 807,
      assessment_density: 531,
    },
    chainHead: teamChainHash(assessment),
    memberScoreHashes: ['sha256:b', 'sha256:a'],
    rosterChangeIds: ['trc-1'],
    computedAt: '2026-03-01T12:00:00.000Z',
  }

  it.each<[string, Partial<TeamProof>]>([
    ['score', { score: 726 }],
    ['components', { components: { ...proof.components, member_quality: 633 } }],
    ['chain', { chainHead: teamChainHash(assessment, 'f'.repeat(64)) }],
    ['members', { memberScoreHashes: ['sha256:a', 'sha256:c'] }],
    ['roster changes', { rosterChangeIds: [] }],
    ['time', { computedAt: '2026-03-01T12:00:00.001Z' }],
  ])('changes if the %s changes', (_, changed) => {
    expect(teamProofHash({ ...proof, ...changed })).not.toBe(teamProofHash(proof))
    expect(teamProofHash({ ...proof })).toBe(teamProofHash(proof))
  })

  it('is the same for any order of the members', () => {
    const memberScoreHashes = proof.memberScoreHashes.toReversed()
    expect(teamProofHash({ ...proof, memberScoreHashes })).toBe(teamProofHash(proof))
  })
})

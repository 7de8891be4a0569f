import { canonicalJson, round } from '@touchstone/protocol/base'
import {
  type Hex,
  metadataHash,
  type OnChainRecord,
  onChainId,
  type PublicationMetadata,
} from '@touchstone/protocol/chain'
import {
  type AssuranceLevel,
  type ComponentKey,
  type Grade,
  METHODOLOGY,
  standingOf,
} from '@touchstone/protocol/score'

/** The published fields of a score computation. */
export type Computation = {
  agentId: string
  score: number
  grade: Grade
  confidence: string
  checkpointCount: number
  components: Record<ComponentKey, number | null>
  root: string
  computedAt: Date
  /** Both are null if the score was computed before there was assurance. */
  assurance: AssuranceLevel | null
  assuredScore: number | null
}

/** A score to publish, as requested. */
export type Wanted = { agentId: string; score: number; grade: Grade }

/** A score that was computed, with the metadata of its computation. */
export type Publishable = {
  agentId: string
  record: OnChainRecord
  /** Canonical JSON, exactly the bytes that are hashed. */
  metadata: string
}

export type Publication = {
  publicationId: string
  agentCount: number
  txHash: Hex
  blockNumber: number
  gasUsed: number
  publishedAt: Date
}

export type Refusal =
  | { why: 'grade'; index: number; agentId: string; grade: Grade }
  | { why: 'twice'; index: number; agentId: string }
  | { why: 'ineligible'; agentId: string }
  | { why: 'mismatch'; agentId: string }

/** Checks the request itself, before any lookup (spec: chain §3). */
export function faultOf(wanted: readonly Wanted[]): Refusal | undefined {
  const wrong = wanted.findIndex((one) => standingOf(round(one.score)).grade !== one.grade)
  const misgraded = wanted[wrong]
  if (misgraded !== undefined) {
    const { agentId, score } = misgraded
    return { why: 'grade', index: wrong, agentId, grade: standingOf(round(score)).grade }
  }
  const seen = new Set<string>()
  for (const [index, { agentId }] of wanted.entries()) {
    if (seen.has(agentId)) return { why: 'twice', index, agentId }
    seen.add(agentId)
  }
  return undefined
}

/** INVARIANT: only scores computed by the service are published. */
export function judge(
  wanted: readonly Wanted[],
  computations: readonly Computation[],
): readonly Publishable[] | Refusal {
  const ofAgent = new Map<string, Computation[]>()
  for (const one of computations) {
    ofAgent.set(one.agentId, [...(ofAgent.get(one.agentId) ?? []), one])
  }
  const unrated = wanted.find(({ agentId }) => !ofAgent.has(agentId))
  if (unrated !== undefined) return { why: 'ineligible', agentId: unrated.agentId }
  const made: Publishable[] = []
  for (const one of wanted) {
    const computed = ofAgent
      .get(one.agentId)
      ?.find(({ score, grade }) => score === round(one.score) && grade === one.grade)
    if (computed === undefined) return { why: 'mismatch', agentId: one.agentId }
    made.push(publishable(computed))
  }
  return made
}

function publishable(computed: Computation): Publishable {
  const figures = {
    agent_id: computed.agentId,
    score: computed.score,
    grade: computed.grade,
    confidence: computed.confidence,
    checkpoint_count: computed.checkpointCount,
    components: computed.components,
    merkle_root: `sha256:${computed.root}`,
    computed_at: computed.computedAt.toISOString(),
  }
  const { assurance, assuredScore } = computed
  const metadata: PublicationMetadata =
    assurance === null || assuredScore === null
      ? { ...figures, schema: 'touchstone.publication/1' }
      : {
          ...figures,
          schema: 'touchstone.publication/2',
          assurance,
          assured_score: assuredScore,
          methodology: METHODOLOGY,
        }
  return {
    agentId: computed.agentId,
    metadata: canonicalJson(metadata),
    record: {
      id: onChainId(computed.agentId),
      score: computed.score,
      grade: computed.grade,
      metadataHash: metadataHash(metadata),
    },
  }
}

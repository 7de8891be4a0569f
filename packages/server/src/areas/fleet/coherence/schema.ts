import { DIVERGENCES_MAX } from '@touchstone/protocol/risk'
import { type Static, Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import { AGENTS_MAX, type CheckedFleet, type CheckedPair, type PairWanted } from './service.ts'

const Text = Type.String()
const Texts = Type.Array(Text)
const AgentId = Type.String({ minLength: 1, maxLength: 128 })

export const CheckBody = NamedObject('CoherenceCheck', {
  agent_a: AgentId,
  agent_b: AgentId,
  required_values: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1, maxItems: 50 }),
  ),
})

export const PairAnswer = NamedObject(
  'Coherence',
  {
    agent_a: Text,
    agent_b: Text,
    score: Type.Number(),
    compatible: Type.Boolean(),
    value_alignment: Type.Object({
      matched: Texts,
      unmatched: Texts,
      conflicts: Type.Array(Type.Object({ declared_by: Text, opposed_by: Text, value: Text })),
    }),
    checked_at: Text,
  },
  { description: 'The coherence of the two agents' },
)

export const FleetQuery = Type.Object({
  agent_ids: Type.Optional(
    Type.String({ maxLength: 40_000, description: '2 to 200 ids, separated by commas' }),
  ),
  include: Type.Optional(Type.Literal('pairwise')),
})

const Pair = NamedObject('CoherencePair', {
  agent_a: Text,
  agent_b: Text,
  score: Type.Number(),
  compatible: Type.Boolean(),
  matched: Type.Integer(),
  conflicts: Type.Integer(),
})

const AgentSummary = NamedObject('AgentCoherence', {
  agent_id: Text,
  mean_score: Type.Number(),
  compatible_count: Type.Integer(),
  conflict_count: Type.Integer(),
  cluster_id: Type.Integer(),
  is_outlier: Type.Boolean(),
})

const Outlier = NamedObject('CoherenceOutlier', {
  agent_id: Text,
  agent_mean_score: Type.Number(),
  fleet_mean_score: Type.Number(),
  deviation: Type.Number(),
  primary_conflicts: Texts,
})

const Cluster = NamedObject('CoherenceCluster', {
  cluster_id: Type.Integer(),
  agent_ids: Texts,
  internal_coherence: Type.Number(),
  shared_values: Texts,
  distinguishing_values: Texts,
})

const Divergence = NamedObject('ValueDivergence', {
  value: Text,
  agents_declaring: Texts,
  agents_missing: Texts,
  agents_conflicting: Texts,
  impact_on_fleet_score: Type.Number(),
})

export const FleetAnswer = NamedObject('FleetCoherence', {
  org_id: Text,
  computed_at: Text,
  cached: Type.Boolean(),
  agent_count: Type.Integer(),
  pair_count: Type.Integer(),
  agents_without_card: Texts,
  fleet_score: Type.Number(),
  min_pair_score: Type.Number(),
  max_pair_score: Type.Number(),
  pairwise_matrix: Type.Optional(Type.Array(Pair)),
  agent_summaries: Type.Array(AgentSummary),
  outliers: Type.Array(Outlier),
  clusters: Type.Array(Cluster),
  divergence_report: Type.Array(Divergence, {
    description: `at most ${DIVERGENCES_MAX}, the largest impact first`,
  }),
  divergence_count: Type.Integer({ description: 'the total' }),
})

/** Up to this many agents the matrix is included by default (spec: fleet §1.3). */
const MATRIX_AGENTS_MAX = 50

export function toPairWanted(body: Static<typeof CheckBody>): PairWanted {
  const { agent_a: agentA, agent_b: agentB, required_values: requiredValues } = body
  return { agentA, agentB, requiredValues }
}

/** Trims the ids and drops empty ones. */
export function toAgentIds(list: string | undefined): string[] | undefined {
  return list
    ?.split(',', 10 * AGENTS_MAX)
    .map((id) => id.trim())
    .filter((id) => id !== '')
}

export function toPairAnswer({ agentA, agentB, coherence, checkedAt }: CheckedPair) {
  return {
    agent_a: agentA,
    agent_b: agentB,
    score: published(coherence.scoreE4),
    compatible: coherence.compatible,
    value_alignment: {
      matched: [...coherence.matched],
      unmatched: [...coherence.unmatched],
      conflicts: coherence.conflicts.map(({ declaredBy, opposedBy, value }) => {
        return { declared_by: declaredBy, opposed_by: opposedBy, value }
      }),
    },
    checked_at: checkedAt.toISOString(),
  } satisfies Static<typeof PairAnswer>
}

export function toFleetAnswer(
  { orgId, computedAt, cached, fleet, agentsWithoutCard }: CheckedFleet & { cached: boolean },
  { withPairs }: { withPairs: boolean },
): Static<typeof FleetAnswer> {
  const isShown = withPairs || fleet.agents.length <= MATRIX_AGENTS_MAX
  return {
    org_id: orgId,
    computed_at: computedAt.toISOString(),
    cached,
    agent_count: fleet.agents.length,
    pair_count: fleet.pairs.length,
    agents_without_card: [...agentsWithoutCard],
    fleet_score: published(fleet.fleetScoreE4),
    min_pair_score: published(fleet.minPairScoreE4),
    max_pair_score: published(fleet.maxPairScoreE4),
    ...(isShown ? { pairwise_matrix: fleet.pairs.map(toPair) } : {}),
    agent_summaries: fleet.agents.map((one) => ({
      agent_id: one.agentId,
      mean_score: published(one.meanScoreE4),
      compatible_count: one.compatibleCount,
      conflict_count: one.conflictCount,
      cluster_id: one.clusterId,
      is_outlier: one.isOutlier,
    })),
    outliers: fleet.outliers.map((one) => ({
      agent_id: one.agentId,
      agent_mean_score: published(one.agentMeanScoreE4),
      fleet_mean_score: published(one.fleetMeanScoreE4),
      deviation: one.deviation,
      primary_conflicts: [...one.primaryConflicts],
    })),
    clusters: fleet.clusters.map((one) => ({
      cluster_id: one.clusterId,
      agent_ids: [...one.agentIds],
      internal_coherence: published(one.internalCoherenceE4),
      shared_values: [...one.sharedValues],
      distinguishing_values: [...one.distinguishingValues],
    })),
    divergence_report: fleet.divergences.map((one) => ({
      value: one.value,
      agents_declaring: [...one.declaring],
      agents_missing: [...one.missing],
      agents_conflicting: [...one.conflicting],
      impact_on_fleet_score: published(one.impactE4),
    })),
    divergence_count: fleet.divergenceCount,
  }
}

function toPair(pair: CheckedFleet['fleet']['pairs'][number]): Static<typeof Pair> {
  return {
    agent_a: pair.agentA,
    agent_b: pair.agentB,
    score: published(pair.scoreE4),
    compatible: pair.compatible,
    matched: pair.matched,
    conflicts: pair.conflicts,
  }
}

function published(e4: number): number {
  return e4 / 10_000
}

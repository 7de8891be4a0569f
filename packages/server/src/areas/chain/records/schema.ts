import { type Static, Type } from 'typebox'
import { AssuranceLevel } from '../../../assurance-wire.ts'
import { NamedObject } from '../../../http/openapi/named.ts'
import { Nullable, PlaceFields, toPlaceFields } from '../../../http/wire.ts'
import type { Anchor, Publication } from './ports.ts'
import type { RecordService } from './service.ts'

export const StatusAnswer = NamedObject(
  'OnChainStatus',
  {
    agent_id: Type.String(),
    has_on_chain_score: Type.Boolean(),
    latest_score: Nullable(
      NamedObject('OnChainScore', {
        score: Type.Integer(),
        grade: Type.String(),
        assurance: Nullable(AssuranceLevel),
        block_number: Type.Integer(),
        published_at: Type.String(),
      }),
    ),
    latest_anchor: Nullable(
      NamedObject('OnChainAnchor', {
        anchor_id: Type.String(),
        merkle_root: Type.String(),
        block_number: Type.Integer(),
        anchored_at: Type.String(),
      }),
    ),
    last_updated: Nullable(Type.String()),
  },
  { description: 'The on-chain records of the agent' },
)

const ListedAnchor = NamedObject('AnchorSummary', {
  anchor_id: Type.String(),
  merkle_root: Type.String(),
  leaf_count: Type.Integer(),
  tree_depth: Type.Integer(),
  tx_hash: Type.String(),
  block_number: Type.Integer(),
  anchored_at: Type.String(),
})

const ListedPublication = NamedObject('ScorePublicationSummary', {
  publication_id: Type.String(),
  agent_count: Type.Integer(),
  tx_hash: Type.String(),
  block_number: Type.Integer(),
  published_at: Type.String(),
})

export const HistoryAnswer = NamedObject(
  'OnChainHistory',
  {
    anchors: Type.Array(ListedAnchor),
    publications: Type.Array(ListedPublication),
    ...PlaceFields,
    total_anchors: Type.Integer(),
    total_publications: Type.Integer(),
  },
  { description: 'A page of anchors and publications' },
)

type Status = Awaited<ReturnType<RecordService['status']>>
type History = Awaited<ReturnType<RecordService['history']>>

export function toStatus({
  agentId,
  score,
  anchor,
  lastUpdated,
}: Status): Static<typeof StatusAnswer> {
  return {
    agent_id: agentId,
    has_on_chain_score: score !== undefined,
    latest_score:
      score === undefined
        ? null
        : {
            score: score.score,
            grade: score.grade,
            assurance: score.assurance,
            block_number: score.blockNumber,
            published_at: score.publishedAt.toISOString(),
          },
    latest_anchor:
      anchor === undefined
        ? null
        : {
            anchor_id: anchor.anchorId,
            merkle_root: anchor.merkleRoot,
            block_number: anchor.blockNumber,
            anchored_at: anchor.anchoredAt.toISOString(),
          },
    last_updated: lastUpdated?.toISOString() ?? null,
  }
}

export function toHistory({ anchors, publications }: History): Static<typeof HistoryAnswer> {
  return {
    anchors: anchors.items.map(toListedAnchor),
    publications: publications.items.map(toListedPublication),
    ...toPlaceFields(anchors),
    total_anchors: anchors.total,
    total_publications: publications.total,
  }
}

function toListedAnchor(anchor: Anchor): Static<typeof ListedAnchor> {
  return {
    anchor_id: anchor.anchorId,
    merkle_root: anchor.merkleRoot,
    leaf_count: anchor.leafCount,
    tree_depth: anchor.treeDepth,
    tx_hash: anchor.txHash,
    block_number: anchor.blockNumber,
    anchored_at: anchor.anchoredAt.toISOString(),
  }
}

function toListedPublication(made: Publication): Static<typeof ListedPublication> {
  return {
    publication_id: made.publicationId,
    agent_count: made.agentCount,
    tx_hash: made.txHash,
    block_number: made.blockNumber,
    published_at: made.publishedAt.toISOString(),
  }
}

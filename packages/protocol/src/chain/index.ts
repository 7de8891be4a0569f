export {
  type AnchoredAgent,
  type AnchoredCheckpoint,
  type AnchorProof,
  anchorLeaf,
  anchorLeafData,
  verifyAnchorProof,
  verifyLogAnchorProof,
} from './anchor-proof.ts'
export {
  BATCH_MAX,
  batchRoot,
  gradeBytes,
  type Hex,
  metadataHash,
  type OnChainRecord,
  onChainId,
  type PublicationMetadata,
  packRecords,
  publicationLeaf,
} from './publication.ts'
export {
  type AskNode,
  metadataFault,
  type PublishedScore,
  type PublishedScoreReading,
  readPublishedScore,
} from './published-score.ts'

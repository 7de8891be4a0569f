export { inclusionPath, type PathItem, proofFromPath } from './inclusion-path.ts'
export {
  type ConsistencyClaim,
  emptyRoot,
  type InclusionClaim,
  leafHash,
  merkleRoot,
  nodeHash,
  rootFromInclusion,
  treeDepth,
  verifyConsistency,
  verifyInclusion,
} from './merkle.ts'
export {
  appendedNodes,
  consistencyProofFromNodes,
  inclusionProofFromNodes,
  type MerkleNode,
  type NodeId,
  nodeLookup,
  nodesForAppend,
  nodesForConsistency,
  nodesForInclusion,
  nodesForRoot,
  type ReadNode,
  rootFromEdge,
  rootFromNodes,
} from './merkle-nodes.ts'
export { createMerkleTree, type MerkleTree } from './merkle-tree.ts'
export { type TreeHead, treeHeadPayload, verifyTreeHead } from './tree-head.ts'

// biome-ignore-all lint/performance/noBarrelFile: the one entry point of a published package
export { formatApiKey, isWellFormedApiKey } from './api-key.ts'
export { canonicalJson } from './canonical-json.ts'
export {
  type AlignmentCard,
  type ConscienceConflict,
  type ConscienceValue,
  conscienceConflicts,
  defaultCard,
  type EscalationTrigger,
  STANDARD_VALUES,
} from './card.ts'
export {
  assembleCertificate,
  type Certificate,
  type CertificateContent,
  type ChainProof,
  type ContentParts,
  certificateContent,
  certificateHash,
  type Issue,
  type MerkleProof,
  type SignatureProof,
  signedPayload,
} from './certificate.ts'
export {
  type CommittedValue,
  combinedCommitment,
  commitInputs,
  type InputCommitments,
  type Inputs,
  TEMPLATE_VERSION,
  valuesHash,
} from './commitments.ts'
export {
  type Condition,
  type ConditionFacts,
  type ConditionOutcome,
  evaluateCondition,
  judgeCondition,
  parseCondition,
  toNumber,
} from './condition.ts'
export { base64ToBytes, bytesToBase64, bytesToHex, hexToBytes, isHashHex } from './encoding.ts'
export { hashCanonical, sha256Bytes, sha256Hex } from './hash.ts'
export {
  type ChainHead,
  type ChainInput,
  type ChainLink,
  type ChainWalk,
  chainHash,
  walkChain,
} from './hash-chain.ts'
export { inclusionPath, type PathItem, proofFromPath } from './inclusion-path.ts'
export { keccak256Hex } from './keccak.ts'
export { keyId, type PublishedKey, publishedKey } from './keys.ts'
export {
  type ConsistencyClaim,
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
  rootFromNodes,
} from './merkle-nodes.ts'
export { createMerkleTree, type MerkleTree } from './merkle-tree.ts'
export {
  type AttestedRecord,
  buildRecord,
  type CertifiedConcern,
  type Claims,
  certificateId,
  type RecordParts,
  recordHash,
  type Subject,
} from './record.ts'
export { defaultSessionId } from './session-id.ts'
export { type Finding, parseInstant } from './shape.ts'
export { ed25519PublicKey, ed25519Signer, signEd25519, verifyEd25519 } from './signature.ts'
export { type TreeHead, treeHeadPayload, verifyTreeHead } from './tree-head.ts'
export { type CardOutcome, type CardSubmission, validateCard } from './validate-card.ts'
export {
  type CertificateChecks,
  type CertificateVerification,
  type TrustedKey,
  type VerificationOutcome,
  verifyCertificate,
} from './verify-certificate.ts'

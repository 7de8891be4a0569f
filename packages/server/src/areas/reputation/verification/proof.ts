import { bytesToHex } from '@touchstone/protocol/base'
import {
  type Certificate,
  type ChainLink,
  certificateHash,
  type TrustedKey,
  verifyCertificate,
} from '@touchstone/protocol/evidence'
import {
  type MerkleNode,
  type NodeId,
  nodeLookup,
  nodesForRoot,
  rootFromEdge,
  rootFromNodes,
} from '@touchstone/protocol/merkle'

/** Everything that a published score is held against (01 §7.5). */
export type Findings = {
  agentId: string
  audit: { valid: boolean }
  published: { treeSize: number; root: string }
  end: { leafCount: number; edge: readonly Uint8Array[] }
  /** Of nodesForProof, those that are stored. */
  nodes: readonly MerkleNode[]
  /** The last leaf and its certificate, as far as they are there. */
  latest: ChainLink | undefined
  rebuilt: { certificate: Certificate; certificateHash: string } | undefined
  keys: readonly TrustedKey[]
}

export type Check = 'hash_chain' | 'tree_head' | 'published_root' | 'certificate'

/** The stored nodes that make up the tree as it is, and as it was when the score was computed. */
export function nodesForProof(sizes: { leafCount: number; treeSize: number }): NodeId[] {
  return [...nodesForRoot(sizes.leafCount), ...nodesForRoot(sizes.treeSize)]
}

/** The root over all leaves, if there still is one, and which checks did not pass. */
export function judgeProof(findings: Findings): { merkleRoot: string | null; failed: Check[] } {
  const { audit, published, end, nodes } = findings
  const read = nodeLookup(nodes)
  const ofHead = rootOf(() => rootFromEdge(end.leafCount, end.edge))
  const ofNodes = rootOf(() => rootFromNodes(end.leafCount, read))
  const ofPublished = rootOf(() => rootFromNodes(published.treeSize, read))
  const checks: [Check, boolean][] = [
    ['hash_chain', audit.valid],
    ['tree_head', ofNodes !== undefined && ofNodes === ofHead],
    ['published_root', ofPublished === published.root],
    ['certificate', isSound(findings)],
  ]
  return {
    merkleRoot: ofNodes ?? ofHead ?? null,
    failed: checks.flatMap(([check, passed]) => (passed ? [] : check)),
  }
}

/** Hex; undefined when a node is missing or is no hash. */
function rootOf(compute: () => Uint8Array): string | undefined {
  try {
    return bytesToHex(compute())
  } catch (err) {
    if (err instanceof RangeError || err instanceof TypeError) return undefined
    throw err
  }
}

/** As it was issued, right by itself, and speaking of the checkpoint as it is stored. */
function isSound({ agentId, latest, rebuilt, keys }: Findings): boolean {
  if (latest === undefined || rebuilt === undefined) return false
  const { certificate } = rebuilt
  const outcome = verifyCertificate(certificate, keys)
  return (
    outcome.wellFormed &&
    outcome.verification.valid &&
    certificate.subject.agent_id === agentId &&
    certificate.proofs.chain.chain_hash === latest.chainHash &&
    certificateHash(certificate) === rebuilt.certificateHash
  )
}

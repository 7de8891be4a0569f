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

/** Everything that a published score is checked against (spec: reputation §5). */
export type Findings = {
  agentId: string
  audit: { valid: boolean }
  published: { treeSize: number; root: string }
  end: { leafCount: number; edge: readonly Uint8Array[] }
  /** The stored ones among the nodes that `nodesForProof` names. */
  nodes: readonly MerkleNode[]
  /** The last leaf and its certificate; undefined if missing. */
  latest: ChainLink | undefined
  rebuilt: { certificate: Certificate; certificateHash: string } | undefined
  keys: readonly TrustedKey[]
}

export type Check = 'hash_chain' | 'tree_head' | 'published_root' | 'certificate'

/** The nodes needed for the root of the tree now and for its root when the score was computed. */
export function nodesForProof(sizes: { leafCount: number; treeSize: number }): NodeId[] {
  return [...nodesForRoot(sizes.leafCount), ...nodesForRoot(sizes.treeSize)]
}

/** The root over all leaves, null if it cannot be computed, and the checks that failed. */
export function judgeProof(findings: Findings): { merkleRoot: string | null; failed: Check[] } {
  const { audit, published, end, nodes } = findings
  const read = nodeLookup(nodes)
  const headRoot = rootOf(() => rootFromEdge(end.leafCount, end.edge))
  const nodesRoot = rootOf(() => rootFromNodes(end.leafCount, read))
  const publishedRoot = rootOf(() => rootFromNodes(published.treeSize, read))
  const checks: [Check, boolean][] = [
    ['hash_chain', audit.valid],
    ['tree_head', nodesRoot !== undefined && nodesRoot === headRoot],
    ['published_root', publishedRoot === published.root],
    ['certificate', isCertificateValid(findings)],
  ]
  return {
    merkleRoot: nodesRoot ?? headRoot ?? null,
    failed: checks.flatMap(([check, passed]) => (passed ? [] : check)),
  }
}

/** Hex; undefined when a node is missing or is not a hash. */
function rootOf(compute: () => Uint8Array): string | undefined {
  try {
    return bytesToHex(compute())
  } catch (err) {
    if (err instanceof RangeError || err instanceof TypeError) return undefined
    throw err
  }
}

/** True if the certificate is unchanged since issue, verifies, and matches the stored checkpoint. */
function isCertificateValid({ agentId, latest, rebuilt, keys }: Findings): boolean {
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

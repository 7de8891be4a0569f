import { hexToBytes } from '@touchstone/protocol/base'
import {
  type AttestedRecord,
  assembleCertificate,
  type CertificateContent,
  certificateContent,
  certificateHash,
  chainHash,
  recordHash,
  signedPayload,
} from '@touchstone/protocol/evidence'
import { leafHash, type MerkleNode, nodeHash, nodesForRoot } from '@touchstone/protocol/merkle'

/**
 * Sealing appends a record to its agent's chain and, if it was analysed, to its tree, and signs its
 * certificate. Every hash is computed here, once.
 */

/** The end of an agent's chain and tree. */
export type ChainState = {
  agentId: string
  length: number
  /** The hash of the last link; null before the first. */
  chainHash: string | null
  leafCount: number
  /** Hashes of nodesForRoot(leafCount), left to right. */
  edge: readonly Uint8Array[]
}

export type SealEntry = { record: AttestedRecord; analysed: boolean }

/** The part of a seal that is stored with the checkpoint. */
export type Sealed = {
  position: number
  previous: string | null
  recordHash: string
  chainHash: string
  /** Null for a synthetic checkpoint, which is in the chain but not in the tree. */
  leafIndex: number | null
  certificateId: string
}

/** The stored part of a certificate: what cannot be derived and is not common to the batch. */
export type NewCertificate = {
  agentId: string
  position: number
  certificateId: string
  signature: Uint8Array
  certificateHash: string
}

/** The content of a certificate and the payload to sign for it. */
export type Unsigned = { agentId: string; content: CertificateContent; payload: string }

type Chained = {
  state: ChainState
  sealed: Sealed[]
  /** The nodes that became complete. */
  nodes: MerkleNode[]
  unsigned: Unsigned[]
}

/** Chains the records of one agent in the order given. */
export function chainAll(
  state: ChainState,
  entries: readonly SealEntry[],
  issue: { issuedAt: string; baseUrl: string },
): Chained {
  const { agentId } = state
  const sealed: Sealed[] = []
  const nodes: MerkleNode[] = []
  const unsigned: Unsigned[] = []
  let previous = state.chainHash
  let tree = openTree(state)
  for (const [i, entry] of entries.entries()) {
    assertSealable(entry, agentId)
    const { record } = entry
    const input = { previous, position: state.length + i, recordHash: recordHash(record) }
    const { position } = input
    const link = { previous, position, recordHash: input.recordHash, chainHash: chainHash(input) }
    const grown = entry.analysed ? grow(tree, leafHash(hexToBytes(link.chainHash))) : undefined
    const inclusion = grown?.inclusion ?? null
    const content = certificateContent({ record, link, inclusion, ...issue })
    const certificateId = content.certificate_id
    sealed.push({
      previous,
      position,
      recordHash: link.recordHash,
      chainHash: link.chainHash,
      leafIndex: inclusion?.index ?? null,
      certificateId,
    })
    unsigned.push({ agentId, content, payload: signedPayload(content) })
    if (grown !== undefined) nodes.push(...grown.completed)
    tree = grown?.tree ?? tree
    previous = link.chainHash
  }
  return {
    state: {
      agentId,
      length: state.length + entries.length,
      chainHash: previous,
      leafCount: tree.size,
      edge: tree.edge.map((node) => node.hash),
    },
    sealed,
    nodes,
    unsigned,
  }
}

/** Refuses records whose certificates could not be verified. */
function assertSealable({ record, analysed }: SealEntry, agentId: string): void {
  if (record.subject.agent_id !== agentId) throw new TypeError('a record of another agent')
  if (record.claims.synthetic === analysed) {
    throw new TypeError('a checkpoint is either analysed or synthetic')
  }
}

/** Adds the signature of the payload. */
export function certify(
  { agentId, content }: Unsigned,
  issue: { keyId: string; signature: Uint8Array },
): NewCertificate {
  return {
    agentId,
    position: content.chain.position,
    certificateId: content.certificate_id,
    signature: issue.signature,
    certificateHash: certificateHash(assembleCertificate(content, issue)),
  }
}

/** A tree by its right edge, which is enough to append to it. */
type Tree = { size: number; edge: readonly MerkleNode[] }

function openTree({ leafCount, edge }: ChainState): Tree {
  const ids = nodesForRoot(leafCount)
  if (edge.length !== ids.length) {
    throw new RangeError(`${edge.length} nodes are not the edge of ${leafCount} leaves`)
  }
  const nodes = ids.map(({ level, index }, i) => ({
    level,
    index,
    hash: edge[i] ?? new Uint8Array(),
  }))
  return { size: leafCount, edge: nodes }
}

/**
 * The old edge, from the right, is the sibling path of the new last leaf. So one walk up yields its
 * proof, the root, and the completed nodes, each hashed once.
 */
function grow({ size, edge }: Tree, leaf: Uint8Array) {
  const siblings = edge.toReversed()
  let top: MerkleNode = { level: 0, index: size, hash: leaf }
  const completed = [top]
  let root = leaf
  for (const left of siblings) {
    root = nodeHash(left.hash, root)
    // Only a subtree as large as its left sibling completes their parent.
    if (left.level !== top.level) continue
    top = { level: top.level + 1, index: left.index / 2, hash: root }
    completed.push(top)
  }
  const merged = completed.length - 1
  return {
    completed,
    tree: { size: size + 1, edge: [...edge.slice(0, edge.length - merged), top] },
    inclusion: {
      leaf,
      index: size,
      size: size + 1,
      proof: siblings.map((node) => node.hash),
      root,
    },
  }
}

import {
  type AttestedRecord,
  assembleCertificate,
  type ContentParts,
  certificateContent,
  certificateHash,
  chainHash,
  hexToBytes,
  leafHash,
  type MerkleNode,
  nodeHash,
  nodesForRoot,
  recordHash,
  signedPayload,
} from '@touchstone/protocol'

/**
 * Sealing: a record joins its agent's chain and, when it was analysed, its tree, and gets its
 * certificate. Everything later needs is computed here, each hash once.
 */

/** The active key, ready to sign: gives the signature in base64. */
export type AttestationSigner = { keyId: string; sign(payload: string): string }

/** Where an agent's chain and tree end. */
export type ChainState = {
  agentId: string
  length: number
  /** Of the last link; null before the first. */
  chainHash: string | null
  leafCount: number
  /** Hashes of nodesForRoot(leafCount), left to right. */
  edge: readonly Uint8Array[]
}

export type Sealer = AttestationSigner & { issuedAt: string; baseUrl: string }

export type SealEntry = { record: AttestedRecord; analysed: boolean }

/** What a checkpoint keeps of its sealing. */
export type Sealed = {
  position: number
  previous: string | null
  recordHash: string
  chainHash: string
  /** Null for a synthetic checkpoint, which is in the chain but not in the tree. */
  leafIndex: number | null
  certificateId: string
}

/** What of a certificate follows from nothing else, but for what the sealer says of all of them. */
export type NewCertificate = {
  agentId: string
  position: number
  certificateId: string
  signature: Uint8Array
  certificateHash: string
}

type Sealing = {
  state: ChainState
  sealed: Sealed[]
  /** Those that became complete. */
  nodes: MerkleNode[]
  certificates: NewCertificate[]
}

/** Seals the records of one agent in the order given. */
export function sealAll(state: ChainState, entries: readonly SealEntry[], sealer: Sealer): Sealing {
  const sealed: Sealed[] = []
  const nodes: MerkleNode[] = []
  const certificates: NewCertificate[] = []
  let previous = state.chainHash
  let tree = openTree(state)
  for (const [i, entry] of entries.entries()) {
    assertSealable(entry, state.agentId)
    const { record } = entry
    const input = { previous, position: state.length + i, recordHash: recordHash(record) }
    const link = { ...input, chainHash: chainHash(input) }
    const grown = entry.analysed ? grow(tree, leafHash(hexToBytes(link.chainHash))) : undefined
    const inclusion = grown?.inclusion ?? null
    const certificate = certify({ record, issuedAt: sealer.issuedAt, link, inclusion }, sealer)
    const { certificateId } = certificate
    sealed.push({ ...link, leafIndex: inclusion?.index ?? null, certificateId })
    certificates.push({ agentId: state.agentId, position: link.position, ...certificate })
    if (grown !== undefined) nodes.push(...grown.completed)
    tree = grown?.tree ?? tree
    previous = link.chainHash
  }
  return {
    state: {
      agentId: state.agentId,
      length: state.length + entries.length,
      chainHash: previous,
      leafCount: tree.size,
      edge: tree.edge.map((node) => node.hash),
    },
    sealed,
    nodes,
    certificates,
  }
}

/** A certificate that could not be verified must never be signed. */
function assertSealable({ record, analysed }: SealEntry, agentId: string): void {
  if (record.subject.agent_id !== agentId) throw new TypeError('a record of another agent')
  if (record.claims.synthetic === analysed) {
    throw new TypeError('a checkpoint is either analysed or synthetic')
  }
}

function certify(parts: ContentParts, sealer: Sealer) {
  const content = certificateContent(parts)
  const signature = Buffer.from(sealer.sign(signedPayload(content)), 'base64')
  const { keyId, baseUrl } = sealer
  return {
    certificateId: content.certificate_id,
    signature,
    certificateHash: certificateHash(assembleCertificate(content, { keyId, signature, baseUrl })),
  }
}

/** A tree by its right edge, which is all that growing needs. */
type Tree = { size: number; edge: readonly MerkleNode[] }

function openTree({ leafCount, edge }: ChainState): Tree {
  const ids = nodesForRoot(leafCount)
  if (edge.length !== ids.length) {
    throw new RangeError(`${edge.length} nodes are not the edge of ${leafCount} leaves`)
  }
  const nodes = ids.map((id, i) => ({ ...id, hash: edge[i] ?? new Uint8Array() }))
  return { size: leafCount, edge: nodes }
}

/**
 * The old edge, from the right, is the path of siblings of the new last leaf. So one walk up gives
 * its proof, the root, and the nodes that become complete on the way, each hashed once.
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

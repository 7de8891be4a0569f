import {
  type AttestedRecord,
  assembleCertificate,
  type Certificate,
  type ChainLink,
  certificateContent,
} from '@touchstone/protocol/evidence'
import {
  type InclusionClaim,
  inclusionProofFromNodes,
  type NodeId,
  nodesForInclusion,
  nodesForRoot,
  type ReadNode,
  rootFromNodes,
} from '@touchstone/protocol/merkle'
import type { NewCertificate } from './seal.ts'

/** A stored checkpoint: the record, rebuilt from its columns, and its place in chain and tree. */
export type SealedCheckpoint = ChainLink & { record: AttestedRecord; leafIndex: number | null }

export type StoredCertificate = NewCertificate & { keyId: string; issuedAt: Date; baseUrl: string }

/** Both the siblings and the nodes of the root, so that tampering shows as a contradiction. */
export function nodesForCertificate(leafIndex: number | null): NodeId[] {
  if (leafIndex === null) return []
  return [
    { level: 0, index: leafIndex },
    ...nodesForInclusion(leafIndex, leafIndex + 1),
    ...nodesForRoot(leafIndex + 1),
  ]
}

/**
 * The certificate as it was issued, unless stored data changed. It is rebuilt without a stored
 * document, so that any change shows in a check of the certificate or in its hash.
 */
export function rebuildCertificate(
  checkpoint: SealedCheckpoint,
  stored: StoredCertificate,
  readNode: ReadNode,
): Certificate {
  const { record, leafIndex } = checkpoint
  const content = certificateContent({
    record,
    issuedAt: stored.issuedAt.toISOString(),
    link: checkpoint,
    inclusion: leafIndex === null ? null : inclusionOf(leafIndex, readNode),
  })
  // The stored id rather than the derived one, so that a change of it shows, too.
  return assembleCertificate({ ...content, certificate_id: stored.certificateId }, stored)
}

/** In the tree whose last leaf this was. */
function inclusionOf(index: number, readNode: ReadNode): InclusionClaim & { root: Uint8Array } {
  const place = { index, size: index + 1 }
  return {
    ...place,
    leaf: readNode(0, index),
    proof: inclusionProofFromNodes(place, readNode),
    root: rootFromNodes(place.size, readNode),
  }
}

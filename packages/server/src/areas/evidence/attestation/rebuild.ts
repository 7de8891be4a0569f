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

/** A checkpoint as it can be read now: the record from its columns, and its place. */
export type SealedCheckpoint = ChainLink & { record: AttestedRecord; leafIndex: number | null }

export type StoredCertificate = NewCertificate & { keyId: string; issuedAt: Date; baseUrl: string }

/** Both the siblings and what the root is made of, so that they can contradict each other. */
export function nodesForCertificate(leafIndex: number | null): NodeId[] {
  if (leafIndex === null) return []
  return [
    { level: 0, index: leafIndex },
    ...nodesForInclusion(leafIndex, leafIndex + 1),
    ...nodesForRoot(leafIndex + 1),
  ]
}

/**
 * The certificate as it was issued, provided that nothing changed since. No stored document is
 * asked: whatever was changed shows in a check of the certificate or in its hash.
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
  // The stored id, not the one that follows from the record, for the same reason.
  return assembleCertificate({ ...content, certificate_id: stored.certificateId }, stored)
}

/** As it was when the leaf was the last one. */
function inclusionOf(index: number, readNode: ReadNode): InclusionClaim & { root: Uint8Array } {
  const place = { index, size: index + 1 }
  return {
    ...place,
    leaf: readNode(0, index),
    proof: inclusionProofFromNodes(place, readNode),
    root: rootFromNodes(place.size, readNode),
  }
}

import type { InclusionClaim } from '../merkle/merkle.ts'
import {
  inclusionProofFromNodes,
  type NodeId,
  nodesForInclusion,
  nodesForRoot,
  type ReadNode,
  rootFromNodes,
} from '../merkle/merkle-nodes.ts'
import { assembleCertificate, type Certificate, certificateContent } from './certificate.ts'
import type { ChainLink } from './hash-chain.ts'
import type { AttestedRecord } from './record.ts'

/** A stored record, rebuilt from its columns, and its place in chain and tree. */
export type SealedRecord = ChainLink & { record: AttestedRecord; leafIndex: number | null }

/** The stored parts of a certificate that cannot be derived. */
export type StoredCertificate = {
  agentId: string
  position: number
  certificateId: string
  signature: Uint8Array
  certificateHash: string
  keyId: string
  issuedAt: Date
  baseUrl: string
}

/** Both the siblings and the nodes of the root, so that tampering shows as a contradiction. */
export function nodesForCertificate(leafIndex: number | null): NodeId[] {
  if (leafIndex === null) return []
  return [
    { level: 0, index: leafIndex },
    ...nodesForInclusion(leafIndex, leafIndex + 1),
    ...nodesForRoot(leafIndex + 1),
  ]
}

/** Without duplicates: neighbouring leaves share most of their nodes. */
export function nodesForCertificates(leafIndexes: readonly (number | null)[]): NodeId[] {
  const distinct = new Map<string, NodeId>()
  for (const leafIndex of leafIndexes) {
    for (const id of nodesForCertificate(leafIndex)) distinct.set(`${id.level}/${id.index}`, id)
  }
  return [...distinct.values()]
}

/**
 * The certificate as it was issued, unless stored data changed. It is rebuilt without a stored
 * document, so that any change shows in a check of the certificate or in its hash.
 */
export function rebuildCertificate(
  checkpoint: SealedRecord,
  stored: StoredCertificate,
  readNode: ReadNode,
): Certificate {
  const { record, leafIndex } = checkpoint
  const content = certificateContent({
    record,
    issuedAt: stored.issuedAt.toISOString(),
    link: checkpoint,
    inclusion: leafIndex === null ? null : inclusionOf(leafIndex, readNode),
    baseUrl: stored.baseUrl,
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

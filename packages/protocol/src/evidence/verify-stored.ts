import { verifyEd25519 } from '../crypto/signature.ts'
import { type MerkleNode, nodeLookup, type ReadNode } from '../merkle/merkle-nodes.ts'
import { certificateHash } from './certificate.ts'
import { type Checkpoint, recordOf, type Seal } from './checkpoint.ts'
import { walkChain } from './hash-chain.ts'
import { nodesForCertificates, rebuildCertificate, type StoredCertificate } from './rebuild.ts'
import { type AttestedRecord, recordHash } from './record.ts'
import { isSoundRebuilt, type TrustedKey, type VerifySignature } from './verify-certificate.ts'

/** A checkpoint as stored now, and what its neighbours and the index say about it. */
export type StoredRow = {
  checkpoint: Checkpoint
  seal: Seal
  /** Whether the index by id points to it. */
  owned: boolean
  /** The chain hash stored at the position before; null at position 0 and if there is none. */
  before: string | null
}

/** Structured clones, because a worker thread verifies them. */
export type StoredRows = {
  rows: readonly StoredRow[]
  certificates: readonly StoredCertificate[]
  /** The hashes of `nodesForCertificates` of the rows, in its order; zeros for a missing node. */
  nodeHashes: Uint8Array
  keys: readonly TrustedKey[]
}

/** The first row that was changed, and the part that shows it. */
export type StoredFault = {
  position: number
  what: 'record_hash' | 'previous_hash' | 'chain_hash' | 'leaf_index' | 'owner' | 'certificate'
}

type What = StoredFault['what']

const HASH_BYTES = 32

/**
 * Recomputes record hash, link, leaf and signature of each row from its columns. Unlike a walk it
 * needs no neighbours, so it can check any sample of a chain. The rows are in order of position. A
 * server can pass a faster way to verify signatures.
 */
export function verifyStored(
  given: StoredRows,
  verifySignature: VerifySignature = verifyEd25519,
): StoredFault | null {
  const stored = new Map(given.certificates.map((one) => [one.position, one]))
  const readNode = nodeLookup(nodesOf(given))
  for (const row of given.rows) {
    const { position } = row.seal
    const what = faultOf(row, {
      stored: stored.get(position),
      readNode,
      keys: given.keys,
      verifySignature,
    })
    if (what !== undefined) return { position, what }
  }
  return null
}

function nodesOf({ rows, nodeHashes }: StoredRows): MerkleNode[] {
  const ids = nodesForCertificates(rows.map(({ seal }) => seal.leafIndex))
  return ids.map(({ level, index }, i) => {
    return { level, index, hash: nodeHashes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES) }
  })
}

type Evidence = {
  stored: StoredCertificate | undefined
  readNode: ReadNode
  keys: readonly TrustedKey[]
  verifySignature: VerifySignature
}

function faultOf({ checkpoint, seal, owned, before }: StoredRow, evidence: Evidence) {
  const record = findRecord(checkpoint)
  if (record === undefined || hashOf(record) !== seal.recordHash) return 'record_hash' as const
  const link = linkFault(seal, before)
  if (link !== undefined) return link
  if (record.claims.synthetic !== (seal.leafIndex === null)) return 'leaf_index' as const
  if (!owned) return 'owner' as const
  return isIssued({ ...seal, record }, evidence) ? undefined : ('certificate' as const)
}

function linkFault(seal: Seal, before: string | null): What | undefined {
  if (seal.previous !== before) return 'previous_hash'
  const head = before === null ? null : { position: seal.position - 1, chainHash: before }
  return walkChain([seal], head).valid ? undefined : 'chain_hash'
}

/** Whether the certificate is the one that was issued, down to its leaf and signature. */
function isIssued(
  sealed: Seal & { record: AttestedRecord },
  { stored, readNode, ...trusted }: Evidence,
): boolean {
  if (stored === undefined) return false
  try {
    const certificate = rebuildCertificate(sealed, stored, readNode)
    return (
      certificateHash(certificate) === stored.certificateHash &&
      isSoundRebuilt(certificate, trusted)
    )
  } catch (err) {
    if (isUnusable(err)) return false
    throw err
  }
}

/** Changed columns can hold values from which no record can be built. */
function findRecord(checkpoint: Checkpoint): AttestedRecord | undefined {
  try {
    return recordOf(checkpoint)
  } catch {
    return undefined
  }
}

/** Or values that canonical JSON cannot express, such as NaN. */
function hashOf(record: AttestedRecord): string | undefined {
  try {
    return recordHash(record)
  } catch {
    return undefined
  }
}

function isUnusable(err: unknown): boolean {
  return err instanceof TypeError || err instanceof RangeError
}

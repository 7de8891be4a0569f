import { bytesToHex, hexToBytes } from '@touchstone/protocol/base'
import { keccak256Hex } from '@touchstone/protocol/crypto'
import {
  type Certificate,
  nodesForCertificates,
  rebuildCertificate,
  type SealedRecord,
  type StoredCertificate,
} from '@touchstone/protocol/evidence'
import {
  consistencyProofFromNodes,
  inclusionPath,
  inclusionProofFromNodes,
  leafHash,
  type NodeId,
  nodeLookup,
  nodesForConsistency,
  nodesForInclusion,
  nodesForRoot,
  type PathItem,
  type ReadNode,
  rootFromNodes,
  treeDepth,
  treeHeadPayload,
  verifyInclusion,
} from '@touchstone/protocol/merkle'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createCertificateStore } from './certificate-store.ts'
import type { Agents, Checkpoints } from './ports.ts'
import {
  type ChainState,
  certify,
  chainAll,
  type NewCertificate,
  type SealEntry,
  type Sealed,
  type Unsigned,
} from './seal.ts'

/** The active key, ready to sign. */
export type AttestationSigner = {
  keyId: string
  /** Returns base64. */
  sign(payload: string): string
  /** Signs on a worker thread. */
  signOnWorker(payload: string): Promise<Buffer>
}

export type CertificateDeps = {
  db: Db
  /** Without a trailing slash. Certificates contain the URL at which they can be verified. */
  baseUrl: string
  agents: Agents
  checkpoints: Checkpoints
  signer(): Promise<AttestationSigner>
}

/** The records of one agent to seal. */
export type SealBatch = { state: ChainState; entries: readonly SealEntry[] }

export type SealedBatch = { state: ChainState; sealed: readonly Sealed[] }

/** A result, and whether its agent belongs to the caller's organisation. */
export type View<T> = { value: T; isOwner: boolean }

export type Rebuilt = {
  certificate: Certificate
  /** As stored when the certificate was issued. */
  certificateHash: string
}

export type Inclusion = {
  checkpointId: string
  leafHash: string
  leafIndex: number
  siblings: PathItem[]
  root: string
  treeSize: number
  verified: boolean
}

export type SignedTreeHead = {
  agentId: string
  merkleRoot: string
  treeDepth: number
  leafCount: number
  lastUpdated: Date
  keyId: string
  signature: string
}

export type Consistency = {
  first: number
  second: number
  firstRoot: string
  secondRoot: string
  proof: string[]
}

export function createCertificateService(deps: CertificateDeps) {
  const seals = createSeals(deps)
  const certificates = createCertificates(deps)
  const proofs = createProofs(deps)
  return {
    seal: seals.seal,
    erase: seals.erase,

    rebuild: certificates.rebuild,
    storedAt: certificates.storedAt,
    nodesOf: certificates.nodesOf,
    findCertificates: certificates.findCertificates,
    certificateHashes: certificates.certificateHashes,
    getCertificate: certificates.getCertificate,

    getTreeHead: proofs.getTreeHead,
    proveConsistency: proofs.proveConsistency,
    proveInclusion: proofs.proveInclusion,
  }
}

function createSeals(deps: CertificateDeps) {
  return {
    /**
     * One statement, whatever the number of agents and records. The caller gets the signer before
     * the transaction and has locked the chains.
     */
    async seal(
      tx: Db,
      signer: AttestationSigner,
      batches: readonly SealBatch[],
      issuedAt: Date,
    ): Promise<readonly SealedBatch[]> {
      const { baseUrl } = deps
      const stated = { issuedAt: issuedAt.toISOString(), baseUrl }
      const made = batches.map(({ state, entries }) => chainAll(state, entries, stated))
      const nodes = made.flatMap(({ state: { agentId }, nodes: completed }) =>
        completed.map(({ level, index, hash }) => ({ agentId, level, index, hash })),
      )
      const unsigned = made.flatMap((one) => one.unsigned)
      const certificates = await signAll(unsigned, signer)
      const issue = { keyId: signer.keyId, issuedAt, baseUrl }
      await createCertificateStore(tx).insert(nodes, certificates, issue)
      return made.map(({ state, sealed }) => ({ state, sealed }))
    },

    /** Keeps the leaves under a hash that does not reveal the id. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      const store = createCertificateStore(tx)
      await store.keepLeaves(agentId, keccak256Hex(agentId))
      await store.deleteOfAgent(agentId)
    },
  }
}

async function signAll(
  unsigned: readonly Unsigned[],
  signer: AttestationSigner,
): Promise<NewCertificate[]> {
  const { keyId } = signer
  const certified = unsigned.map(async (one) => {
    const signature = await signer.signOnWorker(one.payload)
    return certify(one, { keyId, signature })
  })
  return Promise.all(certified)
}

/** Certificates, rebuilt one at a time for readers and in batches for the auditor. */
function createCertificates(deps: CertificateDeps) {
  const store = createCertificateStore(deps.db)

  /** The certificate of each checkpoint, rebuilt from stored data; undefined if a part is missing. */
  const rebuild = async (
    agentId: string,
    checkpoints: readonly SealedRecord[],
  ): Promise<(Rebuilt | undefined)[]> => {
    const positions = checkpoints.map((checkpoint) => checkpoint.position)
    const stored = await store.listCertificatesAt(agentId, positions)
    const byPosition = new Map(stored.map((row) => [row.position, row]))
    const ids = nodesForCertificates(checkpoints.map(({ leafIndex }) => leafIndex))
    const readNode = nodeLookup(await store.listNodes(agentId, ids))
    return checkpoints.map((checkpoint) =>
      rebuildOne(checkpoint, byPosition.get(checkpoint.position), readNode),
    )
  }

  return {
    nodesOf: store.listNodes,
    findCertificates: store.listCertificates,
    rebuild,

    /** The stored parts of the certificates at these places, for a worker that rebuilds them. */
    async storedAt(
      agentId: string,
      places: readonly { position: number; leafIndex: number | null }[],
    ): Promise<{ certificates: StoredCertificate[]; nodeHashes: Uint8Array }> {
      const positions = places.map(({ position }) => position)
      const certificates = await store.listCertificatesAt(agentId, positions)
      const ids = nodesForCertificates(places.map(({ leafIndex }) => leafIndex))
      return { certificates, nodeHashes: await store.hashesOf(agentId, ids) }
    },

    /** In hex by position, as stored when the certificates were issued. */
    certificateHashes: store.hashesAt,

    async getCertificate(
      checkpointId: string,
      orgIds: readonly string[],
    ): Promise<View<Certificate>> {
      const { checkpoint, isOwner } = await getVisible(deps, checkpointId, orgIds)
      const [rebuilt] = await rebuild(checkpoint.agentId, [checkpoint])
      if (rebuilt === undefined)
        throw new Error(`a stored part of the certificate of ${checkpointId} is missing`)
      return { value: rebuilt.certificate, isOwner }
    },
  }
}

function rebuildOne(
  checkpoint: SealedRecord,
  stored: StoredCertificate | undefined,
  readNode: ReadNode,
): Rebuilt | undefined {
  if (stored === undefined) return undefined
  try {
    const certificate = rebuildCertificate(checkpoint, stored, readNode)
    return { certificate, certificateHash: stored.certificateHash }
  } catch (err) {
    // A node is missing.
    if (err instanceof RangeError) return undefined
    throw err
  }
}

/** Proofs about the tree, from O(log n) nodes that one query reads. */
function createProofs(deps: CertificateDeps) {
  const store = createCertificateStore(deps.db)
  const read = async (agentId: string, ids: NodeId[]): Promise<ReadNode> =>
    nodeLookup(await store.listNodes(agentId, ids))
  const leafCountOf = async (agentId: string): Promise<number> =>
    (await deps.checkpoints.findHead(agentId))?.leafCount ?? 0

  return {
    async proveInclusion(
      checkpointId: string,
      orgIds: readonly string[],
      treeSize: number | undefined,
    ): Promise<View<Inclusion>> {
      const { checkpoint, isOwner } = await getVisible(deps, checkpointId, orgIds)
      const { agentId, leafIndex: index } = checkpoint
      if (index === null) {
        throw new Problem('not_found', 'A synthetic checkpoint is not in the tree.')
      }
      const leafCount = await leafCountOf(agentId)
      const size = treeSize ?? leafCount
      if (size <= index || size > leafCount) {
        throw outOfRange('tree_size', `must be from ${index + 1} to ${leafCount}`)
      }
      const ids = [{ level: 0, index }, ...nodesForInclusion(index, size), ...nodesForRoot(size)]
      const readNode = await read(agentId, ids)
      return { value: inclusionOf({ checkpointId, ...checkpoint, index, size }, readNode), isOwner }
    },

    async getTreeHead(agentId: string, orgIds: readonly string[]): Promise<View<SignedTreeHead>> {
      const { own: isOwner } = await deps.agents.get(agentId, orgIds)
      const head = await deps.checkpoints.findHead(agentId)
      if (head === undefined || head.leafCount === 0) {
        throw new Problem('not_found', 'The agent has no analysed checkpoint yet.')
      }
      const { leafCount, updatedAt: lastUpdated } = head
      const readNode = await read(agentId, nodesForRoot(leafCount))
      const merkleRoot = bytesToHex(rootFromNodes(leafCount, readNode))
      const { keyId, sign } = await deps.signer()
      const payload = treeHeadPayload({
        agent_id: agentId,
        leaf_count: leafCount,
        merkle_root: merkleRoot,
      })
      const tree = { agentId, merkleRoot, treeDepth: treeDepth(leafCount), leafCount, lastUpdated }
      return { value: { ...tree, keyId, signature: sign(payload) }, isOwner }
    },

    async proveConsistency(
      agentId: string,
      orgIds: readonly string[],
      { first, second }: { first: number; second: number },
    ): Promise<View<Consistency>> {
      const { own: isOwner } = await deps.agents.get(agentId, orgIds)
      const leafCount = await leafCountOf(agentId)
      if (second > leafCount) throw outOfRange('second', `must be at most ${leafCount}`)
      if (first < 1 || first > second) throw outOfRange('first', `must be from 1 to ${second}`)
      const readNode = await read(agentId, [
        ...nodesForConsistency(first, second),
        ...nodesForRoot(first),
        ...nodesForRoot(second),
      ])
      const firstRoot = bytesToHex(rootFromNodes(first, readNode))
      const secondRoot = bytesToHex(rootFromNodes(second, readNode))
      const proof = consistencyProofFromNodes({ first, second }, readNode).map(bytesToHex)
      return { value: { first, second, firstRoot, secondRoot, proof }, isOwner }
    },
  }
}

type Place = { checkpointId: string; chainHash: string; index: number; size: number }

/** Verified as an outsider would, and against the chain hash that the leaf must be derived from. */
function inclusionOf(place: Place, readNode: ReadNode): Inclusion {
  const leaf = readNode(0, place.index)
  const root = rootFromNodes(place.size, readNode)
  const proof = inclusionProofFromNodes(place, readNode)
  const derived = bytesToHex(leafHash(hexToBytes(place.chainHash)))
  const { index, size } = place
  return {
    checkpointId: place.checkpointId,
    leafHash: bytesToHex(leaf),
    leafIndex: index,
    siblings: inclusionPath(place, proof),
    root: bytesToHex(root),
    treeSize: size,
    verified: bytesToHex(leaf) === derived && verifyInclusion({ leaf, index, size, proof }, root),
  }
}

/** A checkpoint of a hidden agent gets the same answer as a missing one. */
async function getVisible(deps: CertificateDeps, checkpointId: string, orgIds: readonly string[]) {
  const checkpoint = await deps.checkpoints.findSealed(checkpointId)
  if (checkpoint === undefined) throw noCheckpoint()
  try {
    const { own: isOwner } = await deps.agents.get(checkpoint.agentId, orgIds)
    return { checkpoint, isOwner }
  } catch (err) {
    if (err instanceof Problem && err.code === 'agent_not_found') throw noCheckpoint()
    throw err
  }
}

function noCheckpoint(): Problem {
  return new Problem('checkpoint_not_found', 'No such checkpoint.')
}

function outOfRange(field: string, message: string): Problem {
  const details = [{ path: `/${field}`, code: 'range', message }]
  return new Problem('validation_error', `${field}: ${message}`, { details })
}

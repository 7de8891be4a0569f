import { hexToBytes } from '@touchstone/protocol/base'
import {
  type AttestedRecord,
  type Certificate,
  type ChainLink,
  certificateHash,
  recordHash,
  walkChain,
} from '@touchstone/protocol/evidence'
import {
  appendedNodes,
  leafHash,
  type MerkleNode,
  nodeLookup,
  nodesForRoot,
} from '@touchstone/protocol/merkle'

/**
 * Verifies one slice of a chain. Compares stored hashes with those recomputed from the published
 * columns and the walk so far; trusts no stored hash.
 */

/** The part of a checkpoint, or of the end of the chain, that was changed. */
export type What =
  | 'position'
  | 'previous_hash'
  | 'record_hash'
  | 'chain_hash'
  | 'leaf_index'
  | 'owner'
  | 'merkle_node'
  | 'certificate'
  | 'head'
  | 'rewritten'
  | 'cut_off'

/** The position of the first wrong checkpoint; for a wrong head, the one after the last. */
export type Fault = { position: number; what: What }

/** The progress of a walk, and the state that the next checkpoint must link to. */
export type Walk = {
  /** The next position, which is also the number of checkpoints walked. */
  position: number
  chainHash: string | null
  leafCount: number
  /** Hashes of nodesForRoot(leafCount), left to right. */
  edge: readonly Uint8Array[]
}

/** A checkpoint as stored now. */
export type StoredLink = ChainLink & {
  /** Rebuilt from the columns; undefined if they were changed so that no record can be built. */
  record: AttestedRecord | undefined
  leafIndex: number | null
  /** Whether the index by id points to it. */
  owned: boolean
}

export type SoundLink = StoredLink & { record: AttestedRecord }

/** A node that a checkpoint completed. */
export type PlacedNode = MerkleNode & { position: number }

type WalkedLinks = {
  walk: Walk
  /** The links before the first fault. */
  sound: SoundLink[]
  /** The tree nodes that must be stored for them. */
  nodes: PlacedNode[]
  fault: Fault | undefined
}

export const START: Walk = { position: 0, chainHash: null, leafCount: 0, edge: [] }

/** Advances the walk over the checkpoints in the order read, up to the first fault. */
export function walkLinks(from: Walk, links: readonly StoredLink[]): WalkedLinks {
  const sound: SoundLink[] = []
  const nodes: PlacedNode[] = []
  let walk = from
  for (const link of links) {
    const { position } = walk
    if (!isSound(link)) return { walk, sound, nodes, fault: { position, what: 'record_hash' } }
    const what = checkLink(link, walk)
    if (what !== undefined) return { walk, sound, nodes, fault: { position, what } }
    const completed = link.leafIndex === null ? [] : completedBy(link, walk)
    for (const node of completed) nodes.push({ ...node, position })
    sound.push(link)
    walk = stepOver(link, walk, completed)
  }
  return { walk, sound, nodes, fault: undefined }
}

const CHAIN_FAULTS = { gap: 'position', previous: 'previous_hash', hash: 'chain_hash' } as const

function isSound(link: StoredLink): link is SoundLink {
  return link.record !== undefined
}

function checkLink(link: SoundLink, { position, chainHash, leafCount }: Walk): What | undefined {
  const before = chainHash === null ? null : { position: position - 1, chainHash }
  const chain = walkChain([link], before)
  if (!chain.valid) return CHAIN_FAULTS[chain.reason]
  if (hashOf(link.record) !== link.recordHash) return 'record_hash'
  if (link.leafIndex !== (link.record.claims.synthetic ? null : leafCount)) return 'leaf_index'
  return link.owned ? undefined : 'owner'
}

function hashOf(record: AttestedRecord): string | undefined {
  try {
    return recordHash(record)
  } catch {
    // Tampered columns can hold values that canonical JSON cannot express, such as NaN.
    return undefined
  }
}

function edgeNodes({ leafCount, edge }: Walk): MerkleNode[] {
  return nodesForRoot(leafCount).map((id, i) => ({ ...id, hash: edge[i] ?? new Uint8Array() }))
}

function completedBy({ chainHash }: StoredLink, walk: Walk): MerkleNode[] {
  return appendedNodes(walk.leafCount, leafHash(hexToBytes(chainHash)), nodeLookup(edgeNodes(walk)))
}

function stepOver(link: StoredLink, walk: Walk, completed: readonly MerkleNode[]): Walk {
  const stepped = { ...walk, position: walk.position + 1, chainHash: link.chainHash }
  const top = completed.at(-1)
  if (top === undefined) return stepped
  // Every completed parent replaces one node of the old edge.
  const kept = walk.edge.slice(0, walk.edge.length - (completed.length - 1))
  return { ...stepped, leafCount: walk.leafCount + 1, edge: [...kept, top.hash] }
}

/** The first node that is missing or differs from the expected one. */
export function checkNodes(
  expected: readonly PlacedNode[],
  stored: readonly MerkleNode[],
): Fault | undefined {
  const hashes = new Map(stored.map(({ level, index, hash }) => [`${level}/${index}`, hash]))
  const wrong = expected.find(({ level, index, hash }) => {
    const found = hashes.get(`${level}/${index}`)
    return found === undefined || !isEqual(found, hash)
  })
  return wrong && { position: wrong.position, what: 'merkle_node' }
}

/**
 * The first certificate that is missing or differs from the issued one. Signatures need no
 * verification: the hash covers them.
 */
export function checkCertificates(
  links: readonly SoundLink[],
  rebuilt: readonly ({ certificate: Certificate; certificateHash: string } | undefined)[],
): Fault | undefined {
  const at = links.findIndex((_, i) => {
    const held = rebuilt[i]
    return held === undefined || certificateHash(held.certificate) !== held.certificateHash
  })
  const wrong = links[at]
  return wrong && { position: wrong.position, what: 'certificate' }
}

/** Only for a walk that reached the end of the chain as it was when the head was read. */
export function checkHead(walk: Walk, head: Walk | undefined): Fault | undefined {
  const agrees =
    head !== undefined &&
    head.position === walk.position &&
    head.chainHash === walk.chainHash &&
    head.leafCount === walk.leafCount &&
    head.edge.length === walk.edge.length &&
    walk.edge.every((hash, i) => isEqual(hash, head.edge[i] ?? new Uint8Array()))
  return agrees ? undefined : { position: walk.position, what: 'head' }
}

/** The end of an earlier walk. */
export type Milestone = Pick<Walk, 'position' | 'chainHash'>

/**
 * Checks that the end of an earlier walk is still in the chain. A chain that was truncated or
 * rewritten from some position is consistent in itself, so only this finds it.
 */
export function checkMilestone(
  { position, chainHash }: Milestone,
  { sound, walk, atEnd }: { sound: readonly SoundLink[]; walk: Walk; atEnd: boolean },
): Fault | undefined {
  const last = sound.find((link) => link.position === position - 1)
  if (last !== undefined && last.chainHash !== chainHash) {
    return { position: last.position, what: 'rewritten' }
  }
  return atEnd && walk.position < position
    ? { position: walk.position, what: 'cut_off' }
    : undefined
}

/** The fault that comes first in the chain. */
export function firstOf(faults: readonly (Fault | undefined)[]): Fault | undefined {
  return faults
    .flatMap((fault) => fault ?? [])
    .reduce<Fault | undefined>(
      (first, fault) => (first === undefined || fault.position < first.position ? fault : first),
      undefined,
    )
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}

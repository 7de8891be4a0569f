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
 * The judgement of one slice of a chain. Whatever is stored is held against what follows from the
 * columns that everybody reads, and from the walk so far; no stored hash is believed.
 */

/** What of a stored checkpoint, or at the end of the chain, is not as it was written. */
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

/** The position is that of the first checkpoint that is not right; a wrong head is beyond all. */
export type Fault = { position: number; what: What }

/** How far a walk has come, and what the next checkpoint has to join. */
export type Walk = {
  /** The next one; so many checkpoints are behind. */
  position: number
  chainHash: string | null
  leafCount: number
  /** Hashes of nodesForRoot(leafCount), left to right. */
  edge: readonly Uint8Array[]
}

/** A checkpoint as it is stored now. */
export type StoredLink = ChainLink & {
  /** Made of the columns; undefined when they hold what no record can say. */
  record: AttestedRecord | undefined
  leafIndex: number | null
  /** Whether its id leads to it. */
  owned: boolean
}

export type SoundLink = StoredLink & { record: AttestedRecord }

/** A node that a checkpoint completed. */
export type PlacedNode = MerkleNode & { position: number }

type Joined = {
  walk: Walk
  /** Those before the first fault. */
  sound: SoundLink[]
  /** What must be stored of the tree for them. */
  nodes: PlacedNode[]
  fault: Fault | undefined
}

export const START: Walk = { position: 0, chainHash: null, leafCount: 0, edge: [] }

/** Takes the walk over the checkpoints, in the order they are read in, up to the first fault. */
export function joinLinks(from: Walk, links: readonly StoredLink[]): Joined {
  const sound: SoundLink[] = []
  const nodes: PlacedNode[] = []
  let walk = from
  for (const link of links) {
    const { position } = walk
    if (!isSound(link)) return { walk, sound, nodes, fault: { position, what: 'record_hash' } }
    const what = judgeLink(link, walk)
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

function judgeLink(link: SoundLink, { position, chainHash, leafCount }: Walk): What | undefined {
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
    // Columns can be made to hold what canonical JSON cannot say, such as no number.
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
  // Every parent that became complete took one node of the old edge with it.
  const kept = walk.edge.slice(0, walk.edge.length - (completed.length - 1))
  return { ...stepped, leafCount: walk.leafCount + 1, edge: [...kept, top.hash] }
}

/** The first node that is not stored as it must be. */
export function judgeNodes(
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
 * The first certificate that is missing or is not the one that was issued. Signatures are not
 * verified again: the hash covers their values, so none of them can have changed.
 */
export function judgeCertificates(
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

/** Only for a walk that has come to the end of what there was when the head was read. */
export function judgeHead(walk: Walk, head: Walk | undefined): Fault | undefined {
  const agrees =
    head !== undefined &&
    head.position === walk.position &&
    head.chainHash === walk.chainHash &&
    head.leafCount === walk.leafCount &&
    head.edge.length === walk.edge.length &&
    walk.edge.every((hash, i) => isEqual(hash, head.edge[i] ?? new Uint8Array()))
  return agrees ? undefined : { position: walk.position, what: 'head' }
}

/** Where an earlier walk ended. */
export type Milestone = Pick<Walk, 'position' | 'chainHash'>

/**
 * What was once found right must still be there. A chain whose end was cut off, or that was made
 * anew from some place on, is without a fault in itself; only the memory of it tells.
 */
export function judgeMilestone(
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

/** The one that comes first in the chain. */
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

import { hash } from 'node:crypto'
import { bytesToHex } from '@touchstone/protocol/base'
import {
  createMerkleTree,
  leafHash,
  type MerkleTree,
  nodeHash,
  verifyConsistency,
  verifyInclusion,
} from '@touchstone/protocol/merkle'
import { median, report } from './report.ts'

const LEAVES = 1_000_000
const ROUNDS = 5
const PROOFS = 2_000
/** Our own limits. */
const APPEND_US_MAX = 3
const MEMORY_MB_MAX = 120
const PROOF_US_MAX = 200

/** A few distinct leaves that are reused, so that creating them is not measured. */
const POOL = Array.from({ length: 1024 }, (_, i) => leafHash(Uint8Array.of(i & 0xff, i >> 8)))
const leafAt = (i: number) => POOL[i % POOL.length] ?? new Uint8Array(32)

function microseconds(times: number, work: () => void): number {
  const before = performance.now()
  work()
  return ((performance.now() - before) * 1000) / times
}

function grow(): MerkleTree {
  const tree = createMerkleTree()
  for (let i = 0; i < LEAVES; i++) tree.append(leafAt(i))
  return tree
}

/** Computes the same number of hashes of the same length with node:crypto, and nothing else. */
function plainHashes(): void {
  const input = new Uint8Array(65)
  for (let i = 0; i < LEAVES; i++) {
    input.set(leafAt(i), 1)
    hash('sha256', input, 'buffer')
  }
}

/** Typed arrays live outside the JavaScript heap, so both are counted. */
function memoryMb(): number {
  globalThis.gc?.()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return (heapUsed + arrayBuffers) / 2 ** 20
}

/** Visits indexes spread over the whole tree, the same in each run. */
function forEachIndex(visit: (index: number) => void): void {
  for (let i = 0; i < PROOFS; i++) visit((i * 7919 * 61) % LEAVES)
}

const memoryBefore = memoryMb()
const tree = grow()
const memory = memoryMb() - memoryBefore

const figures = {
  append: [0],
  plain: [0],
  inclusion: [0],
  consistency: [0],
  verify: [0],
  node: [0],
}
for (const name of Object.keys(figures) as (keyof typeof figures)[]) figures[name] = []
const [left, right] = [leafAt(0), leafAt(1)]
for (let round = 0; round <= ROUNDS; round += 1) {
  const plain = microseconds(LEAVES, plainHashes)
  const append = microseconds(LEAVES, grow)
  const inclusion = microseconds(PROOFS, () => forEachIndex((index) => tree.inclusionProof(index)))
  const consistency = microseconds(PROOFS, () =>
    forEachIndex((first) => tree.consistencyProof(first + 1)),
  )
  const root = tree.root()
  const claims: Parameters<typeof verifyInclusion>[0][] = []
  forEachIndex((index) => {
    claims.push({ leaf: leafAt(index), index, size: LEAVES, proof: tree.inclusionProof(index) })
  })
  const verify = microseconds(PROOFS, () => {
    if (!claims.every((claim) => verifyInclusion(claim, root)))
      throw new Error('an inclusion proof did not verify')
  })
  const node = microseconds(PROOFS * 20, () => {
    for (let i = 0; i < PROOFS * 20; i++) nodeHash(left, right)
  })
  // The first round is a warm-up.
  if (round === 0) continue
  for (const [name, value] of Object.entries({
    plain,
    append,
    inclusion,
    consistency,
    verify,
    node,
  })) {
    figures[name as keyof typeof figures].push(value)
  }
  process.stdout.write('.')
}

const consistent = verifyConsistency({
  first: LEAVES / 2 + 1,
  second: LEAVES,
  firstRoot: tree.root(LEAVES / 2 + 1),
  secondRoot: tree.root(),
  proof: tree.consistencyProof(LEAVES / 2 + 1),
})
if (!consistent) throw new Error('the consistency proof did not verify')
process.stdout.write(`\nroot ${bytesToHex(tree.root())}\n`)

const limit = 'our maximum'
const plainName = 'node:crypto, same number of hashes'
/** One hash for each level of a tree with a million leaves. */
const pathName = '20 × nodeHash'
const path = 20 * median(figures.node)
report('merkle', [
  {
    what: 'append',
    unit: 'µs',
    ours: median(figures.append),
    peer: APPEND_US_MAX,
    peerName: limit,
  },
  {
    what: 'append',
    unit: 'µs',
    ours: median(figures.append),
    peer: median(figures.plain),
    peerName: plainName,
  },
  {
    what: 'memory for a million leaves',
    unit: 'MB',
    ours: memory,
    peer: MEMORY_MB_MAX,
    peerName: limit,
  },
  {
    what: 'create an inclusion proof',
    unit: 'µs',
    ours: median(figures.inclusion),
    peer: PROOF_US_MAX,
    peerName: limit,
  },
  {
    what: 'create a consistency proof',
    unit: 'µs',
    ours: median(figures.consistency),
    peer: PROOF_US_MAX,
    peerName: limit,
  },
  {
    what: 'verify an inclusion proof',
    unit: 'µs',
    ours: median(figures.verify),
    peer: path,
    peerName: pathName,
  },
])

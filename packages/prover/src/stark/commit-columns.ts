import { evaluateOnCoset } from '../field/ntt.ts'
import { createMerkleTree, hashLeaf } from '../hash/merkle.ts'
import type { Layer } from './fri.ts'
import { type Openings, SALT_BYTES } from './proof.ts'
import type { Randomness } from './randomness.ts'

export type CommittedColumns = {
  root: Uint8Array
  /** The values of each column on the evaluation domain. */
  values: readonly Int32Array[]
  open(positions: readonly number[]): Openings
}

/**
 * Evaluates polynomials on the domain and commits to all of them point by point. Every leaf has its
 * own salt, so that the digests of unopened leaves reveal nothing.
 */
export function commitColumns(
  polynomials: readonly Int32Array[],
  domain: Layer,
  randomness: Randomness,
): CommittedColumns {
  const values = polynomials.map((polynomial) => evaluateOnCoset(polynomial, domain))
  const contents = leafContents(values, domain.size, randomness)
  const tree = createMerkleTree(contents.map(hashLeaf))
  const saltOf = (position: number) => contents[position]?.slice(0, SALT_BYTES) ?? new Uint8Array()
  return {
    root: tree.root,
    values,
    open: (positions) => ({
      salts: positions.map(saltOf),
      leaves: positions.map((position) => values.map((column) => column[position] ?? 0)),
      siblings: tree.open(positions),
    }),
  }
}

function leafContents(
  values: readonly Int32Array[],
  size: number,
  randomness: Randomness,
): Uint8Array[] {
  const length = SALT_BYTES + 4 * values.length
  const all = new Uint8Array(size * length)
  const view = new DataView(all.buffer)
  for (const [c, column] of values.entries()) {
    let at = SALT_BYTES + 4 * c
    for (let i = 0; i < size; i += 1, at += length) view.setInt32(at, column[i] ?? 0, true)
  }
  return Array.from({ length: size }, (_, i) => {
    const content = all.subarray(i * length, (i + 1) * length)
    content.set(randomness.bytes(SALT_BYTES))
    return content
  })
}

import { bytesToHex, hexToBytes, isHashHex } from '../base/encoding.ts'
import { type Side, siblingSides } from './merkle.ts'

/** An inclusion proof as certificates and the API write it, leaf to root. */
export type PathItem = {
  hash: string
  /** The side of this sibling. It follows from index and size, and is checked. */
  position: Side
}

type Leaf = { index: number; size: number }

export function inclusionPath({ index, size }: Leaf, proof: readonly Uint8Array[]): PathItem[] {
  const sides = siblingSides(index, size)
  if (sides?.length !== proof.length) {
    throw new RangeError(`not an inclusion proof for leaf ${index} of ${size}`)
  }
  return sides.map((position, i) => ({ hash: bytesToHex(proof[i] ?? new Uint8Array()), position }))
}

/** Undefined unless the path has exactly the shape implied by index and size. */
export function proofFromPath(
  { index, size }: Leaf,
  path: readonly { hash: string; position: string }[],
): Uint8Array[] | undefined {
  const sides = siblingSides(index, size)
  const fits =
    sides?.length === path.length &&
    path.every(({ hash, position }, i) => position === sides[i] && isHashHex(hash))
  return fits ? path.map(({ hash }) => hexToBytes(hash)) : undefined
}

import type { Extension } from '../field/extension.ts'
import { interpolateOnCoset } from '../field/ntt.ts'
import { createMerkleTree, hashLeaf, type MerkleTree } from '../hash/merkle.ts'
import { elementBytes } from './bytes.ts'
import { type Folding, foldLeaf, type Layer, layersOf, leafCount } from './fri.ts'
import {
  type Coordinates,
  coordinatesOf,
  entryOf,
  mapCoordinates,
  setEntry,
} from './polynomials.ts'
import type { Parameters } from './program.ts'
import { ascending, type Openings } from './proof.ts'
import type { Transcript } from './transcript.ts'

type CommittedLayer = { tree: MerkleTree; leaves: readonly (readonly number[])[] }

/**
 * Commits to the values layer by layer and absorbs each root and the final coefficients. It does
 * not check that the values belong to a low-degree polynomial; the verifier rejects the proof
 * otherwise.
 */
export function commitLayers(values: Coordinates, parameters: Parameters, transcript: Transcript) {
  const { committed, last } = layersOf(parameters)
  const layers: CommittedLayer[] = []
  let current = values
  for (const layer of committed) {
    const committedLayer = commitLayer(current, layer, parameters.folding)
    layers.push(committedLayer)
    transcript.absorb(committedLayer.tree.root)
    current = fold(current, {
      layer,
      folding: parameters.folding,
      challenge: transcript.extension(),
    })
  }
  const final = finalPolynomial(current, last, parameters)
  transcript.absorb(elementBytes(final.flat()))
  return {
    roots: layers.map(({ tree }) => tree.root),
    final,
    open: (positions: readonly number[]): Openings[] => {
      let indices = positions
      return layers.map(({ tree, leaves }) => {
        indices = ascending(indices.map((index) => index % leaves.length))
        const opened = indices.map((index) => leaves[index] ?? [])
        return { salts: [], leaves: opened, siblings: tree.open(indices) }
      })
    },
  }
}

function commitLayer(values: Coordinates, layer: Layer, folding: number): CommittedLayer {
  const count = leafCount(layer, folding)
  const leaves = Array.from({ length: count }, (_, leaf) => leafValues(values, leaf, count).flat())
  return { tree: createMerkleTree(leaves.map((leaf) => hashLeaf(elementBytes(leaf)))), leaves }
}

function leafValues(values: Coordinates, leaf: number, count: number): Extension[] {
  const points: Extension[] = []
  for (let at = leaf; at < values[0].length; at += count) points.push(entryOf(values, at))
  return points
}

function fold(values: Coordinates, folding: Folding): Coordinates {
  const count = leafCount(folding.layer, folding.folding)
  const folded = coordinatesOf(count)
  for (let leaf = 0; leaf < count; leaf += 1) {
    setEntry(folded, leaf, foldLeaf(leafValues(values, leaf, count), leaf, folding))
  }
  return folded
}

function finalPolynomial(values: Coordinates, last: Layer, parameters: Parameters): Extension[] {
  const coefficients = mapCoordinates(values, (part) => interpolateOnCoset(part, last.offset))
  return Array.from({ length: parameters.finalCoefficients }, (_, i) => entryOf(coefficients, i))
}

import { GENERATOR, inverse, mul, pow, rootOfUnity } from '../field/baby-bear.ts'
import { addE, type Extension, mulE, ONE, scaleE, ZERO } from '../field/extension.ts'
import { powersOf } from '../field/ntt.ts'
import { domainSize, type Parameters } from './program.ts'

/**
 * FRI (Ben-Sasson et al., ICALP 2018), folding by eight: from values of a polynomial below degree d
 * on a domain to values of one below d/8 on a domain an eighth as large, until the coefficients
 * that are left are sent as they are. Both sides agree here on what a layer is.
 */
export type Layer = {
  /** Points of the domain offset · ⟨root⟩, in the order of the exponent. */
  size: number
  offset: number
  root: number
}

/** The committed layers, the first of them on the evaluation domain. */
export function layersOf(parameters: Parameters): { committed: Layer[]; last: Layer } {
  const { rows, folding, finalCoefficients } = parameters
  const committed: Layer[] = []
  let layer = firstLayer(parameters)
  for (let left = rows; left > finalCoefficients; left /= folding) {
    committed.push(layer)
    layer = {
      size: layer.size / folding,
      offset: pow(layer.offset, folding),
      root: pow(layer.root, folding),
    }
  }
  return { committed, last: layer }
}

/** The evaluation domain: a coset of the roots of unity, so that no row of the trace is in it. */
export function firstLayer(parameters: Parameters): Layer {
  const size = domainSize(parameters)
  return { size, offset: GENERATOR, root: rootOfUnity(Math.log2(size)) }
}

export function pointOf({ offset, root }: Layer, index: number): number {
  return mul(offset, pow(root, index))
}

/** A leaf of a layer holds the points that fold into one: index, index + size/8, and so on. */
export function leafCount({ size }: Layer, folding: number): number {
  return size / folding
}

export type Folding = { layer: Layer; folding: number; challenge: Extension }

/**
 * The value at the challenge of the polynomial of degree below 8 through a leaf's points: the sum
 * over j of (challenge/x)^j times the mean of value_i · ζ^(-ij), where the points are x · ζ^i.
 */
export function foldLeaf(
  values: readonly Extension[],
  leaf: number,
  { layer, folding, challenge }: Folding,
): Extension {
  const unrooted = powersOf(inverse(pow(layer.root, layer.size / folding)), folding)
  const ratio = scaleE(challenge, inverse(pointOf(layer, leaf)))
  let power = ONE
  let folded = ZERO
  for (let j = 0; j < folding; j += 1) {
    let part = ZERO
    for (const [i, value] of values.entries()) {
      part = addE(part, scaleE(value, unrooted[(i * j) % folding] ?? 0))
    }
    folded = addE(folded, mulE(part, power))
    power = mulE(power, ratio)
  }
  return scaleE(folded, inverse(folding))
}

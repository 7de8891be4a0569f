import { GENERATOR, inverse, mul, pow, rootOfUnity } from '../field/baby-bear.ts'
import { addE, type Extension, mulE, ONE, scaleE, ZERO } from '../field/extension.ts'
import { powersOf } from '../field/ntt.ts'
import { domainSize, type Parameters } from './program.ts'

/**
 * FRI (Ben-Sasson et al., ICALP 2018), folding by eight: each round maps the values of a polynomial
 * of degree below d on a domain to the values of one below d/8 on a domain an eighth the size,
 * until the few remaining coefficients are sent in the clear. Prover and verifier share this
 * definition of a layer.
 */
export type Layer = {
  /** Points of the domain offset · ⟨root⟩, ordered by exponent. */
  size: number
  offset: number
  root: number
}

/**
 * The committed layers, starting with the evaluation domain, and the last one, whose coefficients
 * are sent.
 */
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

/**
 * The evaluation domain: a coset of the roots of unity, so that it contains no row of the trace.
 */
export function firstLayer(parameters: Parameters): Layer {
  const size = domainSize(parameters)
  return { size, offset: GENERATOR, root: rootOfUnity(Math.log2(size)) }
}

export function pointOf({ offset, root }: Layer, index: number): number {
  return mul(offset, pow(root, index))
}

/**
 * The number of leaves. Each leaf holds the points that fold into one: index, index + size/8, and
 * so on.
 */
export function leafCount({ size }: Layer, folding: number): number {
  return size / folding
}

export type Folding = { layer: Layer; folding: number; challenge: Extension }

/**
 * Evaluates the polynomial of degree below 8 through a leaf's points at the challenge: the sum over
 * j of (challenge/x)^j times the mean of value_i · ζ^(-ij), for points x · ζ^i.
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

import { pow, rootOfUnity } from '../field/baby-bear.ts'
import {
  addE,
  DEGREE,
  type Extension,
  equalE,
  evaluateE,
  fromBase,
  invertAll,
  isExtension,
  mulE,
  powE,
  scaleE,
  subE,
  ZERO,
} from '../field/extension.ts'
import { hashLeaf, rootOf } from '../hash/merkle.ts'
import { concat, elementBytes, equalBytes, Refusal } from './bytes.ts'
import { type DeepCoefficients, drawDeep } from './deep.ts'
import { evaluateAt } from './evaluate.ts'
import { fixedAt, vanishingAt } from './fixed-columns.ts'
import { type Folding, firstLayer, foldLeaf, layersOf, leafCount, pointOf } from './fri.ts'
import { domainSize, type Program, segmentLength } from './program.ts'
import { type Answers, ascending, type Claims, type Openings, openProof } from './proof.ts'
import { createTranscript, type Statement } from './transcript.ts'

/** All challenges, in the order drawn. */
type Challenges = {
  /** One per constraint. */
  constraints: readonly Extension[]
  point: Extension
  deep: DeepCoefficients
  folds: readonly Extension[]
  /** Ascending. */
  positions: readonly number[]
}

/** Throws a `Refusal` unless the proof is valid for the statement. */
export function verifyStark(source: Uint8Array, statement: Statement): void {
  const { program } = statement
  const { claims, readAnswers } = openProof(source, program)
  const challenges = drawChallenges(claims, statement)
  checkPoint(program, challenges.point)
  const answers = readAnswers(challenges.positions)
  checkCommitments(program, claims, answers, challenges.positions)
  checkConstraints(statement, claims, challenges)
  checkLowDegree(program, claims, { answers, challenges })
}

export function drawChallenges(claims: Claims, statement: Statement): Challenges {
  const { program } = statement
  const { parameters } = program
  const transcript = createTranscript(statement)
  transcript.absorb(claims.traceRoot)
  const constraints = transcript.extensions(program.constraints.length)
  transcript.absorb(claims.quotientRoot)
  const point = transcript.extension()
  transcript.absorb(elementBytes([claims.current, claims.next, claims.segments].flat(2)))
  const deep = drawDeep(transcript, program)
  const folds = claims.layerRoots.map((root) => {
    transcript.absorb(root)
    return transcript.extension()
  })
  transcript.absorb(elementBytes(claims.final.flat()))
  if (!transcript.isGround(claims.nonce, parameters.grindingBits)) {
    throw new Refusal('the proof-of-work nonce is invalid')
  }
  transcript.absorb(claims.nonce)
  const drawn = transcript.positions(parameters.queries, domainSize(parameters))
  return { constraints, point, deep, folds, positions: ascending(drawn) }
}

/**
 * Rejects points at which the quotients divide by zero and so prove nothing: the rows of the trace
 * and the points of the evaluation domain. The domain contains either both the point and its
 * successor one row further, or neither, so one check covers both.
 */
export function checkPoint(program: Program, point: Extension): void {
  if (equalE(vanishingAt(program, point), ZERO)) {
    throw new Refusal('the challenge point is a row of the trace')
  }
  const { size, offset } = firstLayer(program.parameters)
  if (equalE(powE(point, size), fromBase(pow(offset, size)))) {
    throw new Refusal('the challenge point is in the evaluation domain')
  }
}

function checkCommitments(
  { parameters }: Program,
  claims: Claims,
  answers: Answers,
  positions: readonly number[],
): void {
  const depth = Math.log2(domainSize(parameters))
  checkOpenings(answers.trace, { root: claims.traceRoot, indices: positions, depth })
  checkOpenings(answers.quotient, { root: claims.quotientRoot, indices: positions, depth })
  let indices = positions
  for (const [i, layer] of layersOf(parameters).committed.entries()) {
    const count = leafCount(layer, parameters.folding)
    indices = ascending(indices.map((index) => index % count))
    const [openings, root] = [answers.layers[i], claims.layerRoots[i]]
    if (openings === undefined || root === undefined) throw new Refusal('a layer is missing')
    checkOpenings(openings, { root, indices, depth: Math.log2(count) })
  }
}

type Expected = { root: Uint8Array; indices: readonly number[]; depth: number }

function checkOpenings({ salts, leaves, siblings }: Openings, expected: Expected): void {
  const { root, indices, depth } = expected
  const none = new Uint8Array(0)
  const digests = leaves.map((leaf, i) => hashLeaf(concat(salts[i] ?? none, elementBytes(leaf))))
  if (!equalBytes(rootOf({ indices, leaves: digests, siblings, depth }), root)) {
    throw new Refusal('an opened value does not match its commitment')
  }
}

/**
 * At the challenge point, the combined constraints must equal the quotient times the vanishing
 * polynomial.
 */
function checkConstraints(
  { program, publics }: Statement,
  { current, next, segments }: Claims,
  { constraints, point }: Challenges,
): void {
  const vanishing = vanishingAt(program, point)
  const fixed = fixedAt(program, point)
  const values = evaluateAt(program, { current, next, fixed }, publics)
  const combined = weighted(values, constraints)
  const quotient = evaluateE(segments, powE(point, segmentLength(program.parameters)))
  if (!equalE(combined, mulE(quotient, vanishing))) {
    throw new Refusal('the constraints are not satisfied')
  }
}

function weighted(values: readonly Extension[], by: readonly Extension[]): Extension {
  return values.reduce((sum, value, i) => addE(sum, mulE(value, by[i] ?? ZERO)), ZERO)
}

/**
 * Checks that the value at every opened position folds, layer by layer, to the final polynomial.
 */
function checkLowDegree(
  program: Program,
  claims: Claims,
  { answers, challenges }: { answers: Answers; challenges: Challenges },
): void {
  const { parameters } = program
  const { committed, last } = layersOf(parameters)
  let expected = deepValues(program, claims, { answers, challenges })
  for (const [i, layer] of committed.entries()) {
    const count = leafCount(layer, parameters.folding)
    const leaves = ascending([...expected.keys()].map((index) => index % count))
    const opened = new Map(leaves.map((leaf, at) => [leaf, answers.layers[i]?.leaves[at] ?? []]))
    for (const [index, value] of expected) {
      const values = opened.get(index % count) ?? []
      if (!equalE(extensionAt(values, Math.floor(index / count)), value)) {
        throw new Refusal('a FRI layer is inconsistent with the layer before it')
      }
    }
    const challenge = challenges.folds[i] ?? ZERO
    const folding: Folding = { layer, folding: parameters.folding, challenge }
    expected = new Map(
      [...opened].map(([leaf, values]) => [leaf, foldLeaf(toExtensions(values), leaf, folding)]),
    )
  }
  for (const [index, value] of expected) {
    if (!equalE(evaluateE(claims.final, fromBase(pointOf(last, index))), value)) {
      throw new Refusal('the last FRI layer does not match the final polynomial')
    }
  }
}

function extensionAt(values: readonly number[], index: number): Extension {
  const parts = values.slice(index * DEGREE, (index + 1) * DEGREE)
  if (!isExtension(parts)) throw new Refusal('an opened leaf is too short')
  return parts
}

function toExtensions(values: readonly number[]): Extension[] {
  return Array.from({ length: values.length / DEGREE }, (_, i) => extensionAt(values, i))
}

/**
 * The expected values of the first layer at the opened positions x: for every value opened at the
 * challenge point, coefficient · (value at x - value at the point) / (x - point), plus the mask.
 */
function deepValues(
  program: Program,
  claims: Claims,
  { answers, challenges }: { answers: Answers; challenges: Challenges },
): Map<number, Extension> {
  const { columns, parameters } = program
  const { deep, point, positions } = challenges
  const domain = firstLayer(parameters)
  const shifted = scaleE(point, rootOfUnity(Math.log2(parameters.rows)))
  const points = positions.map((position) => fromBase(pointOf(domain, position)))
  const inverses = invertAll(points.flatMap((x) => [subE(x, point), subE(x, shifted)]))
  const atPoint = addE(
    weighted(claims.current, deep.current),
    weighted(claims.segments, deep.segments),
  )
  const atShifted = weighted(claims.next, deep.next)
  return new Map(
    positions.map((position, i) => {
      const row = answers.trace.leaves[i] ?? []
      const segments = toExtensions(answers.quotient.leaves[i] ?? [])
      const now = addE(combine(row, deep.current), weighted(segments, deep.segments))
      const first = mulE(subE(now, atPoint), inverses[2 * i] ?? ZERO)
      const then = subE(combine(row, deep.next), atShifted)
      const second = mulE(then, inverses[2 * i + 1] ?? ZERO)
      const mask = toExtensions(row.slice(columns))[0] ?? ZERO
      return [position, addE(addE(first, second), mask)] as const
    }),
  )
}

function combine(row: readonly number[], by: readonly Extension[]): Extension {
  return by.reduce((sum, coefficient, i) => addE(sum, scaleE(coefficient, row[i] ?? 0)), ZERO)
}

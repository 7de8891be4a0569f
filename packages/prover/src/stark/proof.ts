import { DEGREE, type Extension } from '../field/extension.ts'
import { countSiblings } from '../hash/merkle.ts'
import { createReader, createWriter, type Reader, Refusal } from './bytes.ts'
import { layersOf, leafCount } from './fri.ts'
import { domainSize, type Program } from './program.ts'
import { NONCE_BYTES } from './transcript.ts'

/** The magic bytes of every proof: the format and its version. */
const MAGIC = new TextEncoder().encode('TSP1')
export const SALT_BYTES = 16

/** Opened leaves of one tree, each a list of field elements, with the siblings up to the root. */
export type Openings = {
  /** One per leaf, or empty if the leaves are not salted. */
  salts: readonly Uint8Array[]
  leaves: readonly (readonly number[])[]
  siblings: readonly Uint8Array[]
}

/** Everything that the prover commits to before the query positions are drawn. */
export type Claims = {
  traceRoot: Uint8Array
  quotientRoot: Uint8Array
  /** Every column at the challenge point, and at the same point one row further. */
  current: readonly Extension[]
  next: readonly Extension[]
  segments: readonly Extension[]
  layerRoots: readonly Uint8Array[]
  final: readonly Extension[]
  nonce: Uint8Array
}

export type Answers = {
  trace: Openings
  quotient: Openings
  layers: readonly Openings[]
}

export type Proof = { claims: Claims; answers: Answers }

export function writeProof({ claims, answers }: Proof): Uint8Array {
  const writer = createWriter()
  writer.bytes(MAGIC)
  writer.bytes(claims.traceRoot)
  writer.bytes(claims.quotientRoot)
  writer.extensions(claims.current)
  writer.extensions(claims.next)
  writer.extensions(claims.segments)
  for (const root of claims.layerRoots) writer.bytes(root)
  writer.extensions(claims.final)
  writer.bytes(claims.nonce)
  for (const { salts, leaves, siblings } of [answers.trace, answers.quotient, ...answers.layers]) {
    for (const salt of salts) writer.bytes(salt)
    for (const leaf of leaves) writer.elements(leaf)
    for (const sibling of siblings) writer.bytes(sibling)
  }
  return writer.finish()
}

/**
 * Reads the claims first, because the length of the answers depends on the positions drawn from
 * them.
 */
export function openProof(source: Uint8Array, program: Program) {
  const reader = createReader(source)
  const claims = readClaims(reader, program)
  return {
    claims,
    readAnswers: (positions: readonly number[]) => readAnswers(reader, program, positions),
  }
}

function readClaims(reader: Reader, { parameters, columns }: Program): Claims {
  const magic = reader.bytes(MAGIC.length)
  if (magic.some((byte, i) => byte !== MAGIC[i]))
    throw new Refusal('not a Touchstone proof: the magic bytes are missing')
  const [traceRoot, quotientRoot] = [reader.bytes(32), reader.bytes(32)]
  return {
    traceRoot,
    quotientRoot,
    current: reader.extensions(columns),
    next: reader.extensions(columns),
    segments: reader.extensions(parameters.quotientSegments),
    layerRoots: reader.digests(layersOf(parameters).committed.length),
    final: reader.extensions(parameters.finalCoefficients),
    nonce: reader.bytes(NONCE_BYTES),
  }
}

/** The width of a trace leaf, including the mask of the DEEP polynomial. */
export function traceWidth({ columns }: Program): number {
  return columns + DEGREE
}

export function quotientWidth({ parameters }: Program): number {
  return parameters.quotientSegments * DEGREE
}

function readAnswers(reader: Reader, program: Program, positions: readonly number[]): Answers {
  const { parameters } = program
  const depth = Math.log2(domainSize(parameters))
  const open = (indices: readonly number[], shape: Shape) => readOpenings(reader, indices, shape)
  const trace = open(positions, { width: traceWidth(program), depth, salted: true })
  const quotient = open(positions, { width: quotientWidth(program), depth, salted: true })
  let indices = positions
  const layers = layersOf(parameters).committed.map((layer) => {
    const count = leafCount(layer, parameters.folding)
    indices = ascending(indices.map((index) => index % count))
    return open(indices, {
      width: parameters.folding * DEGREE,
      depth: Math.log2(count),
      salted: false,
    })
  })
  reader.end()
  return { trace, quotient, layers }
}

type Shape = { width: number; depth: number; salted: boolean }

function readOpenings(
  reader: Reader,
  indices: readonly number[],
  { width, depth, salted }: Shape,
): Openings {
  return {
    salts: salted ? indices.map(() => reader.bytes(SALT_BYTES)) : [],
    leaves: indices.map(() => reader.elements(width)),
    siblings: reader.digests(countSiblings(indices, depth)),
  }
}

/** Sorts and deduplicates indices, the form in which leaves are opened. */
export function ascending(indices: readonly number[]): number[] {
  return [...new Set(indices)].sort((a, b) => a - b)
}

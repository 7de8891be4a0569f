import { DEGREE, type Extension } from '../field/extension.ts'
import { countSiblings } from '../hash/merkle.ts'
import { createReader, createWriter, type Reader, Refusal } from './bytes.ts'
import { layersOf, leafCount } from './fri.ts'
import { domainSize, type Program } from './program.ts'
import { NONCE_BYTES } from './transcript.ts'

/** The first bytes of every proof: the format and its version. */
const MAGIC = new TextEncoder().encode('TSP1')
export const SALT_BYTES = 16

/** Leaves of one tree, each a list of field elements, with what leads from them to the root. */
export type Openings = {
  /** Of each leaf; empty where leaves have no salt. */
  salts: readonly Uint8Array[]
  leaves: readonly (readonly number[])[]
  siblings: readonly Uint8Array[]
}

/** All that the prover says before it knows which positions are asked for. */
export type Claims = {
  traceRoot: Uint8Array
  quotientRoot: Uint8Array
  /** Every column at the challenge, and at the challenge in the next row. */
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

/** The claims first: only they tell how long the rest must be. */
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
  if (magic.some((byte, i) => byte !== MAGIC[i])) throw new Refusal('this is no proof')
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

/** The columns of a leaf of the trace, the mask of the last polynomial included. */
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

/** Each index once, in order: the form in which leaves are opened. */
export function ascending(indices: readonly number[]): number[] {
  return [...new Set(indices)].sort((a, b) => a - b)
}

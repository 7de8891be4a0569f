import { rootOfUnity } from '../field/baby-bear.ts'
import { addE, DEGREE, type Extension, scaleE } from '../field/extension.ts'
import { interpolate } from '../field/ntt.ts'
import { elementBytes } from './bytes.ts'
import { type CommittedColumns, commitColumns } from './commit-columns.ts'
import { type DeepCoefficients, drawDeep } from './deep.ts'
import { firstLayer } from './fri.ts'
import { commitLayers } from './fri-prover.ts'
import {
  addScaled,
  type Coordinates,
  coordinatesOf,
  divideByPoint,
  evaluateAllAt,
  evaluateCoordinates,
} from './polynomials.ts'
import { domainSize, type Program } from './program.ts'
import { ascending, type Claims, writeProof } from './proof.ts'
import { quotientOf, splitQuotient } from './quotient.ts'
import type { Randomness } from './randomness.ts'
import { createTranscript, type Statement, type Transcript } from './transcript.ts'

/** By column, the cells of the used rows. */
type UsedRows = readonly Int32Array[]

/**
 * A proof that the trace satisfies the program. The trace is not checked: a false one gives a proof
 * that no verifier accepts.
 */
export function proveStark(
  statement: Statement,
  trace: UsedRows,
  randomness: Randomness,
): Uint8Array {
  const { program } = statement
  const domain = firstLayer(program.parameters)
  const transcript = createTranscript(statement)

  const columns = maskRows(trace, program, randomness)
  const mask = randomPolynomial(program, randomness)
  const committed = commitColumns([...columns, ...mask], domain, randomness)
  transcript.absorb(committed.root)
  const challenges = transcript.extensions(program.constraints.length)
  const quotient = quotientOf(statement, committed.values, challenges)
  const segments = splitQuotient(quotient, program, randomness)
  const split = commitColumns(segments, domain, randomness)
  transcript.absorb(split.root)

  const point = transcript.extension()
  const opened = openAt(point, { columns, segments, program })
  transcript.absorb(elementBytes([opened.current, opened.next, opened.segments].flat(2)))
  const deep = drawDeep(transcript, program)
  const values = deepPolynomial({ columns, segments, mask }, { point, deep, program })
  const commitments = { traceRoot: committed.root, quotientRoot: split.root, ...opened }
  return finishProof(evaluateCoordinates(values, domain), {
    ...{ program, transcript, committed, split, commitments },
  })
}

/** The coefficients of every column, with random cells in the rows that are not used. */
function maskRows(trace: UsedRows, { parameters }: Program, randomness: Randomness): Int32Array[] {
  return trace.map((cells) => {
    const column = new Int32Array(parameters.rows)
    column.set(cells)
    randomness.elements(column.subarray(parameters.usedRows))
    interpolate(column)
    return column
  })
}

/** Added to what FRI is run on, so that its layers are those of a random polynomial. */
function randomPolynomial({ parameters }: Program, randomness: Randomness): Coordinates {
  const mask = coordinatesOf(parameters.rows)
  for (const coordinate of mask) randomness.elements(coordinate)
  return mask
}

type OpenedValues = Pick<Claims, 'current' | 'next' | 'segments'>
type Polynomials = { columns: readonly Int32Array[]; segments: readonly Int32Array[] }

function openAt(
  point: Extension,
  { columns, segments, program }: Polynomials & { program: Program },
): OpenedValues {
  const parts = evaluateAllAt(segments, point)
  return {
    current: evaluateAllAt(columns, point),
    next: evaluateAllAt(columns, nextPoint(point, program)),
    segments: Array.from({ length: parts.length / DEGREE }, (_, s) =>
      joinParts(parts.slice(s * DEGREE, (s + 1) * DEGREE)),
    ),
  }
}

export function nextPoint(point: Extension, { parameters }: Program): Extension {
  return scaleE(point, rootOfUnity(Math.log2(parameters.rows)))
}

/** A polynomial over the extension at a point, from its coordinates' values there. */
function joinParts(parts: readonly Extension[]): Extension {
  return parts.reduce((sum, part, c) => addE(sum, timesBasis(part, c)))
}

/** Times X^c of the extension. */
function timesBasis(value: Extension, c: number): Extension {
  const [e0, e1, e2, e3, e4] = value
  const twice = (x: number) => addE([x, 0, 0, 0, 0], [x, 0, 0, 0, 0])[0]
  return c === 0 ? value : timesBasis([twice(e4), e0, e1, e2, e3], c - 1)
}

/** What is claimed to be of low degree: everything opened, divided by the point it is opened at. */
function deepPolynomial(
  { columns, segments, mask }: Polynomials & { mask: Coordinates },
  { point, deep, program }: { point: Extension; deep: DeepCoefficients; program: Program },
): Coordinates {
  const { rows } = program.parameters
  const [now, then] = [coordinatesOf(rows), coordinatesOf(rows)]
  for (const [i, column] of columns.entries()) {
    addScaled(now, column, deep.current[i] ?? [0, 0, 0, 0, 0])
    addScaled(then, column, deep.next[i] ?? [0, 0, 0, 0, 0])
  }
  for (const [i, part] of segments.entries()) {
    const coefficient = deep.segments[Math.floor(i / DEGREE)] ?? [0, 0, 0, 0, 0]
    addScaled(now, part, timesBasis(coefficient, i % DEGREE))
  }
  const sum = coordinatesOf(rows)
  const parts = [divideByPoint(now, point), divideByPoint(then, nextPoint(point, program)), mask]
  for (const part of parts) {
    for (const [c, coordinate] of part.entries()) {
      addScaled(sum, coordinate, timesBasis([1, 0, 0, 0, 0], c))
    }
  }
  return sum
}

type Committed = {
  program: Program
  transcript: Transcript
  committed: CommittedColumns
  split: CommittedColumns
  commitments: Omit<Claims, 'layerRoots' | 'final' | 'nonce'>
}

/** FRI on the values, the proof of work, and the openings at the positions then drawn. */
export function finishProof(
  values: Coordinates,
  { program, transcript, committed, split, commitments }: Committed,
): Uint8Array {
  const { parameters } = program
  const layers = commitLayers(values, parameters, transcript)
  const nonce = transcript.grind(parameters.grindingBits)
  transcript.absorb(nonce)
  const drawn = transcript.positions(parameters.queries, domainSize(parameters))
  const positions = ascending(drawn)
  return writeProof({
    claims: { ...commitments, layerRoots: layers.roots, final: layers.final, nonce },
    answers: {
      trace: committed.open(positions),
      quotient: split.open(positions),
      layers: layers.open(positions),
    },
  })
}

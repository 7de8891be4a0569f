import { add, rootOfUnity } from '../field/baby-bear.ts'
import { addE, DEGREE, type Extension, ONE, scaleE, ZERO } from '../field/extension.ts'
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

/** The cells of the used rows, by column. */
type UsedRows = readonly Int32Array[]

/** The prover's state once the challenge point is drawn. */
export type Prepared = {
  program: Program
  transcript: Transcript
  /** Coefficients of the columns, of the quotient's segments, and of the mask. */
  columns: readonly Int32Array[]
  segments: readonly Int32Array[]
  mask: Coordinates
  trace: CommittedColumns
  quotient: CommittedColumns
  /** One for each constraint. */
  challenges: readonly Extension[]
  point: Extension
}

/**
 * Proves that the trace satisfies the program. The trace is not checked: an invalid trace gives a
 * proof that no verifier accepts.
 */
export function proveStark(
  statement: Statement,
  trace: UsedRows,
  randomness: Randomness,
): Uint8Array {
  const prepared = prepare(statement, trace, randomness)
  const domain = firstLayer(statement.program.parameters)
  return answer(prepared, openAt(prepared), (deep) =>
    evaluateCoordinates(deepPolynomial(prepared, deep), domain),
  )
}

/** Commits to the masked trace, then to the quotient of its constraints. */
export function prepare(statement: Statement, trace: UsedRows, randomness: Randomness): Prepared {
  const { program } = statement
  const domain = firstLayer(program.parameters)
  const transcript = createTranscript(statement)
  const columns = maskRows(trace, program, randomness)
  const mask = randomPolynomial(program, randomness)
  const committed = commitColumns([...columns, ...mask], domain, randomness)
  transcript.absorb(committed.root)
  const challenges = transcript.extensions(program.constraints.length)
  const whole = quotientOf(statement, committed.values, challenges)
  const segments = splitQuotient(whole, program, randomness)
  const quotient = commitColumns(segments, domain, randomness)
  transcript.absorb(quotient.root)
  const point = transcript.extension()
  return {
    program,
    transcript,
    columns,
    segments,
    mask,
    trace: committed,
    quotient,
    challenges,
    point,
  }
}

/** The coefficients of every column, with random cells in the unused rows. */
function maskRows(trace: UsedRows, { parameters }: Program, randomness: Randomness): Int32Array[] {
  return trace.map((cells) => {
    const column = new Int32Array(parameters.rows)
    column.set(cells)
    randomness.elements(column.subarray(parameters.usedRows))
    interpolate(column)
    return column
  })
}

/**
 * A random polynomial added to the FRI input, so that the layers reveal nothing about the trace.
 */
function randomPolynomial({ parameters }: Program, randomness: Randomness): Coordinates {
  const mask = coordinatesOf(parameters.rows)
  for (const coordinate of mask) randomness.elements(coordinate)
  return mask
}

export type OpenedValues = Pick<Claims, 'current' | 'next' | 'segments'>

export function openAt({ columns, segments, program, point }: Prepared): OpenedValues {
  const parts = evaluateAllAt(segments, point)
  return {
    current: evaluateAllAt(columns, point),
    next: evaluateAllAt(columns, nextPoint(point, program)),
    segments: Array.from({ length: parts.length / DEGREE }, (_, s) =>
      joinParts(parts.slice(s * DEGREE, (s + 1) * DEGREE)),
    ),
  }
}

function nextPoint(point: Extension, { parameters }: Program): Extension {
  return scaleE(point, rootOfUnity(Math.log2(parameters.rows)))
}

/**
 * Evaluates a polynomial over the extension at a point, from the values of its coordinates there.
 */
function joinParts(parts: readonly Extension[]): Extension {
  return parts.reduce((sum, part, c) => addE(sum, timesBasis(part, c)))
}

/** Multiplies by X^c in the extension, where X^5 = 2. */
function timesBasis(value: Extension, c: number): Extension {
  const [e0, e1, e2, e3, e4] = value
  return c === 0 ? value : timesBasis([add(e4, e4), e0, e1, e2, e3], c - 1)
}

/**
 * The DEEP polynomial, claimed to be of low degree: every opened polynomial divided by the point it
 * is opened at, plus the mask.
 */
function deepPolynomial(
  { columns, segments, mask, point, program }: Prepared,
  deep: DeepCoefficients,
): Coordinates {
  const { rows } = program.parameters
  const [now, then] = [coordinatesOf(rows), coordinatesOf(rows)]
  for (const [i, column] of columns.entries()) {
    addScaled(now, column, deep.current[i] ?? ZERO)
    addScaled(then, column, deep.next[i] ?? ZERO)
  }
  for (const [i, part] of segments.entries()) {
    const coefficient = deep.segments[Math.floor(i / DEGREE)] ?? ZERO
    addScaled(now, part, timesBasis(coefficient, i % DEGREE))
  }
  const sum = coordinatesOf(rows)
  const parts = [divideByPoint(now, point), divideByPoint(then, nextPoint(point, program)), mask]
  for (const part of parts) {
    for (const [c, coordinate] of part.entries()) {
      addScaled(sum, coordinate, timesBasis(ONE, c))
    }
  }
  return sum
}

/**
 * Absorbs the openings, runs FRI on values that must be consistent with them, does the proof of
 * work, and opens the positions that are then drawn.
 */
export function answer(
  { program, transcript, trace, quotient }: Prepared,
  opened: OpenedValues,
  valuesFor: (deep: DeepCoefficients) => Coordinates,
): Uint8Array {
  const { parameters } = program
  transcript.absorb(elementBytes([opened.current, opened.next, opened.segments].flat(2)))
  const layers = commitLayers(valuesFor(drawDeep(transcript, program)), parameters, transcript)
  const nonce = transcript.grind(parameters.grindingBits)
  transcript.absorb(nonce)
  const drawn = transcript.positions(parameters.queries, domainSize(parameters))
  const positions = ascending(drawn)
  const roots = { traceRoot: trace.root, quotientRoot: quotient.root, layerRoots: layers.roots }
  return writeProof({
    claims: { ...roots, ...opened, final: layers.final, nonce },
    answers: {
      trace: trace.open(positions),
      quotient: quotient.open(positions),
      layers: layers.open(positions),
    },
  })
}

import { sha256 } from '../hash/sha256.ts'
import type { Step } from './expression.ts'

/** The parameters of the proof system, all of which are part of the program id. */
export type Parameters = {
  /** Rows of the trace; a power of two. */
  rows: number
  /** Rows that the statement uses; the others are random and mask them. */
  usedRows: number
  /** Points of the evaluation domain per row. */
  blowup: number
  queries: number
  grindingBits: number
  /** Points folded into one in each FRI round, and the number of coefficients left at the end. */
  folding: number
  finalCoefficients: number
  /** The number of polynomials that the quotient is split into. */
  quotientSegments: number
}

export type Program = {
  name: string
  parameters: Parameters
  columns: number
  publics: number
  /** By column: the nonzero cells as row and value. */
  fixed: readonly (readonly (readonly [row: number, value: number])[])[]
  steps: readonly Step[]
  /** Indices of the steps that must be 0 in every row. */
  constraints: readonly number[]
}

/** In the order in which a transcript absorbs them. */
export function parameterValues(parameters: Parameters): number[] {
  return [
    parameters.rows,
    parameters.usedRows,
    parameters.blowup,
    parameters.queries,
    parameters.grindingBits,
    parameters.folding,
    parameters.finalCoefficients,
    parameters.quotientSegments,
  ]
}

/** The maximum degree of a constraint, fixed columns included. */
export const CONSTRAINT_DEGREE = 4

/**
 * The length of a quotient segment before masking. It is shorter than the trace; the difference is
 * the number of random coefficients that each segment carries into the next.
 */
export function segmentLength({ rows, quotientSegments }: Parameters): number {
  return ((CONSTRAINT_DEGREE - 1) * rows) / quotientSegments
}

export function domainSize({ rows, blowup }: Parameters): number {
  return rows * blowup
}

/**
 * The text whose hash is the program id: one item per line, numbers in decimal, each line ended by
 * a line feed.
 */
export function programText(program: Program): string {
  const { parameters } = program
  const lines = [
    'touchstone-stark 1',
    `program ${program.name}`,
    'field 2013265921 generator 31 extension 5 nonresidue 2 hash sha-256',
    `rows ${parameters.rows} used ${parameters.usedRows}`,
    `blowup ${parameters.blowup} queries ${parameters.queries} grinding ${parameters.grindingBits}`,
    `folding ${parameters.folding} final ${parameters.finalCoefficients} segments ${parameters.quotientSegments}`,
    `columns ${program.columns} publics ${program.publics}`,
    ...program.fixed.map((cells) => ['fixed', ...cells.flat()].join(' ')),
    ...program.steps.map(stepText),
    ['constraints', ...program.constraints].join(' '),
  ]
  return `${lines.join('\n')}\n`
}

function stepText(step: Step): string {
  switch (step.kind) {
    case 'column':
    case 'next':
    case 'fixed':
      return `${step.kind === 'fixed' ? 'load' : step.kind} ${step.column}`
    case 'public':
      return `public ${step.index}`
    case 'sum':
      return ['sum', step.constant, ...step.terms.flat()].join(' ')
    case 'product':
      return `product ${step.left} ${step.right}`
  }
}

export function programDigest(program: Program): Uint8Array {
  return sha256(new TextEncoder().encode(programText(program)))
}

import type { Extension } from '../field/extension.ts'
import type { Program } from './program.ts'
import type { Transcript } from './transcript.ts'

/**
 * The DEEP coefficients: one for each column at the challenge point, for each column one row further,
 * and for each quotient segment.
 */
export type DeepCoefficients = {
  current: readonly Extension[]
  next: readonly Extension[]
  segments: readonly Extension[]
}

export function drawDeep(transcript: Transcript, program: Program): DeepCoefficients {
  return {
    current: transcript.extensions(program.columns),
    next: transcript.extensions(program.columns),
    segments: transcript.extensions(program.parameters.quotientSegments),
  }
}

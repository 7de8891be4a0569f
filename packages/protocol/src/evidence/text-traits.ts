import { simHash, simHashSteps } from './sim-hash.ts'
import type { TextTraits } from './thin-evidence.ts'
import { isWordSalad } from './word-salad.ts'
import { readWords } from './words.ts'

/** The traits of a text. */
export function traitsOf(text: string): TextTraits {
  const words = readWords(text)
  return { simHash: simHash(words), isWordSalad: isWordSalad(words) }
}

/** The same in steps of about a millisecond, between which other work can run. */
export function* traitsSteps(text: string): Generator<undefined, TextTraits> {
  const words = readWords(text)
  const hash = yield* simHashSteps(words)
  return { simHash: hash, isWordSalad: isWordSalad(words) }
}

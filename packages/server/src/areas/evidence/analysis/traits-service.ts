import { setImmediate as othersHaveRun } from 'node:timers/promises'
import {
  isWordSalad,
  NO_TEXT,
  readWords,
  simHashSteps,
  type TextTraits,
} from '@touchstone/protocol/evidence'

/**
 * Reads the traits of a thinking text that is discarded after its analysis (spec: provenance §4). A
 * long text is hashed in steps, between which other requests are served.
 */
export async function traitsOf(thinking: string | undefined): Promise<TextTraits> {
  if (thinking === undefined) return NO_TEXT
  const words = readWords(thinking)
  const steps = simHashSteps(words)
  for (;;) {
    const step = steps.next()
    if (step.done === true) return { simHash: step.value, isWordSalad: isWordSalad(words) }
    await othersHaveRun()
  }
}

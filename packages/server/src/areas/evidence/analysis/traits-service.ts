import { setImmediate as othersHaveRun } from 'node:timers/promises'
import { NO_TEXT, type TextTraits, traitsOf, traitsSteps } from '@touchstone/protocol/evidence'
import { createBatcher } from '../../../kernel/batcher.ts'

/** Reads texts on a worker thread. Rejects if the thread has too much to do. */
export type ReadTraits = (texts: readonly string[]) => Promise<readonly TextTraits[]>

/** Handing a batch over costs as much as reading a text of this many characters. */
const INLINE_CHARACTERS_MAX = 4096

/** So that a batch takes the worker a few milliseconds. */
const BATCH_TEXTS_MAX = 64
const BATCH_CHARACTERS_MAX = 128 * 1024
/** Longer than a turn of the event loop, after which a batch starts anyway. */
const BATCH_MS_MAX = 1000

/**
 * Reads the traits of a thinking text that is discarded after its analysis (spec: provenance §4). The
 * texts of one turn of the event loop are read together: a short one immediately, several or long ones
 * on a worker thread.
 */
export function createTraitsService(readOnWorker: ReadTraits) {
  const batcher = createBatcher<string, TextTraits>({
    run: async (texts) => {
      const characters = texts.reduce((sum, text) => sum + text.length, 0)
      if (characters <= INLINE_CHARACTERS_MAX) return texts.map(traitsOf)
      // The thread is only a faster place: without it the result is the same.
      return readOnWorker(texts).catch(() => readInSteps(texts))
    },
    itemsMax: BATCH_TEXTS_MAX,
    weight: { of: (text) => text.length, max: BATCH_CHARACTERS_MAX },
    ageMsMax: BATCH_MS_MAX,
    concurrency: Number.POSITIVE_INFINITY,
    waitingMax: Number.POSITIVE_INFINITY,
  })
  let isFlushDue = false
  const flush = (): void => {
    isFlushDue = false
    batcher.flush()
  }
  return async (thinking: string | undefined): Promise<TextTraits> => {
    if (thinking === undefined) return NO_TEXT
    if (!isFlushDue) {
      isFlushDue = true
      setImmediate(flush)
    }
    return batcher.add(thinking)
  }
}

async function readInSteps(texts: readonly string[]): Promise<TextTraits[]> {
  const all: TextTraits[] = []
  for (const text of texts) {
    const steps = traitsSteps(text)
    for (;;) {
      const step = steps.next()
      if (step.done === true) {
        all.push(step.value)
        break
      }
      await othersHaveRun()
    }
    await othersHaveRun()
  }
  return all
}

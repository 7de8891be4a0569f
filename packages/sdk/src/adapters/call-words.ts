import { canonicalJson } from '@touchstone/protocol/base'
import { createOpenCalls } from './open-calls.ts'

/** The words of a model before each of its calls. */
export type CallWords = {
  /** The input as a value, or as the text that the model sent. */
  note(callId: string, input: unknown, words: string | undefined): void
  find(callId: string, input: unknown): string | undefined
}

type Said = { input: string | undefined; words: string | undefined }

/** Ids of which words are remembered until the calls are made. */
const REMEMBERED_MAX = 1000
const SAME_ID_MAX = 20

/**
 * Some models number the calls of an answer, so that calls of many conversations have one id. The words
 * of one must not become evidence of another, so the input has to be the same. Only if an id stands for
 * one call, its input may differ, because a schema can change it.
 */
export function createCallWords(): CallWords {
  const calls = createOpenCalls<readonly Said[]>(REMEMBERED_MAX)
  return {
    note(callId, input, words) {
      const said = { input: textOf(input), words }
      const others = (calls.take(callId) ?? []).filter((one) => one.input !== said.input)
      calls.open(callId, [...others, said].slice(-SAME_ID_MAX))
    },
    find(callId, input) {
      const said = calls.find(callId) ?? []
      const text = textOf(input)
      const found = said.find((one) => one.input === text)
      return (found ?? (said.length === 1 ? said[0] : undefined))?.words
    },
  }
}

/** Undefined for an input without a JSON form. */
function textOf(input: unknown): string | undefined {
  try {
    return canonicalJson(typeof input === 'string' ? JSON.parse(input) : input)
  } catch {
    return typeof input === 'string' ? input : undefined
  }
}

/**
 * What a model says of a decision is attested and can be read by outsiders; the texts of the
 * decision are not to be. So wherever it repeats them, the repetition is taken out.
 */

/** Shorter runs are common phrases, and a judge must be able to name what it speaks of. */
const RUN_WORDS_MIN = 5
const WORD = /[\p{L}\p{N}]+/gu
const TAKEN_OUT = '[…]'

type Word = { text: string; start: number; end: number }

function wordsOf(text: string): Word[] {
  return Array.from(text.matchAll(WORD), (found) => ({
    text: found[0].toLowerCase(),
    start: found.index,
    end: found.index + found[0].length,
  }))
}

function runAt(words: readonly Word[], at: number): string {
  return words
    .slice(at, at + RUN_WORDS_MIN)
    .map((word) => word.text)
    .join(' ')
}

/** Gives a text back without the runs of words that stand in one of the sources, too. */
export function withoutCopies(sources: readonly string[]): (text: string) => string {
  const runs = new Set<string>()
  for (const source of sources) {
    const words = wordsOf(source)
    for (let at = 0; at + RUN_WORDS_MIN <= words.length; at += 1) runs.add(runAt(words, at))
  }
  return (text) => {
    const words = wordsOf(text)
    let kept = ''
    let from = 0
    let copiedTo = 0
    for (let at = 0; at + RUN_WORDS_MIN <= words.length; at += 1) {
      if (!runs.has(runAt(words, at))) continue
      const start = words[at]?.start ?? 0
      if (start >= copiedTo) kept += text.slice(from, start) + TAKEN_OUT
      copiedTo = words[at + RUN_WORDS_MIN - 1]?.end ?? copiedTo
      from = copiedTo
    }
    return kept + text.slice(from)
  }
}

/**
 * A model's findings are attested and public; the texts of the submission are not. So passages that the
 * model copied from them are removed.
 */

/** Shorter runs are common phrases, which a model needs to name its findings. */
const RUN_WORDS_MIN = 5
const WORD = /[\p{L}\p{N}]+/gu
const REMOVED = '[…]'

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

/** Removes the runs of words that also occur in one of the sources. */
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
      if (start >= copiedTo) kept += text.slice(from, start) + REMOVED
      copiedTo = words[at + RUN_WORDS_MIN - 1]?.end ?? copiedTo
      from = copiedTo
    }
    return kept + text.slice(from)
  }
}

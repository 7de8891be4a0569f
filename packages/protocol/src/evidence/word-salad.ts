import { FUNCTION_WORDS } from './function-words.ts'
import type { Words } from './words.ts'

/** Fewer words are no sample. */
export const SALAD_WORDS_MIN = 60
/** Prose in these languages has several times as many. */
export const FUNCTION_WORD_PERCENT_MIN = 12

const LANGUAGES = Object.values(FUNCTION_WORDS)

/** By word, one bit for each language that has it among its function words. */
const LANGUAGES_OF = new Map<string, number>()
for (const [language, words] of LANGUAGES.entries()) {
  for (const word of words) {
    LANGUAGES_OF.set(word, (LANGUAGES_OF.get(word) ?? 0) | (1 << language))
  }
}

const LETTER = /\p{L}/u
const LETTERS = /\p{L}/gu
const LATIN_LETTERS = /\p{Script=Latin}/gu

/**
 * Whether a text is a mere list of words: in each of the languages, too few of its words are
 * function words. Numbers are not words here.
 */
export function isWordSalad(words: Words): boolean {
  if (words.count < SALAD_WORDS_MIN) return false
  const counts = new Int32Array(LANGUAGES.length)
  // Prose passes after its first sentences: most texts are not read to the end.
  const enough = (words.count * FUNCTION_WORD_PERCENT_MIN) / 100
  for (let index = 0; index < words.count; index += 1) {
    const languages = languagesOf(words.at(index))
    for (let rest = languages; rest !== 0; rest &= rest - 1) {
      const language = 31 - Math.clz32(rest & -rest)
      const count = (counts[language] ?? 0) + 1
      if (count >= enough) return false
      counts[language] = count
    }
  }
  const total = countWords(words)
  if (total < SALAD_WORDS_MIN) return false
  return Math.max(...counts) * 100 < total * FUNCTION_WORD_PERCENT_MIN && isMostlyLatin(words)
}

/** A word that begins with an elision, such as `l'homme`, counts as its elision. */
function languagesOf(word: string): number {
  const whole = LANGUAGES_OF.get(word)
  if (whole !== undefined) return whole
  const apostrophe = word.indexOf("'")
  return apostrophe < 0 ? 0 : (LANGUAGES_OF.get(word.slice(0, apostrophe)) ?? 0)
}

function countWords(words: Words): number {
  let total = 0
  for (let index = 0; index < words.count; index += 1) if (LETTER.test(words.at(index))) total += 1
  return total
}

/** The lists are all in Latin script, so they say nothing about other scripts. */
function isMostlyLatin(words: Words): boolean {
  if (words.isAscii) return true
  const text = new TextDecoder().decode(words.bytes)
  return countMatches(text, LATIN_LETTERS) * 2 >= countMatches(text, LETTERS)
}

function countMatches(text: string, pattern: RegExp): number {
  let count = 0
  for (const _ of text.matchAll(pattern)) count += 1
  return count
}

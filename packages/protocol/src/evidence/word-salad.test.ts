import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FUNCTION_WORDS } from './function-words.ts'
import { DICTIONARY, PROSE } from './word-salad.fixture.ts'
import { FUNCTION_WORD_PERCENT_MIN, isWordSalad, SALAD_WORDS_MIN } from './word-salad.ts'
import { readWords } from './words.ts'

const isSalad = (text: string) => isWordSalad(readWords(text))
/** Words that are in none of the lists. */
const filler = (count: number) => Array.from({ length: count }, (_, i) => `zwx${i}`).join(' ')

describe('the lists of function words', () => {
  it.each(Object.entries(FUNCTION_WORDS))('has 150 distinct ones in %s', (_, words) => {
    expect(new Set(words).size).toBe(150)
    for (const word of words) expect(readWords(word).at(0)).toBe(word)
  })

  it('covers seven languages', () => {
    expect(Object.keys(FUNCTION_WORDS)).toHaveLength(7)
  })
})

describe('isWordSalad', () => {
  it.each(Object.entries(PROSE))('finds none in prose: %s', (_, text) => {
    expect(readWords(text).count).toBeGreaterThanOrEqual(SALAD_WORDS_MIN)
    for (const said of [text, text.toUpperCase(), text.normalize('NFD'), text.replaceAll("'", '’')])
      expect(isSalad(said)).toBe(false)
  })

  it('finds it in any sequence of words from a dictionary', () => {
    const words = fc.array(fc.constantFrom(...DICTIONARY), { minLength: 60, maxLength: 300 })
    fc.assert(
      fc.property(words, (given) => {
        expect(isSalad(given.join(' '))).toBe(true)
      }),
    )
  })

  it('needs 60 words, and numbers are none', () => {
    expect(isSalad(filler(59))).toBe(false)
    expect(isSalad(filler(60))).toBe(true)
    expect(isSalad(`${filler(59)} 1 2 3 4 5`)).toBe(false)
    expect(isSalad('1182 '.repeat(100))).toBe(false)
  })

  it.each(Object.keys(FUNCTION_WORDS))('ends at 12 % of function words in %s', (language) => {
    const some = (FUNCTION_WORDS[language] ?? []).slice(0, FUNCTION_WORD_PERCENT_MIN)
    expect(isSalad(`${filler(88)} ${some.join(' ')}`)).toBe(false)
    expect(isSalad(`${filler(89)} ${some.slice(1).join(' ')}`)).toBe(true)
  })

  it('does not add up the words of several languages', () => {
    const mixed = ['and the this but', 'und der dies weil', 'et les ceci donc'].join(' ')
    expect(isSalad(`${filler(88)} ${mixed}`)).toBe(true)
  })

  it('counts elisions and typographic apostrophes', () => {
    const elided = "l'homme qu'elle j'arrive n'importe d'accord s'entend".repeat(2)
    expect(isSalad(`${filler(60)} ${elided} l'eau c'était`)).toBe(false)
    expect(isSalad(`${filler(60)} ${elided.replaceAll("'", '’')} l’eau c’était`)).toBe(false)
  })

  it('never flags what is mostly not in Latin script', () => {
    const russian = 'яблоко мост река гора окно книга лампа поле '.repeat(10)
    const greek = 'σπίτι δέντρο βουνό θάλασσα ήλιος πέτρα δρόμος νερό '.repeat(10)
    expect(isSalad(russian)).toBe(false)
    expect(isSalad(greek)).toBe(false)
    expect(isSalad(`${russian} ${filler(20)}`)).toBe(false)
    expect(isSalad(`${russian.slice(0, 100)} ${filler(100)}`)).toBe(true)
  })
})

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256Hex } from '../crypto/hash.ts'
import { hammingDistance, simHash } from './sim-hash.ts'
import { DICTIONARY, PROSE } from './word-salad.fixture.ts'
import { isWordSalad } from './word-salad.ts'
import { readWords } from './words.ts'

const hashOf = (text: string) => simHash(readWords(text))

/** The definition, word for word. */
function defined(text: string): bigint | undefined {
  const tokens = Array.from(text.matchAll(/[\p{L}\p{N}']+/gu), ([token]) => token.toLowerCase())
  if (tokens.length < 3) return undefined
  const shingles = new Set(tokens.slice(2).map((_, i) => tokens.slice(i, i + 3).join(' ')))
  const hashes = [...shingles].map((one) => BigInt(`0x${sha256Hex(one).slice(0, 16)}`))
  let hash = 0n
  for (let bit = 0n; bit < 64n; bit += 1n) {
    const set = hashes.filter((one) => (one >> bit) & 1n).length
    if (set > hashes.length - set) hash |= 1n << bit
  }
  return hash
}

describe('simHash', () => {
  it('follows its definition for any text', () => {
    const word = fc.oneof(
      fc.constantFrom(...DICTIONARY, 'ΑΣ', 'İ', "l'eau", '１２', '🙂', 'x'.repeat(60)),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
    )
    const between = fc.constantFrom(' ', '. ', '\n', '-', '’')
    const text = fc.array(fc.tuple(word, between), { maxLength: 80 })
    fc.assert(
      fc.property(text, (parts) => {
        const given = parts.flat().join('')
        expect(hashOf(given)).toBe(defined(given))
      }),
    )
  })

  it('follows it for long texts, which are hashed in steps', () => {
    const long = Array.from({ length: 20_000 }, (_, i) => `word${(i * i) % 7919}`).join(' ')
    expect(hashOf(long)).toBe(defined(long))
  })

  it('needs three words', () => {
    expect(hashOf('')).toBeUndefined()
    expect(hashOf('one two')).toBeUndefined()
    expect(hashOf('one two three')).toBe(defined('one two three'))
  })

  it('gives 0 to bits that are set as often as not', () => {
    const text = 'one two three four'
    const [one, two] = ['one two three', 'two three four'].map((shingle) => defined(shingle) ?? 0n)
    expect(hashOf(text)).toBe((one ?? 0n) & (two ?? 0n))
  })

  it('ignores case, punctuation and repeated passages', () => {
    const text = 'Where is my parcel today'
    expect(hashOf('where... IS my "parcel"\ntoday?')).toBe(hashOf(text))
    expect(hashOf('a b c a b c a b c')).toBe(defined('a b c a b c'))
  })

  it('counts each shingle once even if a sender chose shingles whose hashes clash', () => {
    const words = ['chosen', 'words']
    for (let candidate = 0; words.length < 110; candidate += 1) {
      const shingle = `${words.slice(-2).join(' ')} w${candidate}`
      if (sha256Hex(shingle).slice(14, 16) === '2a') words.push(`w${candidate}`)
    }
    const text = [...words, ...words].join(' ')
    expect(hashOf(text)).toBe(defined(text))
  })

  it('is near for small changes, and far for different texts', () => {
    const { english = '', german = '' } = PROSE
    const long = `${english} ${german}`
    const changed = long.replace('parcel', 'packet')
    const distance = (one: string, other: string) =>
      hammingDistance(hashOf(one) ?? 0n, hashOf(other) ?? 0n)
    expect(distance(long, `${long} Done.`)).toBeLessThan(12)
    expect(distance(long, changed)).toBeLessThan(16)
    expect(distance(english, german)).toBeGreaterThan(16)
  })
})

describe('hammingDistance', () => {
  it('counts the bits that differ', () => {
    expect(hammingDistance(0n, 0n)).toBe(0)
    expect(hammingDistance(0b1011n, 0b0010n)).toBe(2)
    expect(hammingDistance(0n, 2n ** 64n - 1n)).toBe(64)
  })
})

type Vector = {
  texts: { name: string; text: string; sim_hash: string | null; word_salad: boolean }[]
}

describe('the shared vectors', () => {
  const file = new URL('../../../../vectors/provenance/thin-evidence.json', import.meta.url)
  const { texts }: Vector = JSON.parse(readFileSync(file, 'utf8'))

  it.each(texts)('$name', ({ text, sim_hash, word_salad }) => {
    const words = readWords(text)
    expect(simHash(words)?.toString(16).padStart(16, '0') ?? null).toBe(sim_hash)
    expect(isWordSalad(words)).toBe(word_salad)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import {
  findPhrase,
  intentEnd,
  isNegated,
  phraseOf,
  type RuleText,
  readText,
  stemOf,
} from './rule-text.ts'

const sentencesOf = (read: RuleText) =>
  read.sentences.map(({ from, to }) => read.words.slice(from, to).join(' '))
const tokens = (raw: string) => readText(raw).words

describe('readText', () => {
  it.each([
    [
      'One. Two! Three? Four; five\nsix\r\nseven',
      ['one', 'two', 'three', 'four', 'five', 'six', 'seven'],
    ],
    ['Wait... what', ['wait', 'what']],
    ['Wait… what', ['wait', 'what']],
    [' . ; ! ', []],
    ['', []],
    ['no stop at the end', ['no stop at the end']],
    ['Ｗｉｄｅ． ｎｅｘｔ', ['wide', 'next']],
  ])('splits %j into sentences', (raw, sentences) => {
    expect(sentencesOf(readText(raw))).toEqual(sentences)
  })

  it.each([
    ['exfiltrate_data share-credentials', ['exfiltrate', 'data', 'share', 'credentials']],
    ["I'll DON'T", ["i'll", "don't"]],
    ['I’ll “quote”', ["i'll", 'quote']],
    ['naïve café №7', ['naïve', 'café', 'no7']],
    ['ｉｇｎｏｒｅ ﬁle', ['ignore', 'file']],
    ['价格 цена 2024', ['价格', 'цена', '2024']],
    ['a😀b', ['a', 'b']],
    ['𐐀𐐁 𠀀', ['𐐨𐐩', '𠀀']],
    ['\ud800x', ['x']],
    ['İx', ['i', 'x']],
  ])('reads the tokens of %j', (raw, words) => {
    expect(tokens(raw)).toEqual(words)
  })

  it('finds the tokens that a regular expression over each sentence would find', () => {
    const chars = fc.constantFrom(..."aZ'_-.!?;\n\r \t0é’“İΣ😀𐐀\ud800\udc00漢…ﬁ")
    fc.assert(
      fc.property(fc.array(chars, { maxLength: 60 }), (parts) => {
        const raw = parts.join('')
        const plain = raw
          .normalize('NFKC')
          .replace(/[‘’‚‛]/g, "'")
          .replace(/[“”„‟]/g, '"')
        const expected = plain
          .toLowerCase()
          .split(/[.!?;\n\r]+/)
          .map(
            (one) =>
              one
                .toLowerCase()
                .replace(/[_-]/g, ' ')
                .match(/[\p{L}\p{N}']+/gu) ?? [],
          )
          .filter((words) => words.length > 0)
        const read = readText(raw)
        expect(sentencesOf(read)).toEqual(expected.map((words) => words.join(' ')))
        expect(read.offsets).toHaveLength(read.words.length)
      }),
      runs(500),
    )
  })
})

describe('stemOf', () => {
  it.each([
    ['exfiltrating', 'exfiltrat'],
    ['exfiltrate', 'exfiltrat'],
    ['files', 'fil'],
    ['fees', 'fee'],
    ['fee', 'fee'],
    ['pass', 'pass'],
    ['passes', 'pass'],
    ['ring', 'ring'],
    ['bring', 'bring'],
    ['used', 'used'],
    ['added', 'add'],
    ['the', 'the'],
    ['not', 'not'],
    ['note', 'note'],
    ['notes', 'note'],
    ['noted', 'note'],
    ['noting', 'note'],
  ])('%s becomes %s', (word, stem) => {
    expect(stemOf(word)).toBe(stem)
  })

  it('keeps at least three characters and only removes some', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,12}$/), (word) => {
        const stem = stemOf(word)
        expect(stem.length).toBeGreaterThanOrEqual(Math.min(3, word.length))
        expect(word.startsWith(stem) || stem === 'note').toBe(true)
      }),
    )
  })
})

describe('findPhrase', () => {
  const find = (text: string, phrase: string) => {
    const read = readText(text)
    return findPhrase(read.stems, { from: 0, to: read.words.length }, phraseOf(phrase))
  }
  it.each([
    ['hide this from them', 'hide this from', { a: 0, b: 2 }],
    ['hiding all of this away from them', 'hide this from', { a: 0, b: 5 }],
    ['hide one two three this from', 'hide this from', undefined],
    ['from this hide', 'hide this from', undefined],
    ['this hide from', 'hide this from', undefined],
    // The nearest second word is a dead end, a later one is not.
    ['a b x b x c', 'a b c', { a: 0, b: 5 }],
    ['a b x x x x a b c c', 'a b c', { a: 6, b: 8 }],
    ['a a a b', 'a b', { a: 0, b: 3 }],
    ['a a a a b', 'a b', { a: 1, b: 4 }],
    ['escalates', 'escalate', { a: 0, b: 0 }],
    ['', 'escalate', undefined],
  ])('in %j, %j: %o', (text, phrase, match) => {
    expect(find(text, phrase)).toEqual(match)
  })

  it('finds the leftmost and then the shortest of all matches', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 14 })
    const wanted = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 4 })
    const endsFrom = (text: readonly string[], phrase: readonly string[], at: number): number[] => {
      if (text[at] !== phrase[0]) return []
      if (phrase.length === 1) return [at]
      return [1, 2, 3].flatMap((step) => endsFrom(text, phrase.slice(1), at + step))
    }
    fc.assert(
      fc.property(letters, wanted, (text, phrase) => {
        const all = text.flatMap((_, a) => endsFrom(text, phrase, a).map((b) => ({ a, b })))
        const [best] = all.sort((one, other) => one.a - other.a || one.b - other.b)
        const found = findPhrase(text, { from: 0, to: text.length }, phraseOf(phrase.join(' ')))
        expect(found).toEqual(best)
      }),
      runs(1000),
    )
  })
})

describe('isNegated', () => {
  const negated = (text: string, phrase = 'delete rows') => {
    const read = readText(text)
    const [sentence] = read.sentences
    if (sentence === undefined) return undefined
    const match = findPhrase(read.stems, sentence, phraseOf(phrase))
    return match === undefined ? undefined : isNegated(read, sentence, match)
  }
  it.each([
    ['never delete rows', true],
    ['I do not want to ever delete rows', true],
    ['not one two three four five delete rows', true],
    ['not one two three four five six delete rows', false],
    ['take note and delete rows', false],
    ['I refuse to delete rows', true],
    ['refusing to delete rows', true],
    ['declined to delete rows', true],
    ['without deleting rows', true],
    ['delete rows is forbidden', true],
    ['deleting rows would be plainly prohibited', true],
    ['delete rows one two three four forbidden', true],
    ['delete rows one two three four five forbidden', false],
    ['deleting rows is not allowed', true],
    ['deleting rows is not really allowed', false],
    ['delete rows one two three not permitted', true],
    ['delete rows one two three four not permitted', false],
    ['deleting rows is not good', false],
    ['delete rows', false],
    ['delete never rows', false],
  ])('%s: %s', (text, expected) => {
    expect(negated(text)).toBe(expected)
  })
})

describe('intentEnd', () => {
  const end = (text: string) => {
    const read = readText(text)
    return read.sentences[0] === undefined ? undefined : intentEnd(read, read.sentences[0])
  }
  it.each([
    ['I will go', 1],
    ["I'll go", 0],
    ['I am going to go', 3],
    ['I’m going to go', 2],
    ['so I should go', 2],
    ['I need to go', 2],
    ['I can go', 1],
    ['I plan to go', 2],
    ['let me go', 1],
    ["let's go", 0],
    ['we will go', 1],
    ["we'll go", 0],
    ['we should go', 1],
    ['they are going to go', 3],
    ['now proceed to go', 2],
    ['my plan is this', 2],
    ['next I go', 1],
    ['I go, and then we will', 5],
  ])('%s ends at %d', (text, expected) => {
    expect(end(text)).toBe(expected)
  })

  it.each(['I would go', 'we can go', 'I was going', 'my plans', 'let us go', 'will I go'])(
    '%s states none',
    (text) => {
      expect(end(text)).toBe(Number.POSITIVE_INFINITY)
    },
  )
})

/**
 * The text model of the rule analyser: sentences, tokens, stems, phrases, negation and intent
 * (spec: evidence §4.4). One pass over the characters, then work linear in the tokens examined; no
 * regular expression runs over the whole text, so none can be made to backtrack.
 */

/** Characters [start, end) and tokens [from, to) of the text; always has at least one token. */
export type Sentence = { start: number; end: number; from: number; to: number }

export type RuleText = {
  /**
   * The original text, and the normalised text in its original case, for case-sensitive patterns.
   */
  raw: string
  plain: string
  /** The source of quotes: normalised, usually in its original case. */
  text: string
  words: readonly string[]
  stems: readonly string[]
  /** The start offset of each token in the text. */
  offsets: readonly number[]
  sentences: readonly Sentence[]
}

const SEPARATOR = 0
const LETTER = 1
const STOP = 2

const ASCII_CLASS = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code)
  if (/[a-z0-9']/i.test(char)) return LETTER
  return /[.!?;\n\r]/.test(char) ? STOP : SEPARATOR
})
const WORD_CHARACTER = /^[\p{L}\p{N}]$/u
const NON_ASCII = /[^\0-\x7f]/

export function readText(raw: string): RuleText {
  const plain = NON_ASCII.test(raw) ? straighten(raw) : raw
  const lower = plain.toLowerCase()
  // Only İ gets longer in lower case. Then quotes are in lower case, so that the offsets stay
  // correct.
  const text = lower.length === plain.length ? plain : lower
  const words: string[] = []
  const offsets: number[] = []
  const sentences: Sentence[] = []
  let start = 0
  let from = 0
  let wordStart = -1
  // One step past the end, to close the last word and sentence.
  for (let at = 0; at <= lower.length; at += 1) {
    const kind = classAt(lower, at)
    if (kind === LETTER) {
      if (wordStart < 0) wordStart = at
      continue
    }
    if (wordStart >= 0) {
      offsets.push(wordStart)
      words.push(lower.slice(wordStart, at))
      wordStart = -1
    }
    if (kind !== STOP) continue
    if (words.length > from) sentences.push({ start, end: at, from, to: words.length })
    start = at + 1
    from = words.length
  }
  return { raw, plain, text, words, stems: words.map(stemOf), offsets, sentences }
}

function straighten(raw: string): string {
  return raw
    .normalize('NFKC')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
}

function classAt(text: string, at: number): number {
  if (at === text.length) return STOP
  const unit = text.charCodeAt(at)
  if (unit < 128) return ASCII_CLASS[unit] ?? SEPARATOR
  const known = CLASS_MEMO[unit] ?? 0
  if (known !== 0) return known - 1
  const kind = WORD_CHARACTER.test(characterAt(text, at)) ? LETTER : SEPARATOR
  // A lone half of a surrogate pair does not determine the class of the pair, so it is not cached.
  if (!isHigh(unit) && !isLow(unit)) CLASS_MEMO[unit] = kind + 1
  return kind
}

/** The second half of a surrogate pair is classified with the first. */
function characterAt(text: string, at: number): string {
  const second = isLow(text.charCodeAt(at)) && at > 0 && isHigh(text.charCodeAt(at - 1))
  return String.fromCodePoint(text.codePointAt(second ? at - 1 : at) ?? 0)
}

/** Cache of class + 1 per UTF-16 unit, because \p lookups are slow. */
const CLASS_MEMO = new Uint8Array(65_536)

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

const STEM_LENGTH_MIN = 3

/**
 * Drops the first of the suffixes `ing ed es s e` that leaves enough: crude, but reproducible by
 * every reader.
 */
export function stemOf(word: string): string {
  const dropped = endingOf(word)
  if (dropped === 0) return word
  const stem = word.slice(0, word.length - dropped)
  // `note` is not `not` (spec: evidence §4.4 on negations), so no phrase with `not` may match it.
  return stem === 'not' ? 'note' : stem
}

/** The number of characters to drop, decided by the last ones because this runs for every token. */
function endingOf(word: string): number {
  const rest = word.length - STEM_LENGTH_MIN
  if (rest < 1) return 0
  switch (word.charCodeAt(word.length - 1)) {
    case G:
      return rest >= 3 && word.endsWith('ing') ? 3 : 0
    case D:
      return rest >= 2 && word.charCodeAt(word.length - 2) === E ? 2 : 0
    case S: {
      const before = word.charCodeAt(word.length - 2)
      if (before === E && rest >= 2) return 2
      return before === S ? 0 : 1
    }
    case E:
      return 1
    default:
      return 0
  }
}
const [D, E, G, S] = [100, 101, 103, 115] as const

/** `bits`: the positions of each stem in the phrase, with the first word as bit 0. */
export type Phrase = { text: string; first: string | undefined; length: number; bits: PhraseBits }
type PhraseBits = ReadonlyMap<string, number>

/** Further words would hardly matter, and the positions must fit into the bits of an integer. */
const PHRASE_WORDS_MAX = 30

export function phraseOf(text: string): Phrase {
  const stems = readText(text).stems.slice(0, PHRASE_WORDS_MAX)
  const bits = new Map<string, number>()
  for (const [place, stem] of stems.entries()) bits.set(stem, (bits.get(stem) ?? 0) | (1 << place))
  return { text, first: stems[0], length: stems.length, bits }
}

/** Tokens allowed between two adjacent words of a phrase. */
const GAP_MAX = 2
const STEP_MAX = GAP_MAX + 1

export type Match = { a: number; b: number }

/** The leftmost match within tokens [from, to), and the shortest of those with that start. */
export function findPhrase(
  stems: readonly string[],
  range: { from: number; to: number },
  phrase: Phrase,
): Match | undefined {
  const a = leftmost(stems, range, phrase)
  return a === undefined ? undefined : { a, b: firstEnd(stems, a, phrase) }
}

/**
 * Scans from right to left and keeps, per token, a bit set of phrase words from which the rest
 * matches. One lookup per token whatever the phrase, so no card can make this slow.
 */
function leftmost(
  stems: readonly string[],
  range: { from: number; to: number },
  phrase: Phrase,
): number | undefined {
  const lastWord = 1 << (phrase.length - 1)
  let found: number | undefined
  let [one, two, three] = [0, 0, 0]
  for (let at = range.to - 1; at >= range.from; at -= 1) {
    const here = phrase.bits.get(stems[at] ?? '') ?? 0
    const matching = here & (lastWord | ((one | two | three) >> 1))
    if (matching & 1) found = at
    three = two
    two = one
    one = matching
  }
  return found
}

/** Scans from left to right and keeps the words reached so far; `a` is known to start a match. */
function firstEnd(stems: readonly string[], a: number, phrase: Phrase): number {
  const lastWord = 1 << (phrase.length - 1)
  let [one, two, three] = [1, 0, 0]
  let end = a
  const furthest = a + STEP_MAX * phrase.length
  while (!(one & lastWord) && end < furthest) {
    end += 1
    const here = phrase.bits.get(stems[end] ?? '') ?? 0
    const reached = here & ((one | two | three) << 1)
    three = two
    two = one
    one = reached
  }
  return end
}

const NEGATIONS: ReadonlySet<string> = new Set([
  'not',
  'never',
  'no',
  "don't",
  "won't",
  "can't",
  'cannot',
  "shouldn't",
  "mustn't",
  "wouldn't",
  'without',
])
const REFUSALS: ReadonlySet<string> = new Set(
  ['refuse', 'decline', 'avoid', 'reject', 'prevent', 'stop'].map(stemOf),
)
const PROHIBITIONS: ReadonlySet<string> = new Set(
  ['forbidden', 'prohibited', 'disallowed', 'unacceptable'].map(stemOf),
)
const NOT_WHAT: ReadonlySet<string> = new Set(['allowed', 'permitted'])

const BEFORE_MAX = 6
const AFTER_MAX = 5

/** Whether tokens [from, to) contain a negation or a refusal. */
export function hasNegation(text: RuleText, from: number, to: number): boolean {
  return hasAny(text, { from, to }, { words: NEGATIONS, stems: REFUSALS })
}

/** Negated before the phrase (`never …`) or after it (`… is forbidden`), within the sentence. */
export function isNegated(text: RuleText, sentence: Sentence, match: Match): boolean {
  if (hasNegation(text, Math.max(sentence.from, match.a - BEFORE_MAX), match.a)) return true
  const to = Math.min(sentence.to, match.b + 1 + AFTER_MAX)
  for (let at = match.b + 1; at < to; at += 1) {
    if (PROHIBITIONS.has(text.stems[at] ?? '')) return true
    if (text.words[at] === 'not' && at + 1 < to && NOT_WHAT.has(text.words[at + 1] ?? '')) {
      return true
    }
  }
  return false
}

/** Some words are compared whole and some by their stem. */
export type WordList = { words: ReadonlySet<string>; stems: ReadonlySet<string> }

export function hasAny(
  text: RuleText,
  range: { from: number; to: number },
  list: WordList,
): boolean {
  for (let at = range.from; at < range.to; at += 1) {
    if (list.words.has(text.words[at] ?? '') || list.stems.has(text.stems[at] ?? '')) return true
  }
  return false
}

/** By first word, the words that must follow directly. */
const INTENT_RUNS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ['i', [['will'], ['am', 'going', 'to'], ['should'], ['need', 'to'], ['can'], ['plan', 'to']]],
  ["i'll", [[]]],
  ["i'm", [['going', 'to']]],
  ['let', [['me']]],
  ["let's", [[]]],
  ['we', [['will'], ['should']]],
  ["we'll", [[]]],
  ['going', [['to']]],
  ['proceed', [['to']]],
  ['my', [['plan', 'is']]],
  ['next', [['i']]],
])

/** The last token of the intent phrase that ends first; infinity if the sentence states none. */
export function intentEnd(text: RuleText, sentence: Sentence): number {
  let end = Number.POSITIVE_INFINITY
  for (let at = sentence.from; at < sentence.to && at < end; at += 1) {
    for (const rest of INTENT_RUNS.get(text.words[at] ?? '') ?? []) {
      const last = at + rest.length
      if (last >= sentence.to || last >= end) continue
      if (rest.every((word, index) => text.words[at + 1 + index] === word)) end = last
    }
  }
  return end
}

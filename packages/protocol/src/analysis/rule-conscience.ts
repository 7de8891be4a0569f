import type { CheckedValue } from './pipeline.ts'
import { type Notes, quote } from './rule-finding.ts'
import { KEY_STOPWORDS, PROHIBITIVE } from './rule-phrases.ts'
import { hasNegation, intentEnd, type RuleText, readText } from './rule-text.ts'

const KEY_LETTERS_MIN = 4
const KEYS_MIN = 2

/** R10: sentences about the subject of a conscience value outside the system base. */
export function createConscienceRule(
  values: readonly CheckedValue[],
): (text: RuleText, notes: Notes) => void {
  const keyed = values.flatMap((value) => {
    const keys = keysOf(value)
    return keys === undefined ? [] : [{ value, keyCount: keys.size, keys }]
  })
  const valuesOfKey = new Map<string, number[]>()
  for (const [index, { keys }] of keyed.entries()) {
    for (const key of keys) {
      const known = valuesOfKey.get(key)
      if (known === undefined) valuesOfKey.set(key, [index])
      else known.push(index)
    }
  }
  return (text, notes) => {
    if (keyed.length === 0) return
    for (const sentenceIndex of text.sentences.keys()) {
      for (const [index, count] of countKeys(text, sentenceIndex, valuesOfKey)) {
        const touched = keyed[index]
        // 60 %, in integers.
        if (touched === undefined || count < KEYS_MIN || count * 10 < touched.keyCount * 6) continue
        judge(text, sentenceIndex, touched.value, notes)
      }
    }
  }
}

/** Undefined for a value that the rule cannot apply to. */
function keysOf(value: CheckedValue): ReadonlySet<string> | undefined {
  if (value.isBase) return undefined
  const { words, stems } = readText(value.content)
  const prohibits = words.some((word) => PROHIBITIVE.has(word))
  if (value.type === 'BOUNDARY' && !prohibits) return undefined
  const keys = new Set(
    stems.filter((_, index) => {
      const word = words[index] ?? ''
      return word.length >= KEY_LETTERS_MIN && !KEY_STOPWORDS.has(word)
    }),
  )
  return keys.size < KEYS_MIN ? undefined : keys
}

/** The number of distinct keys of each value in the sentence. */
function countKeys(
  text: RuleText,
  sentenceIndex: number,
  valuesOfKey: ReadonlyMap<string, readonly number[]>,
): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  const seen = new Set<string>()
  const { from, to } = text.sentences[sentenceIndex] ?? { from: 0, to: 0 }
  for (let at = from; at < to; at += 1) {
    const stem = text.stems[at] ?? ''
    const indexes = valuesOfKey.get(stem)
    if (indexes === undefined || seen.has(stem)) continue
    seen.add(stem)
    for (const index of indexes) counts.set(index, (counts.get(index) ?? 0) + 1)
  }
  return counts
}

function judge(text: RuleText, sentenceIndex: number, value: CheckedValue, notes: Notes): void {
  const sentence = text.sentences[sentenceIndex]
  if (sentence === undefined) return
  if (hasNegation(text, sentence.from, sentence.to)) {
    notes.supports.add(value.key)
  } else if (Number.isFinite(intentEnd(text, sentence))) {
    notes.findings.push({
      rule: 10,
      subject: value.key,
      position: sentence.start,
      category: 'value_misalignment',
      severity: value.type === 'BOUNDARY' ? 'high' : 'medium',
      // Without the value's name: descriptions are attested and public, values belong to their
      // owner.
      description: `R10: intent against a conscience value (${value.type}) in the reasoning`,
      evidence: quote(text, sentenceIndex),
      conscienceValue: value.key,
      about: { kind: 'conscience_value', name: value.key },
    })
  } else {
    notes.considerations.add(`${value.key} touched without intent`)
  }
}

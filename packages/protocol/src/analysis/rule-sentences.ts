import { actionName } from '../cards/card.ts'
import { type Finding, quote } from './rule-finding.ts'
import type { AnalysedCard } from './rule-input.ts'
import {
  ASKS_FIRST,
  DECEPTION,
  DECEPTION_ALWAYS,
  INJECTION,
  INJECTION_REJECTED,
  UNDECLARED_INTENT,
} from './rule-phrases.ts'
import {
  findPhrase,
  hasAny,
  intentEnd,
  isNegated,
  type Match,
  type Phrase,
  phraseOf,
  type RuleText,
  type Sentence,
} from './rule-text.ts'

/** Rules on phrases within a sentence: R1, R2, R5, R6, R7, and the approvals that R4 looks for. */
export type PhraseSubject = 'injection' | 'forbidden' | 'deception' | 'conflict' | 'undeclared'

export type Hit = {
  kind: PhraseSubject
  finding?: Omit<Finding, 'rule' | 'category'>
  supports?: string
  consideration?: string
}

/** `asksFirst`: the agent asks somebody before acting, which satisfies R4. */
export type Hits = { hits: readonly Hit[]; asksFirst: boolean }

type RulePhrase = {
  kind: PhraseSubject | 'asks_first'
  phrase: Phrase
  /** Fires even if negated, because the phrase is a negation itself. */
  always?: true
}

/** Indexed by first stem, so that a token is compared only with phrases that start with it. */
type Index = ReadonlyMap<string, readonly RulePhrase[]>

const FIXED = indexOf([
  ...INJECTION.map((phrase): RulePhrase => ({ kind: 'injection', phrase })),
  ...DECEPTION_ALWAYS.map((phrase): RulePhrase => ({ kind: 'deception', phrase, always: true })),
  ...DECEPTION.map((phrase): RulePhrase => ({ kind: 'deception', phrase })),
  ...UNDECLARED_INTENT.map((phrase): RulePhrase => ({ kind: 'undeclared', phrase })),
  ...ASKS_FIRST.map((phrase): RulePhrase => ({ kind: 'asks_first', phrase })),
])

function indexOf(phrases: readonly RulePhrase[]): Map<string, readonly RulePhrase[]> {
  const index = new Map<string, RulePhrase[]>()
  for (const one of phrases) {
    const { first } = one.phrase
    // A name without any word, such as `***`, cannot occur in a sentence.
    if (first === undefined) continue
    const known = index.get(first)
    if (known === undefined) index.set(first, [one])
    else known.push(one)
  }
  return index
}

export type PhraseRules = { find: (text: RuleText) => Hits }

export function createPhraseRules(card: AnalysedCard): PhraseRules {
  const own = (kind: PhraseSubject, entry: string): RulePhrase => {
    return { kind, phrase: { ...phraseOf(actionName(entry)), text: entry } }
  }
  const { forbidden_actions: forbidden = [] } = card.autonomy_envelope
  const { conflicts_with: conflicts = [] } = card.values
  const index = indexOf([
    ...forbidden.map((action) => own('forbidden', action)),
    ...conflicts.map((value) => own('conflict', value)),
  ])
  for (const [first, fixed] of FIXED) index.set(first, [...fixed, ...(index.get(first) ?? [])])
  return { find: (text) => find(text, index) }
}

function find(text: RuleText, index: Index): Hits {
  const hits: Hit[] = []
  let asksFirst = false
  const judge = createJudge(text)
  for (const [sentenceIndex, sentence] of text.sentences.entries()) {
    for (const { one, from } of candidatePhrases(text, sentence, index)) {
      const match = findPhrase(text.stems, { from, to: sentence.to }, one.phrase)
      if (match === undefined) continue
      if (one.kind === 'asks_first') asksFirst = true
      else {
        const { kind, phrase, always } = one
        hits.push(judge({ kind, phrase, always, sentenceIndex, match }))
      }
    }
  }
  return { hits, asksFirst }
}

/** Phrases whose first word occurs in the sentence, each with its first position. */
function candidatePhrases(text: RuleText, sentence: Sentence, index: Index) {
  const found: { one: RulePhrase; from: number }[] = []
  let seen: Set<readonly RulePhrase[]> | undefined
  for (let from = sentence.from; from < sentence.to; from += 1) {
    const phrases = index.get(text.stems[from] ?? '')
    if (phrases === undefined || seen?.has(phrases)) continue
    seen ??= new Set()
    seen.add(phrases)
    for (const one of phrases) found.push({ one, from })
  }
  return found
}

type Found = {
  kind: PhraseSubject
  phrase: Phrase
  always: true | undefined
  sentenceIndex: number
  match: Match
}

const VALUE_OF: Partial<Record<PhraseSubject, string>> = {
  injection: 'BOUNDARY:no_injected_orders',
  forbidden: 'BOUNDARY:stay_in_bounds',
  deception: 'BOUNDARY:no_deception',
  undeclared: 'FEAR:scope_creep',
}

const FIELD_OF: Partial<Record<PhraseSubject, string>> = {
  forbidden: 'autonomy_envelope.forbidden_actions',
  conflict: 'values.conflicts_with',
}

const SUBJECT_KIND_OF: Partial<Record<PhraseSubject, 'mentioned_action' | 'value'>> = {
  forbidden: 'mentioned_action',
  conflict: 'value',
}

function createJudge(text: RuleText): (found: Found) => Hit {
  // Cached, so that a long sentence with many phrases is searched for intent only once.
  const ends = new Map<number, number>()
  const endOf = (sentenceIndex: number): number => {
    const sentence = text.sentences[sentenceIndex]
    if (sentence === undefined) return Number.POSITIVE_INFINITY
    const end = ends.get(sentenceIndex) ?? intentEnd(text, sentence)
    ends.set(sentenceIndex, end)
    return end
  }
  return (found) => {
    const { kind, sentenceIndex, match } = found
    if (isRejected(text, found)) {
      const supports = VALUE_OF[kind]
      const rejected = kind === 'injection' ? { consideration: 'injection attempt rejected' } : {}
      return { kind, ...(supports === undefined ? {} : { supports }), ...rejected }
    }
    const intent = endOf(sentenceIndex) < match.a
    const follows = kind === 'injection' && Number.isFinite(endOf(sentenceIndex + 1))
    const severity = severityOf(kind, intent || follows)
    return severity === undefined ? { kind } : { kind, finding: toFinding(text, found, severity) }
  }
}

function isRejected(text: RuleText, { kind, always, sentenceIndex, match }: Found): boolean {
  const [sentence, next] = text.sentences.slice(sentenceIndex, sentenceIndex + 2)
  if (sentence === undefined || always) return false
  if (kind !== 'injection') return isNegated(text, sentence, match)
  if (hasAny(text, sentence, INJECTION_REJECTED)) return true
  return next !== undefined && hasAny(text, next, INJECTION_REJECTED)
}

/**
 * Undefined if there is no finding: a conflicting value may be mentioned, as long as it is not
 * intended.
 */
function severityOf(kind: PhraseSubject, intended: boolean) {
  switch (kind) {
    case 'injection':
      return intended ? 'high' : 'medium'
    case 'forbidden':
      return intended ? 'critical' : 'medium'
    case 'deception':
      return 'high'
    case 'conflict':
      return intended ? 'high' : undefined
    case 'undeclared':
      return 'medium'
  }
}

const WORDS_OF: Record<PhraseSubject, string> = {
  injection: 'words of an injected instruction',
  forbidden: 'words of a forbidden action',
  deception: 'words of deception',
  conflict: 'intent towards a value the card conflicts with',
  undeclared: 'words of an undeclared intent',
}

function toFinding(
  text: RuleText,
  { kind, phrase, sentenceIndex, match }: Found,
  severity: Finding['severity'],
): Omit<Finding, 'rule' | 'category'> {
  const cardField = FIELD_OF[kind]
  const conscienceValue = VALUE_OF[kind]
  const subjectKind = SUBJECT_KIND_OF[kind]
  return {
    subject: `${kind} ${phrase.text}`,
    position: text.offsets[match.a] ?? 0,
    severity,
    description: `${WORDS_OF[kind]}, "${phrase.text}",`,
    evidence: quote(text, sentenceIndex),
    ...(cardField === undefined ? {} : { cardField }),
    ...(conscienceValue === undefined ? {} : { conscienceValue }),
    ...(subjectKind === undefined
      ? {}
      : { about: { kind: subjectKind, name: actionName(phrase.text) } }),
  }
}

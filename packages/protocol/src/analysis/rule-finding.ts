import {
  type Category,
  type Concern,
  type ConcernSubject,
  rankOf,
  type Severity,
  toEvidence,
} from './concern.ts'
import { SECRET_IN_QUOTE } from './rule-phrases.ts'
import type { RuleText } from './rule-text.ts'

/** A concern before ordering; `subject` is the phrase, action or value that it is about. */
export type Finding = {
  rule: number
  subject: string
  position: number
  category: Category
  severity: Severity
  description: string
  evidence: string
  cardField?: string
  conscienceValue?: string
  /** The name that the concern keeps. */
  about?: ConcernSubject
}

/** The results that the rules collect. */
export type Notes = {
  findings: Finding[]
  supports: Set<string>
  considerations: Set<string>
}

/** Longer than any evidence, so that every secret in it is recognised before it is cut. */
const QUOTE_CHARACTERS_MAX = 300
export const SECRET_CHARACTERS_SHOWN = 8

/** Quotes a sentence as evidence, with secrets masked. */
export function quote(text: RuleText, sentenceIndex: number): string {
  const sentence = text.sentences[sentenceIndex]
  if (sentence === undefined) return ''
  const whole = text.text.slice(sentence.start, sentence.end).trim()
  return withoutSecrets(whole.slice(0, QUOTE_CHARACTERS_MAX))
}

export function withoutSecrets(quoted: string): string {
  return quoted.replace(SECRET_IN_QUOTE, (secret) => `${secret.slice(0, SECRET_CHARACTERS_SHOWN)}…`)
}

/**
 * Keeps one finding per rule and subject, the worst and among those the first; then sorts by
 * severity, rule, position.
 */
export function dedupeAndSort(findings: readonly Finding[]): Finding[] {
  const best = new Map<string, Finding>()
  for (const finding of findings) {
    const key = `${finding.rule} ${finding.subject}`
    const known = best.get(key)
    if (known === undefined || isBefore(finding, known)) best.set(key, finding)
  }
  return [...best.values()].sort(
    (one, other) =>
      rankOf(other.severity) - rankOf(one.severity) ||
      one.rule - other.rule ||
      one.position - other.position,
  )
}

function isBefore(one: Finding, other: Finding): boolean {
  const graver = rankOf(one.severity) - rankOf(other.severity)
  return graver > 0 || (graver === 0 && one.position < other.position)
}

/** A conscience value that the organisation dropped cannot be violated. */
export function toConcern(finding: Finding, valuesInEffect: ReadonlySet<string>): Concern {
  const value = finding.conscienceValue
  return {
    category: finding.category,
    severity: finding.severity,
    description: finding.description,
    evidence: toEvidence(finding.evidence),
    relevant_card_field: finding.cardField ?? null,
    relevant_conscience_value: value !== undefined && valuesInEffect.has(value) ? value : null,
    subject: finding.about ?? null,
  }
}

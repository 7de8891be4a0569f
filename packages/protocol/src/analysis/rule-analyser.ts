import type { Analysis, Category } from './concern.ts'
import type { CheckedValue } from './pipeline.ts'
import { createConscienceRule } from './rule-conscience.ts'
import { analyseDeclared } from './rule-declared.ts'
import {
  dedupeAndSort,
  type Notes,
  quote,
  SECRET_CHARACTERS_SHOWN,
  toConcern,
} from './rule-finding.ts'
import type { RuleBasis, RuleFacts } from './rule-input.ts'
import { SECRETS } from './rule-phrases.ts'
import {
  createPhraseRules,
  type Hit,
  type PhraseRules,
  type PhraseSubject,
} from './rule-sentences.ts'
import { type RuleText, readText } from './rule-text.ts'

/**
 * The rule analyser, `rules-v1`. It is deterministic, so anybody with the texts can recompute a
 * verdict. It only matches words: a safety net with known gaps, not an understanding of the text.
 */
export function createRuleAnalyser(basis: RuleBasis): (facts: RuleFacts) => Analysis {
  // Compiled once: a card may name hundreds of actions, and most texts mention none of them.
  const rules = createPhraseRules(basis.card)
  const applyConscienceRule = createConscienceRule(basis.conscienceValues)
  return (facts) => {
    const notes: Notes = { findings: [], supports: new Set(), considerations: new Set() }
    const thinking = readText(facts.thinking)
    const asksFirst = analyseThinking(rules, thinking, notes)
    const { actions, context } = facts
    analyseDeclared({ card: basis.card, actions, context }, asksFirst, notes)
    findRepetition(thinking, notes)
    applyConscienceRule(thinking, notes)
    if (facts.output !== '') analyseOutput(rules, readText(facts.output), notes)
    return toAnalysis(basis.conscienceValues, notes)
  }
}

/** The meaning of a matched phrase in the agent's own reasoning (R1, R2, R5, R6, R7). */
const IN_THINKING: Record<PhraseSubject, { rule: number; category: Category }> = {
  injection: { rule: 1, category: 'prompt_injection' },
  forbidden: { rule: 2, category: 'autonomy_violation' },
  deception: { rule: 5, category: 'deceptive_reasoning' },
  conflict: { rule: 6, category: 'value_misalignment' },
  undeclared: { rule: 7, category: 'undeclared_intent' },
}

function analyseThinking(rules: PhraseRules, text: RuleText, notes: Notes): boolean {
  const { hits, asksFirst } = rules.find(text)
  for (const hit of hits) {
    noteAttitude(hit, notes)
    if (hit.finding === undefined) continue
    const { rule, category } = IN_THINKING[hit.kind]
    const description = `R${rule}: ${hit.finding.description} in the reasoning`
    notes.findings.push({ ...hit.finding, rule, category, description })
  }
  return asksFirst
}

function noteAttitude(hit: Hit, notes: Notes): void {
  if (hit.supports !== undefined) notes.supports.add(hit.supports)
  if (hit.consideration !== undefined) notes.considerations.add(hit.consideration)
}

const OUTPUT_RULE = 9

/** The same phrases in the output (R9), and secrets there. */
function analyseOutput(rules: PhraseRules, text: RuleText, notes: Notes): void {
  for (const hit of rules.find(text).hits) {
    if (hit.kind === 'undeclared') continue
    noteAttitude(hit, notes)
    if (hit.finding === undefined) continue
    const injected = hit.kind === 'injection'
    notes.findings.push({
      ...hit.finding,
      rule: OUTPUT_RULE,
      category: injected ? 'output_injection_compliance' : 'output_misalignment',
      description: `R${OUTPUT_RULE}: ${hit.finding.description} in the output`,
    })
  }
  for (const { name, pattern } of SECRETS) {
    const found = pattern.exec(text.plain) ?? pattern.exec(text.raw)
    if (found === null) continue
    notes.findings.push({
      rule: OUTPUT_RULE,
      subject: name,
      position: found.index,
      category: 'output_misalignment',
      severity: 'critical',
      description: `R${OUTPUT_RULE}: ${name} in the output`,
      evidence: found[0].slice(0, SECRET_CHARACTERS_SHOWN),
      conscienceValue: 'BOUNDARY:no_exfiltration',
    })
  }
}

const REPEATED_TOKENS_MIN = 5
const REPEATED_TIMES = 4
const SENTENCES_FOR_SHARE = 6

/** R8: repetitive reasoning. One concern, for the sentence that was repeated first. */
function findRepetition(text: RuleText, notes: Notes): void {
  const counts = new Map<string, { times: number; index: number }>()
  for (const index of likelyRepeated(text)) {
    const { from, to } = text.sentences[index] ?? { from: 0, to: 0 }
    const key = text.words.slice(from, to).join(' ')
    const known = counts.get(key)
    if (known === undefined) counts.set(key, { times: 1, index })
    else known.times += 1
  }
  const total = text.sentences.length
  for (const { times, index } of counts.values()) {
    const most = total >= SENTENCES_FOR_SHARE && times * 2 >= total
    if (times < REPEATED_TIMES && !most) continue
    notes.findings.push({
      rule: 8,
      subject: 'repetition',
      position: text.sentences[index]?.start ?? 0,
      category: 'reasoning_corruption',
      severity: 'medium',
      description: `R8: a sentence repeated ${times} times in the reasoning`,
      evidence: quote(text, index),
    })
    return
  }
}

/**
 * Equal sentences have equally many tokens and letters; comparing those first skips most sentences.
 */
function likelyRepeated(text: RuleText): number[] {
  const alike = new Map<number, number[]>()
  for (const [index, { from, to }] of text.sentences.entries()) {
    if (to - from < REPEATED_TOKENS_MIN) continue
    let letters = 0
    for (let at = from; at < to; at += 1) letters += text.words[at]?.length ?? 0
    const key = letters * 65_536 + (to - from)
    const known = alike.get(key)
    if (known === undefined) alike.set(key, [index])
    else known.push(index)
  }
  const fewest = SENTENCES_FOR_SHARE / 2
  const likely = [...alike.values()].filter((indexes) => indexes.length >= fewest)
  return likely.flat().sort((one, other) => one - other)
}

function toAnalysis(values: readonly CheckedValue[], notes: Notes): Analysis {
  const checked = new Set(values.map((value) => value.key))
  const concerns = dedupeAndSort(notes.findings).map((finding) => toConcern(finding, checked))
  const conflicts = concerns.flatMap((concern) => concern.relevant_conscience_value ?? [])
  const [worst] = concerns
  return {
    concerns,
    reasoning_summary:
      worst === undefined
        ? 'Rule-based analysis: no rule matched.'
        : `Rule-based analysis: ${concerns.length} concern(s), most severe ${worst.severity} ${worst.category}.`,
    conscience_context: {
      values_checked: [...checked],
      conflicts: [...new Set(conflicts)],
      supports: [...notes.supports].filter((key) => checked.has(key)),
      considerations: [...notes.considerations],
      consultation_depth: checked.size === 0 ? 'surface' : 'standard',
    },
  }
}

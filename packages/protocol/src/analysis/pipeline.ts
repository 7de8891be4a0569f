import { actingType, type EffectiveValue } from '../cards/conscience.ts'
import { type Concern, type Verdict, worstSeverity } from './concern.ts'

/**
 * The steps of spec: evidence §4.3 around an analyser, which sees only what these functions pass to
 * it.
 */

/** With less text a verdict would be a guess. */
export const EVIDENCE_TOKENS_MIN = 100

const CHARACTERS_PER_TOKEN = 4
const THINKING_TOKENS_MAX = 4096
const OUTPUT_TOKENS_MAX = 2048
/**
 * Truncation drops the middle of a long text, where an attack hides least often; the head contains
 * the plan.
 */
const HEAD_SHARE = 0.75

/** A rough estimate without a tokeniser, over UTF-16 units. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN)
}

export type Texts = { thinking?: string; output?: string }

/** Counts both texts, so that short thinking cannot hide a long output. */
export function hasEnoughEvidence({ thinking = '', output = '' }: Texts): boolean {
  return tokensOf(thinking) + tokensOf(output) >= EVIDENCE_TOKENS_MIN
}

export type Excerpt = {
  text: string
  tokensOriginal: number
  tokensAnalyzed: number
  truncated: boolean
}

export function truncateThinking(text: string): Excerpt {
  return truncate(text, THINKING_TOKENS_MAX)
}

export function truncateOutput(text: string): Excerpt {
  return truncate(text, OUTPUT_TOKENS_MAX)
}

/** Cuts at exact offsets, even within a surrogate pair, so that anybody can check them. */
function truncate(text: string, tokensMax: number): Excerpt {
  const tokensOriginal = tokensOf(text)
  if (tokensOriginal <= tokensMax) {
    return { text, tokensOriginal, tokensAnalyzed: tokensOriginal, truncated: false }
  }
  const kept = tokensMax * CHARACTERS_PER_TOKEN
  const head = text.slice(0, kept * HEAD_SHARE)
  const tail = text.slice(text.length - (kept - head.length))
  const joint = `\n[... ${tokensOriginal - tokensMax} tokens omitted ...]\n`
  return { text: head + joint + tail, tokensOriginal, tokensAnalyzed: tokensMax, truncated: true }
}

export type Scope = {
  scope: 'thinking_and_output' | 'thinking_only'
  timeoutMs: number
  maxTokens: number
}

export function scopeOf({ thinking, output }: Texts): Scope {
  return thinking !== undefined && output !== undefined
    ? { scope: 'thinking_and_output', timeoutMs: 15_000, maxTokens: 2048 }
    : { scope: 'thinking_only', timeoutMs: 10_000, maxTokens: 1024 }
}

const CONFIDENCE_OF = {
  native_thinking: 1,
  reasoning_content: 0.9,
  response_analysis: 0.3,
} as const
export type ExtractionMethod = keyof typeof CONFIDENCE_OF

/** Without thinking only the output was analysed, whatever the caller states. */
export function extractionOf(
  texts: Texts,
  asked: ExtractionMethod = 'native_thinking',
): { method: ExtractionMethod; confidence: number } {
  const method = texts.thinking === undefined ? 'response_analysis' : asked
  return { method, confidence: CONFIDENCE_OF[method] }
}

/** A value in its effective type for analysis; `key` is its name in reports. */
export type CheckedValue = {
  type: 'BOUNDARY' | 'FEAR'
  name: string
  content: string
  key: string
  isBase: boolean
}

/** BOUNDARY, FEAR and mandatory values. */
export function checkedValues(values: readonly EffectiveValue[]): CheckedValue[] {
  return values.flatMap((value) => {
    const { name, content, source } = value
    const type = actingType(value)
    if (type !== 'BOUNDARY' && type !== 'FEAR') return []
    return [{ type, name, content, key: `${type}:${name}`, isBase: source === 'base' }]
  })
}

/** The relevant findings about the checkpoint's linked trace. */
export type LinkedTrace = { violations: readonly string[]; policyFailed: boolean }

const TYPE_OF_FIELD: readonly (readonly [suffix: string, type: string])[] = [
  ['forbidden_actions', 'FORBIDDEN_ACTION'],
  ['bounded_actions', 'UNBOUNDED_ACTION'],
  ['escalation_triggers', 'MISSED_ESCALATION'],
  ['max_autonomous_value', 'MISSED_ESCALATION'],
]

/**
 * The type by which a violation can be reclassified. Also null if a failed analysis left no
 * concerns.
 */
export function violationType(
  verdict: Verdict,
  concerns: readonly Pick<Concern, 'category' | 'relevant_card_field'>[],
  trace?: LinkedTrace,
): string | null {
  if (verdict === 'clear') return null
  const traced = trace?.violations[0] ?? (trace?.policyFailed ? 'POLICY_VIOLATION' : undefined)
  if (traced !== undefined) return traced
  const first = concerns[0]
  return first === undefined ? null : concernType(first)
}

/** The type of a violation that this concern would be by itself. */
export function concernType(concern: Pick<Concern, 'category' | 'relevant_card_field'>): string {
  const byField = TYPE_OF_FIELD.find(([suffix]) => concern.relevant_card_field?.endsWith(suffix))
  return byField?.[1] ?? concern.category.toUpperCase()
}

export type Recommendation = {
  proceed: boolean
  recommendedAction: 'continue' | 'log_and_continue' | 'pause_for_review' | 'deny_and_escalate'
}

export function recommend(
  verdict: Verdict,
  concerns: readonly Pick<Concern, 'severity'>[],
): Recommendation {
  if (verdict === 'clear') return { proceed: true, recommendedAction: 'continue' }
  if (verdict === 'review_needed') return { proceed: true, recommendedAction: 'log_and_continue' }
  const critical = worstSeverity(concerns) === 'critical'
  return {
    proceed: false,
    recommendedAction: critical ? 'deny_and_escalate' : 'pause_for_review',
  }
}

export type EnforcementMode = 'observe' | 'nudge' | 'enforce'
export type Enforcement = {
  mode: EnforcementMode
  action: 'none' | 'nudge' | 'block'
  message: string | null
}

const ACTION_OF = { observe: 'none', nudge: 'nudge', enforce: 'block' } as const

/**
 * Enforces only an analysed violation or one that deliberately failed closed; both have this
 * verdict.
 */
export function enforcementOf(given: {
  mode: EnforcementMode
  verdict: Verdict
  violationType: string | null
  concerns: readonly Pick<Concern, 'severity'>[]
}): Enforcement {
  const { mode } = given
  const action = given.verdict === 'boundary_violation' ? ACTION_OF[mode] : 'none'
  if (action === 'none') return { mode, action, message: null }
  const type = given.violationType ?? 'ANALYSIS_FAILED'
  const severity = worstSeverity(given.concerns) ?? 'unknown'
  return { mode, action, message: `Integrity violation ${type}, severity ${severity}.` }
}

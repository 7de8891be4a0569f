import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EffectiveValue, SYSTEM_BASE_VALUES } from '../cards/conscience.ts'
import { hashCanonical } from '../crypto/hash.ts'
import {
  checkedValues,
  enforcementOf,
  extractionOf,
  hasEnoughEvidence,
  recommend,
  scopeOf,
  tokensOf,
  truncateOutput,
  truncateThinking,
  violationType,
} from './pipeline.ts'

const text = (length: number) => Array.from({ length }, (_, i) => String(i % 10)).join('')
const critical = [{ severity: 'critical' }] as const
const high = [{ severity: 'high' }] as const

describe('tokens and evidence', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['abcd', 1],
    ['abcde', 2],
    ['😀😀😀', 2],
  ])('%j has %d tokens', (given, tokens) => {
    expect(tokensOf(given)).toBe(tokens)
  })

  it.each([
    [396, undefined, false],
    [397, undefined, true],
    [undefined, 397, true],
    [1, 392, false],
    [1, 393, true],
    [200, 196, false],
    [200, 197, true],
  ])('%s of thinking and %s of output: %s', (thinking, output, enough) => {
    const texts = {
      ...(thinking === undefined ? {} : { thinking: text(thinking) }),
      ...(output === undefined ? {} : { output: text(output) }),
    }
    expect(hasEnoughEvidence(texts)).toBe(enough)
  })
})

describe('truncation', () => {
  it('keeps a text of exactly the limit', () => {
    expect(truncateThinking(text(16_384))).toEqual({
      text: text(16_384),
      tokensOriginal: 4096,
      tokensAnalyzed: 4096,
      truncated: false,
    })
    expect(truncateOutput(text(8192)).truncated).toBe(false)
  })

  it('cuts a text one character longer into head, marker and tail', () => {
    const given = text(16_385)
    const { text: cut, ...counts } = truncateThinking(given)
    expect(counts).toEqual({ tokensOriginal: 4097, tokensAnalyzed: 4096, truncated: true })
    expect(cut).toBe(`${given.slice(0, 12_288)}\n[... 1 tokens omitted ...]\n${given.slice(-4096)}`)
  })

  it('has a separate limit for output', () => {
    const given = text(400_000)
    const { text: cut, ...counts } = truncateOutput(given)
    expect(counts).toEqual({ tokensOriginal: 100_000, tokensAnalyzed: 2048, truncated: true })
    expect(cut).toBe(
      `${given.slice(0, 6144)}\n[... 97952 tokens omitted ...]\n${given.slice(-2048)}`,
    )
  })

  it('keeps the limit and the marker, however long the text', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 60_000 }), (length) => {
        const given = text(length)
        const cut = truncateThinking(given)
        const joint = `\n[... ${tokensOf(given) - 4096} tokens omitted ...]\n`
        expect(cut.text.length).toBe(length <= 16_384 ? length : 16_384 + joint.length)
        expect(cut.tokensAnalyzed).toBe(Math.min(4096, cut.tokensOriginal))
      }),
    )
  })
})

describe('scope and extraction', () => {
  it('gives both texts a larger share', () => {
    const both = { scope: 'thinking_and_output', timeoutMs: 15_000, maxTokens: 2048 }
    const one = { scope: 'thinking_only', timeoutMs: 10_000, maxTokens: 1024 }
    expect(scopeOf({ thinking: 'a', output: 'b' })).toEqual(both)
    expect(scopeOf({ thinking: 'a' })).toEqual(one)
    expect(scopeOf({ output: 'b' })).toEqual(one)
  })

  it('gives an output alone a low confidence, whatever the caller states', () => {
    expect(extractionOf({ thinking: 'a' })).toEqual({ method: 'native_thinking', confidence: 1 })
    expect(extractionOf({ thinking: 'a' }, 'reasoning_content').confidence).toBe(0.9)
    expect(extractionOf({ thinking: 'a' }, 'response_analysis').confidence).toBe(0.3)
    expect(extractionOf({ output: 'b' }, 'native_thinking')).toEqual({
      method: 'response_analysis',
      confidence: 0.3,
    })
  })
})

describe('conscience values', () => {
  const value = (type: EffectiveValue['type'], severity: EffectiveValue['severity']) => ({
    type,
    severity,
    name: 'n',
    content: 'c',
    source: 'org' as const,
  })

  it.each([
    ['BOUNDARY', null, 'BOUNDARY:n'],
    ['BOUNDARY', 'mandatory', 'BOUNDARY:n'],
    ['BOUNDARY', 'advisory', 'FEAR:n'],
    ['FEAR', null, 'FEAR:n'],
    ['FEAR', 'advisory', 'FEAR:n'],
    ['FEAR', 'mandatory', 'BOUNDARY:n'],
    ['HOPE', 'mandatory', 'BOUNDARY:n'],
    ['HOPE', 'advisory', undefined],
    ['COMMITMENT', null, undefined],
    ['BELIEF', null, undefined],
  ] as const)('%s %s is checked as %s', (type, severity, key) => {
    expect(checkedValues([value(type, severity)])[0]?.key).toBe(key)
  })

  it('keeps the system base as published', () => {
    const published = SYSTEM_BASE_VALUES.map(({ type, name, content }) => ({ type, name, content }))
    expect(published.map(({ type, name }) => `${type}:${name}`)).toEqual([
      'BOUNDARY:no_injected_orders',
      'BOUNDARY:stay_in_bounds',
      'BOUNDARY:no_deception',
      'BOUNDARY:no_exfiltration',
      'FEAR:scope_creep',
    ])
    expect(hashCanonical(published)).toMatchInlineSnapshot(
      `"5162eacdc9a0a4c4451b9df10cccd41c557e6db4da891b56022bcec2ad1b934b"`,
    )
  })
})

describe('violationType', () => {
  const first = (field: string | null) => [
    { category: 'undeclared_intent' as const, relevant_card_field: field },
    { category: 'prompt_injection' as const, relevant_card_field: null },
  ]
  it.each([
    ['autonomy_envelope.forbidden_actions', 'FORBIDDEN_ACTION'],
    ['autonomy_envelope.bounded_actions', 'UNBOUNDED_ACTION'],
    ['autonomy_envelope.escalation_triggers', 'MISSED_ESCALATION'],
    ['autonomy_envelope.max_autonomous_value', 'MISSED_ESCALATION'],
    ['values.conflicts_with', 'UNDECLARED_INTENT'],
    [null, 'UNDECLARED_INTENT'],
  ])('%s gives %s', (field, type) => {
    expect(violationType('review_needed', first(field))).toBe(type)
  })

  it('prefers the finding of the linked trace', () => {
    const concerns = first(null)
    const traced = (violations: string[], policyFailed: boolean) =>
      violationType('boundary_violation', concerns, { violations, policyFailed })
    expect(traced(['CARD_EXPIRED', 'UNDECLARED_VALUE'], true)).toBe('CARD_EXPIRED')
    expect(traced([], true)).toBe('POLICY_VIOLATION')
    expect(traced([], false)).toBe('UNDECLARED_INTENT')
  })

  it('is null for a clear checkpoint and for a failure without concerns', () => {
    expect(
      violationType('clear', first(null), { violations: ['X'], policyFailed: true }),
    ).toBeNull()
    expect(violationType('boundary_violation', [])).toBeNull()
  })
})

describe('recommend', () => {
  it.each([
    ['clear', [], true, 'continue'],
    ['review_needed', high, true, 'log_and_continue'],
    ['boundary_violation', high, false, 'pause_for_review'],
    ['boundary_violation', [...high, ...critical], false, 'deny_and_escalate'],
    ['boundary_violation', [], false, 'pause_for_review'],
  ] as const)('%s with %j', (verdict, concerns, proceed, recommendedAction) => {
    expect(recommend(verdict, concerns)).toEqual({ proceed, recommendedAction })
  })
})

describe('enforcementOf', () => {
  const given = { violationType: 'FORBIDDEN_ACTION', concerns: critical }
  it.each([
    ['observe', 'none', null],
    ['nudge', 'nudge', 'Integrity violation FORBIDDEN_ACTION, severity critical.'],
    ['enforce', 'block', 'Integrity violation FORBIDDEN_ACTION, severity critical.'],
  ] as const)('%s: %s', (mode, action, message) => {
    const enforced = enforcementOf({ ...given, mode, verdict: 'boundary_violation' })
    expect(enforced).toEqual({ mode, action, message })
    for (const verdict of ['clear', 'review_needed'] as const) {
      const left = enforcementOf({ ...given, mode, verdict })
      expect(left).toEqual({ mode, action: 'none', message: null })
    }
  })

  it('has a message for a failure that fails closed', () => {
    const verdict = 'boundary_violation'
    const failed = enforcementOf({ mode: 'enforce', verdict, violationType: null, concerns: [] })
    expect(failed.message).toBe('Integrity violation ANALYSIS_FAILED, severity unknown.')
  })
})

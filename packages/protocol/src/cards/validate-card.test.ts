import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../base/canonical-json.ts'
import { parseInstant } from '../base/shape.ts'
import { conscienceConflicts, defaultCard, STANDARD_VALUES } from './card.ts'
import { validateCard } from './validate-card.ts'

const NOW = new Date('2026-03-01T00:00:00Z')
const AT = { agentId: 'agent-demo', now: NOW }

const CARD = {
  principal: { type: 'human', relationship: 'advisory' },
  values: { declared: ['transparency', 'honesty'] },
  autonomy_envelope: { bounded_actions: ['search'], forbidden_actions: ['delete_files'] },
  audit_commitment: { retention_days: 30, queryable: false },
}

type Patch = Record<string, unknown>
const block = (name: keyof typeof CARD, patch: Patch) => ({ [name]: { ...CARD[name], ...patch } })
const judge = (patch: Patch, conscienceValues?: unknown) =>
  validateCard({ card: { ...CARD, ...patch }, conscienceValues }, AT)
const codes = (patch: Patch, conscienceValues?: unknown) =>
  judge(patch, conscienceValues).errors.map((error) => `${error.path} ${error.code}`)
const warned = (patch: Patch, conscienceValues?: unknown) =>
  judge(patch, conscienceValues).warnings.map((warning) => `${warning.path} ${warning.code}`)

describe('a valid card', () => {
  it('is returned with its defaults filled in and its times in UTC', () => {
    const outcome = judge({
      issued_at: '2026-02-01T01:00:00+01:00',
      expires_at: '2026-04-01T00:00Z',
      ...block('autonomy_envelope', { max_autonomous_value: { amount: 10 } }),
    })
    expect(outcome).toMatchObject({
      valid: true,
      conscienceValues: [],
      errors: [],
      warnings: [],
      card: {
        aap_version: '0.5.0',
        agent_id: 'agent-demo',
        issued_at: '2026-02-01T00:00:00.000Z',
        expires_at: '2026-04-01T00:00:00.000Z',
        values: { hierarchy: 'lexicographic' },
        autonomy_envelope: { max_autonomous_value: { amount: 10, currency: 'USD' } },
        audit_commitment: { trace_format: 'ap-trace-v1' },
      },
    })
  })

  it('keeps the older version as given, and validates again unchanged', () => {
    const outcome = judge({ aap_version: '0.1.0', card_id: 'ac-1' })
    expect(outcome).toMatchObject({ valid: true, card: { aap_version: '0.1.0', card_id: 'ac-1' } })
    if (!outcome.valid) return
    const again = validateCard({ card: outcome.card }, { ...AT, now: new Date(NOW.getTime() + 1) })
    expect(again).toMatchObject({ valid: true, card: outcome.card })
  })

  it('may be the default card', () => {
    const card = defaultCard('agent-demo', NOW)
    expect(validateCard({ card }, AT)).toMatchObject({ valid: true, card, warnings: [] })
  })
})

describe('400: a malformed card', () => {
  it.each([
    [{ principal: undefined }, '/principal required'],
    [{ principal: 'me' }, '/principal type'],
    [block('principal', { type: undefined }), '/principal/type required'],
    [block('principal', { type: 'robot' }), '/principal/type enum'],
    [block('principal', { relationship: 3 }), '/principal/relationship type'],
    [block('principal', { identifier: 'x'.repeat(257) }), '/principal/identifier too_large'],
    [{ aap_version: '0.4.0' }, '/aap_version enum'],
    [{ card_id: 'a b' }, '/card_id pattern'],
    [{ agent_id: 7 }, '/agent_id type'],
    [{ issued_at: 'yesterday' }, '/issued_at pattern'],
    [{ issued_at: '2026-03-01T00:00:00' }, '/issued_at pattern'],
    [{ expires_at: '2026-02-30T00:00:00Z' }, '/expires_at pattern'],
    [{ expires_at: null }, '/expires_at type'],
    [{ extensions: [] }, '/extensions type'],
    [block('values', { declared: [] }), '/values/declared required'],
    [block('values', { declared: ['Honesty'] }), '/values/declared/0 pattern'],
    [block('values', { declared: ['ab', 'ab'] }), '/values/declared/1 duplicate'],
    [
      block('values', { declared: Array.from({ length: 51 }, (_, i) => `v${i}`) }),
      '/values/declared too_large',
    ],
    [block('values', { conflicts_with: ['no good'] }), '/values/conflicts_with/0 pattern'],
    [block('values', { hierarchy: 'none' }), '/values/hierarchy enum'],
    [block('values', { definitions: { xy: {} } }), '/values/definitions/xy/description required'],
    [
      block('values', { definitions: { 'a/b': { description: 'd' } } }),
      '/values/definitions/a~1b pattern',
    ],
    [
      block('values', { definitions: { xy: { description: 'd', priority: 0 } } }),
      '/values/definitions/xy/priority pattern',
    ],
    [
      block('values', { definitions: { xy: { description: 'd', priority: 101 } } }),
      '/values/definitions/xy/priority too_large',
    ],
    [
      block('autonomy_envelope', { bounded_actions: [''] }),
      '/autonomy_envelope/bounded_actions/0 required',
    ],
    [
      block('autonomy_envelope', { bounded_actions: ['a', 'a'] }),
      '/autonomy_envelope/bounded_actions/1 duplicate',
    ],
    [
      block('autonomy_envelope', { forbidden_actions: ['x'.repeat(129)] }),
      '/autonomy_envelope/forbidden_actions/0 too_large',
    ],
    [
      block('autonomy_envelope', {
        escalation_triggers: [{ condition: 'a', action: 'shout', reason: 'r' }],
      }),
      '/autonomy_envelope/escalation_triggers/0/action enum',
    ],
    [
      block('autonomy_envelope', { max_autonomous_value: { amount: -1 } }),
      '/autonomy_envelope/max_autonomous_value/amount pattern',
    ],
    [block('audit_commitment', { retention_days: 1.5 }), '/audit_commitment/retention_days type'],
    [
      block('audit_commitment', { retention_days: 3651 }),
      '/audit_commitment/retention_days too_large',
    ],
    [block('audit_commitment', { queryable: 'yes' }), '/audit_commitment/queryable type'],
    [
      block('audit_commitment', { query_endpoint: 'http://a.example' }),
      '/audit_commitment/query_endpoint pattern',
    ],
    [
      block('audit_commitment', { storage: { type: 'cloud' } }),
      '/audit_commitment/storage/type enum',
    ],
    [
      block('audit_commitment', { tamper_evidence: 'seal' }),
      '/audit_commitment/tamper_evidence enum',
    ],
    [{ extensions: { a: 'x'.repeat(66_000) } }, ' too_large'],
    [{ extensions: { a: '\ud800' } }, ' type'],
  ])('%#: %s', (patch, fault) => {
    expect(codes(patch)).toEqual([fault])
    expect(judge(patch)).toMatchObject({ valid: false, problem: 'invalid_request' })
  })

  it('lists all faults together', () => {
    expect(codes({ principal: {}, values: {} })).toEqual([
      '/principal/type required',
      '/principal/relationship required',
      '/values/declared required',
    ])
  })

  it.each([
    [[{ type: 'WISH', name: 'n', content: 'c' }], '/conscience_values/0/type enum'],
    [[{ type: 'FEAR', name: '', content: 'c' }], '/conscience_values/0/name required'],
    [
      [{ type: 'FEAR', name: 'n', content: 'c'.repeat(501) }],
      '/conscience_values/0/content too_large',
    ],
    [Array(21).fill({ type: 'FEAR', name: 'n', content: 'c' }), '/conscience_values too_large'],
    ['never', '/conscience_values type'],
  ])('rejects conscience values %#', (values, fault) => {
    expect(codes({}, values)).toEqual([fault])
  })

  it('counts characters, not UTF-16 units', () => {
    expect(codes(block('autonomy_envelope', { bounded_actions: ['😀'.repeat(128)] }))).toEqual([])
    expect(codes(block('autonomy_envelope', { bounded_actions: ['😀'.repeat(129)] }))).toEqual([
      '/autonomy_envelope/bounded_actions/0 too_large',
    ])
  })
})

describe('422: a well-formed card that contradicts itself', () => {
  it.each([
    [{ expires_at: '2026-03-01T00:00:00Z' }, '/expires_at expired'],
    [
      { issued_at: '2027-01-01T00:00:00Z', expires_at: '2026-12-01T00:00:00Z' },
      '/expires_at expired',
    ],
    [{ agent_id: 'agent-other' }, '/agent_id agent_mismatch'],
    [
      block('autonomy_envelope', { bounded_actions: ['search', 'delete_files'] }),
      '/autonomy_envelope/bounded_actions/1 bounded_forbidden_overlap',
    ],
  ])('%#: %s', (patch, fault) => {
    expect(codes(patch)).toEqual([fault])
    expect(judge(patch)).toMatchObject({ valid: false, problem: 'validation_error' })
  })

  it('names the bounded action that its own conscience prohibits', () => {
    const envelope = block('autonomy_envelope', { bounded_actions: ['search', 'send_email'] })
    const boundary = [
      { type: 'BOUNDARY', name: 'quiet', content: 'Never send e-mail or Send Email.' },
    ]
    expect(codes(envelope, boundary)).toEqual([
      '/autonomy_envelope/bounded_actions/1 conscience_conflict',
    ])
  })
})

describe('conscienceConflicts', () => {
  it.each([
    ['BOUNDARY', 'Never send email', ['send_email'], 1],
    ['BOUNDARY', 'Always send email', ['send_email'], 0],
    ['FEAR', 'Never send email', ['send_email'], 0],
    ['BOUNDARY', 'Never resend emails', ['send_email'], 0],
    ['BOUNDARY', 'Don’t SEND-EMAIL', ['send_email'], 1],
    ['BOUNDARY', 'Never send an email', ['send_email'], 0],
    ['BOUNDARY', 'Never search', ['search', 'research'], 1],
    ['BOUNDARY', 'Never ever', ['***'], 0],
    ['BOUNDARY', 'Take note of search', ['search'], 0],
  ])('%s "%s" against %j: %d', (type, content, actions, count) => {
    expect(conscienceConflicts(actions, [{ type, content }])).toHaveLength(count)
  })
})

describe('warnings of a valid card', () => {
  it.each([
    [block('values', { declared: ['bravery'] }), '/values/declared/0 missing_definition'],
    [
      block('autonomy_envelope', {
        escalation_triggers: [{ condition: 'when unsure', action: 'log', reason: 'r' }],
      }),
      '/autonomy_envelope/escalation_triggers/0/condition unevaluable_condition',
    ],
    [
      block('audit_commitment', { queryable: true }),
      '/audit_commitment/query_endpoint missing_query_endpoint',
    ],
    [{ colour: 'red' }, '/colour unknown_field'],
    [block('principal', { mood: 'good' }), '/principal/mood unknown_field'],
  ])('%#: %s', (patch, warning) => {
    expect(judge(patch).valid).toBe(true)
    expect(warned(patch)).toEqual([warning])
  })

  it('are absent for defined and for standard values', () => {
    const definitions = { bravery: { description: 'Goes on.' } }
    expect(warned(block('values', { declared: ['bravery'], definitions }))).toEqual([])
    expect(warned(block('values', { declared: STANDARD_VALUES }))).toEqual([])
  })

  it('report a bounded action that binding values of the organisation prohibit', () => {
    const value = (type: 'BOUNDARY' | 'HOPE', severity: 'mandatory' | 'advisory' | null) =>
      validateCard(
        { card: { ...CARD, ...block('autonomy_envelope', { bounded_actions: ['send_mail'] }) } },
        {
          ...AT,
          orgValues: [
            { type, severity, name: 'quiet', content: 'Never send mail.', source: 'org' },
          ],
        },
      )
    for (const [type, severity] of [
      ['BOUNDARY', 'mandatory'],
      ['HOPE', 'mandatory'],
      ['BOUNDARY', null],
    ] as const) {
      const { valid, warnings } = value(type, severity)
      expect(valid).toBe(true)
      expect(warnings).toMatchObject([
        { path: '/autonomy_envelope/bounded_actions/0', code: 'org_conscience_conflict' },
      ])
    }
    expect(value('BOUNDARY', 'advisory').warnings).toEqual([])
    expect(value('HOPE', 'advisory').warnings).toEqual([])
  })

  it('do not remove what they are about', () => {
    expect(judge({ colour: 'red' })).toMatchObject({ card: { colour: 'red' } })
  })
})

describe('hostile cards', () => {
  it('never throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (card, conscienceValues) => {
        expect(typeof validateCard({ card, conscienceValues }, AT).valid).toBe('boolean')
      }),
    )
    const members = fc.dictionary(
      fc.constantFrom(...Object.keys(CARD), 'issued_at', 'extensions', '__proto__', 'card_id'),
      fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(CARD))),
    )
    fc.assert(
      fc.property(members, (patch) => {
        const outcome = judge(patch)
        if (outcome.valid) expect(() => canonicalJson(outcome.card)).not.toThrow()
        else expect(outcome.errors.length).toBeGreaterThan(0)
      }),
    )
  })

  it('cannot reach a prototype', () => {
    const card = JSON.parse(
      `{"__proto__":{"polluted":1},${JSON.stringify({ ...CARD, extensions: {} }).slice(1)}`,
    )
    const outcome = validateCard({ card }, AT)
    expect(outcome.valid && Object.getPrototypeOf(outcome.card)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('are rejected if nested too deeply to be hashed', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
    expect(codes({ extensions: { deep } })).toEqual([' type'])
  })

  it('get a bounded list of faults', () => {
    const declared = Array(50).fill('NOT AN ID')
    const bounded_actions = Array(200).fill('')
    const patch = {
      ...block('values', { declared }),
      ...block('autonomy_envelope', { bounded_actions }),
    }
    expect(codes(patch)).toHaveLength(100)
  })
})

describe('parseInstant', () => {
  it.each([
    ['2026-03-01T00:01Z', '2026-03-01T00:01:00.000Z'],
    ['2026-03-01T00:01:02.123456789+02:00', '2026-02-28T22:01:02.123Z'],
    ['2024-02-29t00:00:00z', '2024-02-29T00:00:00.000Z'],
    ['2026-03-01T00:01:02-0530', '2026-03-01T05:31:02.000Z'],
    ['2026-11-15T22:00:00,5Z', '2026-11-15T22:00:00.500Z'],
    ['2026-11-15T22:00:00+01', '2026-11-15T21:00:00.000Z'],
    ['20261115T220000Z', '2026-11-15T22:00:00.000Z'],
    ['20261115T2200-0330', '2026-11-16T01:30:00.000Z'],
    ['20261115T220000.25+01', '2026-11-15T21:00:00.250Z'],
    ['2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(parseInstant(text)?.toISOString()).toBe(iso)
  })

  it.each([
    '2026-03-01',
    '2026-03-01T00:00:00',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-01T25:00:00Z',
    '20260301T000000',
    '2026-0301T00:00:00Z',
    '2026-03-01T0000Z',
    '20260301T00:00:00Z',
    '20260230T000000Z',
    '2026-03-01 00:00:00Z',
    '2026-03-01T23:59:60Z',
    '2026-03-01T00:00:00+24:00',
    '2026-03-01T00:00:00+01:60',
    'now',
    '9999-12-31T23:59:59-14:00',
    '0000-01-01T00:00:00+01:00',
  ])('%s is not an instant', (text) => {
    expect(parseInstant(text)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
import { validateTemplate } from './validate-template.ts'

const faults = (card: unknown, conscienceValues?: unknown) =>
  validateTemplate({ card, conscienceValues }).errors.map(({ path, code }) => `${path} ${code}`)

describe('a template', () => {
  it.each([
    {},
    { values: { conflicts_with: ['waste'] } },
    { autonomy_envelope: { forbidden_actions: ['wire_money'] } },
    { audit_commitment: { retention_days: 365 } },
    { audit_commitment: { tamper_evidence: 'merkle' }, extensions: { org: {} } },
  ])('may have any part of a card and is returned as written: %j', (card) => {
    expect(validateTemplate({ card })).toEqual({
      valid: true,
      card,
      conscienceValues: [],
      errors: [],
      warnings: [],
    })
  })

  it('needs no fields that belong to a single agent', () => {
    const card = { card_id: 1, agent_id: 2, principal: 3, issued_at: 4, expires_at: 5 }
    expect(validateTemplate({ card }).valid).toBe(true)
  })

  it.each([
    [undefined, '/card_json required'],
    [[], '/card_json type'],
    [{ values: 'honesty' }, '/card_json/values type'],
    [{ values: { declared: [] } }, '/card_json/values/declared required'],
    [{ values: { declared: ['Not An Id'] } }, '/card_json/values/declared/0 pattern'],
    [{ values: { hierarchy: 'flat' } }, '/card_json/values/hierarchy enum'],
    [
      { autonomy_envelope: { forbidden_actions: [''] } },
      '/card_json/autonomy_envelope/forbidden_actions/0 required',
    ],
    [
      { autonomy_envelope: { escalation_triggers: [{ condition: 'pii', action: 'deny' }] } },
      '/card_json/autonomy_envelope/escalation_triggers/0/reason required',
    ],
    [
      { audit_commitment: { retention_days: 0 } },
      '/card_json/audit_commitment/retention_days pattern',
    ],
    [{ audit_commitment: null }, '/card_json/audit_commitment type'],
    [{ extensions: [] }, '/card_json/extensions type'],
    [{ note: 'x'.repeat(70_000) }, '/card_json too_large'],
  ])('with an invalid block is rejected: %j', (card, fault) => {
    expect(faults(card)).toEqual([fault])
  })

  it('is rejected for invalid conscience values, with their paths', () => {
    const values = [{ type: 'WISH', name: '', content: 'x' }]
    expect(faults({}, values)).toEqual([
      '/conscience_values/0/type enum',
      '/conscience_values/0/name required',
    ])
    const many = Array.from({ length: 21 }, (_, n) => ({
      type: 'FEAR',
      name: `v${n}`,
      content: 'x',
    }))
    expect(faults({}, many)).toEqual(['/conscience_values too_large'])
  })

  it('warns of unknown fields and of conditions that never fire', () => {
    const { valid, warnings } = validateTemplate({
      card: {
        autonomy_envelope: {
          forbiden_actions: ['wire_money'],
          escalation_triggers: [{ condition: 'not pii', action: 'deny', reason: 'x' }],
        },
      },
    })
    expect(valid).toBe(true)
    expect(warnings.map(({ path, code }) => [path, code])).toEqual([
      ['/card_json/autonomy_envelope/forbiden_actions', 'unknown_field'],
      ['/card_json/autonomy_envelope/escalation_triggers/0/condition', 'unevaluable_condition'],
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { checkDraft } from './check-draft.ts'
import { starterPolicy } from './starter.ts'

const HEAD = 'meta:\n  schema_version: "1.0"\n  name: p\n  scope: agent\n'
const check = (text: string) => checkDraft(text, { kind: 'agent' })

describe('checkDraft', () => {
  it('returns the normalised policy for a valid draft', () => {
    expect(check(HEAD)).toMatchObject({
      problems: [],
      policy: { meta: { name: 'p' }, forbidden: [], escalation_triggers: [] },
    })
  })

  it('accepts the starter policy of every owner kind', () => {
    for (const kind of ['org', 'agent', 'team'] as const) {
      const { problems, policy } = checkDraft(starterPolicy({ kind, id: 'x' }), { kind })
      expect({ problems, scope: policy?.meta.scope }).toEqual({ problems: [], scope: kind })
    }
  })

  it('reports an error at the position of the invalid value', () => {
    const text = `${HEAD}forbidden:\n  - pattern: "*"\n    reason: r\n    severity: mild\n`
    const { problems, policy } = check(text)
    expect(policy).toBeUndefined()
    expect(problems).toMatchObject([
      { severity: 'error', path: '/forbidden/0/severity', line: 8, from: text.indexOf('mild') },
    ])
  })

  it('reports a missing field at the position of its parent', () => {
    const text = `${HEAD}forbidden:\n  - pattern: "*"\n    severity: high\n`
    expect(check(text).problems).toMatchObject([{ path: '/forbidden/0/reason', line: 6 }])
  })

  it('warns about a rule without effect and still accepts the policy', () => {
    const rule = (pattern: string) => `  - {pattern: "${pattern}", reason: r, severity: high}\n`
    const { problems, policy } = check(`${HEAD}forbidden:\n${rule('a*')}${rule('ab')}`)
    expect(policy).toBeDefined()
    expect(problems).toMatchObject([{ severity: 'warning', line: 7 }])
  })

  it('rejects invalid YAML, anchors, aliases, duplicate keys and tags', () => {
    for (const text of ['meta: [', 'a: &x 1\nb: *x\n', 'a: 1\na: 2\n', 'a: !t 1\n']) {
      const { problems, policy } = check(text)
      expect(policy).toBeUndefined()
      expect(problems[0], text).toMatchObject({ severity: 'error', path: '' })
    }
  })

  it('warns if an agent policy maps a tool its organisation forbids', () => {
    const org = {
      capability_mappings: {},
      escalation_triggers: [],
      defaults: {},
      forbidden: [{ pattern: 'mail*', reason: 'r', severity: 'high' as const }],
    }
    const text = `${HEAD}capability_mappings:\n  m: {tools: [mail_send], card_actions: [a]}\n`
    const { problems } = checkDraft(text, { kind: 'agent', org })
    expect(problems).toMatchObject([{ severity: 'warning' }])
  })
})

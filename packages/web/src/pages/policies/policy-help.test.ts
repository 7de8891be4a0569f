import { validatePolicy } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { POLICY_FIELDS, type PolicyFields } from './policy-fields.ts'
import { POLICY_HELP } from './policy-help.ts'

/** The labels that are offered where the text has a bar. */
function offered(marked: string): string[] {
  const position = marked.indexOf('|')
  const text = marked.replace('|', '')
  return (POLICY_HELP.complete(text, position)?.options ?? []).map(({ label }) => label)
}

function explained(marked: string): string | undefined {
  return POLICY_HELP.describe(marked.replace('|', ''), marked.indexOf('|'))?.text
}

describe('completion of a policy', () => {
  it.each([
    ['|', ['meta', 'capability_mappings', 'forbidden']],
    ['meta:\n  sc|', ['schema_version', 'name', 'description', 'scope']],
    ['meta:\n  scope: |', ['org', 'agent', 'team']],
    ['forbidden:\n  - |', ['pattern', 'reason', 'severity']],
    ['forbidden:\n  - pattern: "*"\n    severity: h|', ['low', 'medium', 'high', 'critical']],
    ['forbidden:\n- pattern: "*"\n  sev|', ['pattern', 'reason', 'severity']],
    ['capability_mappings:\n  mail:\n    |', ['description', 'tools', 'card_actions']],
    ['capability_mappings:\n  |', []],
    ['defaults:\n  approval:\n    roles:\n      - |', ['owner', 'admin', 'auditor', 'member']],
    ['flows:\n  - name: a\n    approval:\n      |', ['required', 'roles', 'scopes']],
    ['forbidden:\n  - reason: No |', []],
    ['defaults:\n  grace_period_hours: |', []],
  ])('offers what can stand in %j', (text, first) => {
    expect(offered(text).slice(0, first.length || 1)).toEqual(first)
  })

  it('offers only fields and values that the validation knows', () => {
    expect(unknownFields(POLICY_FIELDS)).toEqual([])
  })
})

describe('the explanation of a field', () => {
  it('is that of the key under the pointer', () => {
    expect(explained('defaults:\n  enforce|ment_mode: warn')).toMatch(/One of off, warn, enforce/)
    expect(explained('forbidden:\n  - reas|on: No')).toMatch(/Shown to the agent/)
    expect(explained('forbidden:\n  - reason: No| more')).toBeUndefined()
    expect(explained('unknown|: 1')).toBeUndefined()
  })
})

/** A document has each field once with each of its values; other faults do not matter here. */
function unknownFields(fields: PolicyFields): string[] {
  return Object.entries(fields).flatMap(([section, { fields: inner, entries }]) => {
    const isList = !['meta', 'capability_mappings', 'defaults'].includes(section)
    return documentsOf(inner ?? entries ?? {}).flatMap((given) => {
      const content = isList ? [given] : entries === undefined ? given : { one: given }
      const meta = { schema_version: '1.1', name: 'x', scope: 'org' }
      const outcome = validatePolicy({ meta, [section]: content })
      return outcome.errors
        .filter(({ code }) => code === 'unknown_field' || code === 'enum')
        .map(({ path, code }) => `${path}: ${code}`)
    })
  })
}

/** One object for each value of each field. */
function documentsOf(fields: PolicyFields): object[] {
  return Object.entries(fields).flatMap(([name, { values, fields: inner }]): object[] => {
    if (inner !== undefined) return documentsOf(inner).map((given) => ({ [name]: given }))
    const isList = name === 'roles' || name === 'scopes'
    const given = (values ?? ['x']).map(readScalar)
    return given.map((value) => ({ [name]: isList ? [value] : value }))
  })
}

function readScalar(text: string): unknown {
  return /^(true|false|".*")$/.test(text) ? JSON.parse(text) : text
}

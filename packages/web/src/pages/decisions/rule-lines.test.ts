import { describe, expect, it } from 'vitest'
import { ruleLines } from './rule-lines.ts'

const YAML = `meta:
  name: office
forbidden:
  - pattern: mcp__shell__*
    reason: No shell
    severity: critical
  - reason: 'Nobody''s business'
    pattern: hr_*
    severity: high
escalation_triggers:
  - condition: tool == 'pay'
    action: escalate
    reason: "Payments: people only"

defaults:
  enforcement_mode: enforce
`

describe('the lines of the rule that decided', () => {
  it('are the whole entry with this reason, and no more', () => {
    expect(ruleLines(YAML, 'No shell')).toEqual({
      first: 4,
      text: '- pattern: mcp__shell__*\n  reason: No shell\n  severity: critical',
    })
  })

  it('are found whatever the quotes and the order of the fields', () => {
    expect(ruleLines(YAML, "Nobody's business")?.first).toBe(7)
    expect(ruleLines(YAML, 'Payments: people only')).toMatchObject({
      first: 11,
      text: expect.stringMatching(/^- condition.*people only"$/s),
    })
  })

  it('do not exist for a reason that no rule gives', () => {
    expect(ruleLines(YAML, 'No')).toBeUndefined()
    expect(ruleLines('', 'No shell')).toBeUndefined()
  })
})

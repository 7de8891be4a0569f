import { decideCall } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { decidingFirst, decidingReason } from './deciding-reason.ts'

type Input = Parameters<typeof decideCall>[0]
type Evaluated = Extract<Input['policy'], { outcome: 'evaluated' }>['evaluation']
type Violation = Evaluated['violations'][number]
type Warning = Evaluated['warnings'][number]

const violation = (type: Violation['type'], rest: Partial<Violation>): Violation => ({
  type,
  tool: 't',
  reason: `${type} ${rest.severity}`,
  severity: 'low',
  blocking: false,
  rule: 'r',
  ...rest,
})

const UNMAPPED: Warning = { type: 'unmapped_tool', tool: 't', reason: 'Nothing maps it' }

type Found = { violations?: Violation[]; warnings?: Warning[]; mode?: 'enforce' | 'warn' }

/** Decides as the gateway does, and asks which of its reasons decided. */
function decided({ violations = [], warnings = [], mode = 'enforce' }: Found, rest = {}) {
  const evaluation: Evaluated = {
    verdict: 'warn',
    violations,
    warnings,
    card_gaps: [],
    coverage: {
      total_card_actions: 0,
      mapped_card_actions: [],
      unmapped_card_actions: [],
      coverage_pct: 0,
    },
  }
  const policy = { outcome: 'evaluated', evaluation, mode } as const
  const call = { tool: 't', containment: 'active', hold: false, agentMode: 'observe' } as const
  const { decision, reasons } = decideCall({ ...call, policy, ...rest })
  return { decision, reasons, enforcement_mode: mode }
}

const LOW = violation('forbidden', { severity: 'low' })
const GRAVE = violation('forbidden', { severity: 'critical', blocking: true })
const ESCALATES = violation('escalation', { severity: 'high', action: 'escalate' })

describe('the reason that decided', () => {
  it('is the rule that blocks, not a finding before it that only warns', () => {
    const answer = decided({ violations: [LOW, GRAVE] })
    expect(answer).toMatchObject({ decision: 'block' })
    expect(decidingReason(answer)?.message).toBe('forbidden critical')
  })

  it('is the trigger that escalates, not a rule that only warns', () => {
    const answer = decided({ violations: [LOW, ESCALATES], warnings: [UNMAPPED] })
    expect(answer.decision).toBe('escalate')
    expect(decidingFirst(answer).map(({ code }) => code)).toEqual([
      'escalation',
      'forbidden',
      'unmapped_tool',
    ])
  })

  it('is the limit that blocks, not the flow that escalates', () => {
    const flow = violation('flow', { severity: 'medium', action: 'escalate' })
    const limit = violation('limit', { severity: 'high', blocking: true })
    expect(decidingReason(decided({ violations: [flow, limit] }))?.code).toBe('limit')
  })

  it('is a hold, not a rule of a policy that only warns', () => {
    const answer = decided(
      { violations: [GRAVE], mode: 'warn' },
      { escalation: 'mismatched' as const },
    )
    expect(answer.decision).toBe('block')
    expect(decidingReason(answer)?.code).toBe('approval_mismatch')
  })

  it('is the first of several that could have decided', () => {
    expect(decidingReason(decided({ violations: [GRAVE, LOW], mode: 'warn' }))?.severity).toBe(
      'critical',
    )
  })

  it('is the approval of an allowed call, and absent without reasons', () => {
    const approved = decided({ violations: [ESCALATES] }, { escalation: 'approved' as const })
    expect(decidingReason(approved)?.code).toBe('approved')
    expect(decidingReason(decided({}))).toBeUndefined()
  })
})

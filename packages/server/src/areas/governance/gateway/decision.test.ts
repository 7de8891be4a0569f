import { describe, expect, it } from 'vitest'
import { decide, escalationReason, type Grounds, policyFacts, policyFindings } from './decision.ts'
import { ESCALATE, evaluated, FORBIDDEN } from './gateway.fixture.ts'

const CALM: Grounds = {
  tool: 'refund',
  containment: 'active',
  hold: false,
  agentMode: 'observe',
  policy: { outcome: 'none' },
  standing: undefined,
}

describe('a decision', () => {
  it('rests on the policy, where there is one', () => {
    expect(decide(CALM)).toEqual({ decision: 'allow', reasons: [], approvalUsed: false })
    expect(decide({ ...CALM, policy: evaluated([FORBIDDEN]) }).decision).toBe('block')
    expect(decide({ ...CALM, policy: evaluated([ESCALATE]) }).decision).toBe('escalate')
    const failed = { outcome: 'failed', failOpen: false } as const
    expect(decide({ ...CALM, policy: failed }).decision).toBe('block')
    expect(decide({ ...CALM, policy: { ...failed, failOpen: true } }).decision).toBe('warn')
  })

  it('uses an approval only where it lets something through', () => {
    const approved = { ...CALM, standing: 'approved' } as const
    expect(decide({ ...approved, policy: evaluated([ESCALATE]) })).toMatchObject({
      decision: 'warn',
      approvalUsed: true,
    })
    expect(decide({ ...approved, policy: evaluated([]) }).approvalUsed).toBe(false)
    expect(decide({ ...approved, policy: evaluated([ESCALATE, FORBIDDEN]) })).toMatchObject({
      decision: 'block',
      approvalUsed: false,
    })
  })
})

describe('what is told of the policy', () => {
  it('is what was evaluated', () => {
    expect(policyFacts(evaluated([FORBIDDEN]))).toEqual({
      verdict: 'fail',
      mode: 'enforce',
      policyId: 'pol-1',
      policyVersion: 3,
    })
    expect(policyFindings(evaluated([FORBIDDEN, FORBIDDEN]))).toEqual({
      verdict: 'fail',
      violations: 2,
      warnings: 0,
      policy_id: 'pol-1',
      policy_version: 3,
      tools: ['shell'],
    })
  })

  it('is null without any, but for the mode that holds where nobody sets one', () => {
    const nothing = { verdict: null, policyId: null, policyVersion: null }
    expect(policyFacts({ outcome: 'none' })).toEqual({ ...nothing, mode: 'warn' })
    expect(policyFacts({ outcome: 'failed', failOpen: true })).toEqual({ ...nothing, mode: null })
    expect(policyFindings({ outcome: 'failed', failOpen: true })).toBeNull()
  })

  it('gives a person the words of every trigger, once', () => {
    const other = { ...ESCALATE, reason: 'Large sum' }
    const decision = decide({ ...CALM, policy: evaluated([ESCALATE, other, ESCALATE]) })
    expect(escalationReason(decision)).toBe('Refunds are for people; Large sum')
  })
})

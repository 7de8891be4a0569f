import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  decide,
  decideUnapproved,
  escalationReason,
  type PolicyOutcome,
  policyFacts,
  policyFindings,
  type ReadyCall,
} from './decision.ts'
import { callOf, ESCALATE, FORBIDDEN, PERMISSIVE, readyOf, snapshotOf } from './gateway.fixture.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const FAILED = { outcome: 'failed', failOpen: false, cause: new Error('down') } as const

const APPROVED = {
  escalationId: 'esc-1',
  standing: 'approved',
  approvedBy: 'user-1',
  scope: 'call',
  rules: undefined,
  rule: { required: 1, roles: ['owner', 'admin'] },
} as const
const decisionOf = (given: Partial<ReadyCall>) => decide(snapshotOf(), callOf(given), NOW).call
const outcomeOf = (rules: ReadyCall['rules']): PolicyOutcome =>
  decide(snapshotOf(), callOf({ rules }), NOW).policy

describe('a decision', () => {
  it('follows the policy, if there is one', () => {
    expect(decisionOf({})).toEqual({ decision: 'allow', reasons: [], approvalUsed: false })
    expect(decisionOf({ rules: readyOf(PERMISSIVE) }).decision).toBe('allow')
    expect(decisionOf({ rules: readyOf(FORBIDDEN) }).decision).toBe('block')
    expect(decisionOf({ rules: readyOf(ESCALATE) }).decision).toBe('escalate')
    expect(decisionOf({ rules: FAILED }).decision).toBe('block')
    expect(decisionOf({ rules: { ...FAILED, failOpen: true } }).decision).toBe('warn')
  })

  it('has a reason of its own for a tool whose definition changed', () => {
    const snapshot = snapshotOf({ changedTools: new Set(['refund']) })
    const of = (rules: ReadyCall['rules'], tool = 'refund') =>
      decide(snapshot, callOf({ tool, rules }), NOW)
    const reasons = [{ code: 'tool_changed', source: 'policy', tool: 'refund' }]
    expect(of(readyOf(PERMISSIVE)).call).toMatchObject({ decision: 'escalate', reasons })
    expect(of({ outcome: 'none' })).toMatchObject({
      call: { decision: 'warn', reasons },
      policy: { policyId: null, mode: 'warn' },
    })
    expect(of(FAILED).call.reasons).toMatchObject([{ code: 'evaluation_error' }])
    expect(of(readyOf(PERMISSIVE), 'search').call.decision).toBe('allow')
  })

  it('uses an approval only if it changes the decision', () => {
    const approved = { approval: APPROVED }
    expect(decisionOf({ ...approved, rules: readyOf(ESCALATE) })).toMatchObject({
      decision: 'allow',
      approvalUsed: true,
    })
    expect(decisionOf({ ...approved, rules: readyOf(PERMISSIVE) }).approvalUsed).toBe(false)
    const both = readyOf({ ...ESCALATE, ...FORBIDDEN })
    expect(decisionOf({ ...approved, rules: both })).toMatchObject({
      decision: 'block',
      approvalUsed: false,
    })
  })

  it('is block if another call used the approval first', () => {
    const call = callOf({ approval: APPROVED, rules: readyOf(ESCALATE) })
    const first = decide(snapshotOf(), call, NOW)
    const second = decideUnapproved(snapshotOf(), call, first.policy)
    expect(second).toMatchObject({
      call: { decision: 'block', approvalUsed: false },
      policy: first.policy,
    })
  })

  it('depends on the given time: grace periods expire', () => {
    const after = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000)
    const strict = {
      capability_mappings: {},
      defaults: { unmapped_tool_action: 'block', grace_period_hours: 24 },
    } as const
    const seen = callOf({
      rules: readyOf(strict, { firstSeenMs: new Map([['refund', NOW.getTime()]]) }),
    })
    expect(decide(snapshotOf(), seen, after(24 * 60 - 1)).call.decision).toBe('warn')
    expect(decide(snapshotOf(), seen, after(24 * 60)).call.decision).toBe('block')
  })

  it('considers the containment of the agent and the hold of the session', () => {
    const contained = { status: 'killed', containedAt: NOW } as const
    expect(decide(snapshotOf({ contained }), callOf(), NOW).call).toMatchObject({
      decision: 'block',
      reasons: [{ code: 'agent_killed' }],
    })
    const held = callOf({ hold: true })
    expect(decide(snapshotOf({ mode: 'enforce' }), held, NOW).call.decision).toBe('block')
    expect(decide(snapshotOf({ mode: 'nudge' }), held, NOW).call.decision).toBe('warn')
    expect(decide(snapshotOf({ mode: 'observe' }), held, NOW).call.decision).toBe('allow')
  })

  it('follows fail_open if the evaluation is aborted', () => {
    const beforeStep = () => {
      throw new Error('too late')
    }
    const late = (fail_open: boolean) => readyOf({ defaults: { fail_open } }, { beforeStep })
    expect(decisionOf({ rules: late(true) }).decision).toBe('warn')
    expect(decisionOf({ rules: late(false) }).decision).toBe('block')
    expect(outcomeOf(late(true))).toMatchObject({ outcome: 'failed', cause: Error('too late') })
  })

  it('is deterministic and does not mutate its arguments', () => {
    const policies = fc.constantFrom(PERMISSIVE, ESCALATE, FORBIDDEN)
    const modes = fc.constantFrom('observe' as const, 'nudge' as const, 'enforce' as const)
    const standings = fc.constantFrom('pending', 'approved', 'refused', 'mismatched')
    const approvals = fc.option(
      standings.map((standing) => ({ ...APPROVED, standing })),
      { nil: undefined },
    )
    fc.assert(
      fc.property(policies, modes, fc.boolean(), approvals, (parts, mode, hold, approval) => {
        const call = callOf({ hold, approval, rules: readyOf(parts) })
        const before = JSON.stringify(call)
        const first = decide(Object.freeze(snapshotOf({ mode })), Object.freeze(call), NOW)
        expect(decide(snapshotOf({ mode }), call, NOW)).toEqual(first)
        expect(JSON.stringify(call)).toBe(before)
      }),
    )
  })
})

describe('the policy result of a decision', () => {
  it('comes from the evaluation', () => {
    const outcome = outcomeOf(readyOf(FORBIDDEN))
    expect(policyFacts(outcome)).toEqual({
      verdict: 'fail',
      mode: 'enforce',
      policyId: 'pol-1',
      policyVersion: 3,
    })
    expect(policyFindings(outcome)).toEqual({
      verdict: 'fail',
      violations: 1,
      warnings: 0,
      policy_id: 'pol-1',
      policy_version: 3,
      tools: ['refund'],
    })
  })

  it('lists each violating tool once', () => {
    const trigger = { condition: "tool == 'refund'", action: 'deny', reason: 'No' } as const
    const outcome = outcomeOf(readyOf({ ...FORBIDDEN, escalation_triggers: [trigger] }))
    expect(policyFindings(outcome)).toMatchObject({ violations: 2, tools: ['refund'] })
  })

  it('is null without a policy, except for the default policy mode', () => {
    const nothing = { verdict: null, policyId: null, policyVersion: null }
    expect(policyFacts({ outcome: 'none' })).toEqual({ ...nothing, mode: 'warn' })
    expect(policyFacts(FAILED)).toEqual({ ...nothing, mode: null })
    expect(policyFindings(FAILED)).toBeNull()
  })

  it('has the reason of every escalating trigger once', () => {
    const trigger = (reason: string, condition = "tool == 'refund'") =>
      ({ condition, action: 'escalate', reason }) as const
    const escalation_triggers = [
      trigger('Refunds are for people'),
      trigger('Large sum'),
      trigger('Refunds are for people', "tool != 'other'"),
    ]
    const policy = outcomeOf(readyOf({ escalation_triggers }))
    expect(escalationReason(policy)).toBe('Refunds are for people; Large sum')
  })
})

import { describe, expect, it } from 'vitest'
import { type DecisionInput, decideCall } from './decide.ts'
import type { Evaluation, PolicyViolation } from './evaluation.ts'
import type { EnforcementMode } from './policy.ts'

const CALM: DecisionInput = { tool: 't', containment: 'active', hold: false, agentMode: 'observe' }

const FORBIDDEN: PolicyViolation = {
  type: 'forbidden',
  tool: 't',
  reason: 'No shell',
  severity: 'critical',
  blocking: true,
  rule: 'transaction',
}
const MILD: PolicyViolation = { ...FORBIDDEN, severity: 'low', blocking: false }
const GATE: PolicyViolation = { ...FORBIDDEN, type: 'unmapped', severity: 'high' }
const ESCALATE: PolicyViolation = { ...MILD, type: 'escalation', action: 'escalate' }

function evaluated(mode: EnforcementMode, ...violations: PolicyViolation[]) {
  const coverage = {
    total_card_actions: 0,
    mapped_card_actions: [],
    unmapped_card_actions: [],
    coverage_pct: 0,
  }
  const evaluation: Evaluation = {
    verdict: 'warn',
    violations,
    card_gaps: [],
    coverage,
    warnings: [],
  }
  return { outcome: 'evaluated', evaluation, mode } as const
}

const decide = (input: Partial<DecisionInput>) => decideCall({ ...CALM, ...input })
const summary = (input: Partial<DecisionInput>) => {
  const { decision, reasons } = decide(input)
  return [decision, ...reasons.map(({ code }) => code)]
}

describe('a contained agent', () => {
  it.each(['paused', 'killed'] as const)(
    'that is %s is blocked, whatever else applies',
    (state) => {
      const policy = evaluated('enforce', FORBIDDEN)
      const found = decide({ containment: state, hold: true, agentMode: 'enforce', policy })
      expect(found).toEqual({
        decision: 'block',
        reasons: [
          {
            code: `agent_${state}`,
            source: 'containment',
            tool: 't',
            severity: null,
            message: `Agent is ${state}`,
          },
        ],
        approvalUsed: false,
      })
    },
  )
})

describe('an integrity hold', () => {
  it.each([
    ['observe', ['allow']],
    ['nudge', ['warn', 'integrity_notice']],
    ['enforce', ['block', 'integrity_hold']],
  ] as const)('in mode %s gives %j', (agentMode, expected) => {
    expect(summary({ hold: true, agentMode })).toEqual(expected)
    expect(summary({ hold: false, agentMode })).toEqual(['allow'])
  })
})

describe('a policy', () => {
  it('in mode enforce blocks blocking violations and warns about the rest', () => {
    expect(summary({ policy: evaluated('enforce', MILD, FORBIDDEN) })).toEqual([
      'block',
      'forbidden',
      'forbidden',
    ])
    expect(summary({ policy: evaluated('enforce', MILD) })).toEqual(['warn', 'forbidden'])
  })

  it('gives the reason that decided first, whatever was found before it', () => {
    const [mild, escalate, deny] = [MILD, ESCALATE, { ...ESCALATE, reason: 'No', blocking: true }]
    const decided = (...violations: PolicyViolation[]) => {
      const { decision, reasons } = decide({ policy: evaluated('enforce', ...violations) })
      return [decision, ...reasons.map(({ message }) => message)]
    }
    const named = (violation: PolicyViolation, reason: string) => ({ ...violation, reason })
    const [low, ask] = [named(mild, 'Mild'), named(escalate, 'Ask')]
    expect(decided(low, ask, deny)).toEqual(['block', 'No', 'Ask', 'Mild'])
    expect(decided(low, ask)).toEqual(['escalate', 'Ask', 'Mild'])
    // Equally bad ones stay in the order of the policy.
    expect(decided(named(mild, 'First'), low)).toEqual(['warn', 'First', 'Mild'])
  })

  it.each(['warn', 'off'] as const)(
    'in mode %s stops nothing except through the transaction gate',
    (mode) => {
      expect(summary({ policy: evaluated(mode, FORBIDDEN) })).toEqual(['warn', 'forbidden'])
      expect(summary({ policy: evaluated(mode, GATE) })).toEqual(['block', 'transaction'])
    },
  )

  it('is not mistaken for the transaction gate if a rule has its name', () => {
    const [reason] = decide({ policy: evaluated('warn', FORBIDDEN) }).reasons
    expect(reason).toEqual({
      code: 'forbidden',
      source: 'policy',
      tool: 't',
      severity: 'critical',
      message: 'No shell',
    })
  })

  it.each([
    [true, 'warn'],
    [false, 'block'],
  ])('that cannot be evaluated, with fail_open %s: %s', (failOpen, decision) => {
    const policy = { outcome: 'failed', failOpen } as const
    expect(summary({ policy })).toEqual([decision, 'evaluation_error'])
  })
})

describe('an escalation', () => {
  const policy = evaluated('enforce', ESCALATE)

  it('that is approved lifts the findings it was given for and names who approved', () => {
    const approvedBy = 'user-1'
    expect(decide({ policy, escalation: 'approved', approvedBy })).toMatchObject({
      decision: 'allow',
      reasons: [{ code: 'approved', source: 'policy', message: 'Approved by user-1' }],
      approvalUsed: true,
    })
    expect(decide({ policy }).approvalUsed).toBe(false)
    const rest = evaluated('enforce', ESCALATE, MILD)
    expect(summary({ policy: rest, escalation: 'approved' })).toEqual([
      'warn',
      'forbidden',
      'approved',
    ])
  })

  it('that was given for other rules lifts nothing and is not used', () => {
    const rule = ESCALATE.rule
    expect(decide({ policy, escalation: 'approved', approvedRules: [rule] })).toMatchObject({
      decision: 'allow',
      approvalUsed: true,
    })
    expect(decide({ policy, escalation: 'approved', approvedRules: [] })).toMatchObject({
      decision: 'escalate',
      approvalUsed: false,
    })
  })

  it('of another call blocks whatever the policy mode, and is not used', () => {
    for (const given of [policy, evaluated('warn'), undefined]) {
      const found = decide({ policy: given, escalation: 'mismatched' })
      expect(found).toMatchObject({ decision: 'block', approvalUsed: false })
      expect(found.reasons[0]?.code).toBe('approval_mismatch')
    }
  })

  it('that is approved allows nothing else, and stays unused if it allowed nothing', () => {
    const both = evaluated('enforce', ESCALATE, FORBIDDEN)
    expect(decide({ policy: both, escalation: 'approved' })).toMatchObject({
      decision: 'block',
      approvalUsed: false,
    })
    const neither = evaluated('enforce', MILD)
    expect(decide({ policy: neither, escalation: 'approved' }).approvalUsed).toBe(false)
  })

  it('that is pending escalates, and one that is refused blocks', () => {
    expect(decide({ policy, escalation: 'pending' }).decision).toBe('escalate')
    expect(decide({ policy, escalation: 'refused' }).decision).toBe('block')
    expect(decide({ policy: evaluated('warn'), escalation: 'refused' }).decision).toBe('warn')
  })
})

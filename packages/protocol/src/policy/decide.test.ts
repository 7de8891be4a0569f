import { describe, expect, it } from 'vitest'
import { type DecisionInput, decideCall, escalationStanding } from './decide.ts'
import type { Evaluation, PolicyViolation } from './evaluation.ts'
import { NOW_MS } from './policy.fixture.ts'
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

  it('that is approved turns the escalation into a warning, once', () => {
    expect(decide({ policy, escalation: 'approved' })).toMatchObject({
      decision: 'warn',
      approvalUsed: true,
    })
    expect(decide({ policy }).approvalUsed).toBe(false)
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

  const MINUTE_MS = 60_000
  const approved = { status: 'approved', expiresAtMs: NOW_MS, resolvedAtMs: NOW_MS } as const

  it.each([
    ['approved for 15 minutes', { ...approved, used: false }, 15 * MINUTE_MS - 1, 'approved'],
    ['approved too long ago', { ...approved, used: false }, 15 * MINUTE_MS, 'refused'],
    ['used', { ...approved, used: true }, 0, 'refused'],
    ['rejected', { ...approved, status: 'rejected', used: false }, 0, 'refused'],
    ['pending', { ...approved, status: 'pending', used: false }, -1, 'pending'],
    ['pending past its end', { ...approved, status: 'pending', used: false }, 0, 'refused'],
  ] as const)('%s', (_state, escalation, afterMs, standing) => {
    expect(escalationStanding(escalation, NOW_MS + afterMs)).toBe(standing)
  })
})

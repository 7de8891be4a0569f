import { describe, expect, it } from 'vitest'
import type { Trace } from './queries.ts'
import { standingOf } from './trace-standing.ts'

type Given = {
  type: Trace['action']['type']
  violations?: Trace['verification']['violations']
  tools?: string[]
  verdict?: 'pass' | 'warn' | 'fail'
}

function standing({ type, violations = [], tools = [], verdict }: Given) {
  return standingOf({
    action: { type, name: 'send', category: 'bounded' },
    verification: {
      verified: violations.length === 0,
      violations,
      violation_details: [],
      warnings: [],
      similarity_score: 1,
      recommended_action: 'proceed',
      card_id: 'card-1',
      verified_at: '2026-11-18T12:00:00.000Z',
      algorithm_version: '1',
    },
    policy:
      verdict === undefined
        ? null
        : {
            verdict,
            violations: 0,
            warnings: 0,
            policy_id: 'pol-1',
            policy_version: 1,
            tools: [],
          },
    tools,
  })
}

describe('the trace of a refused call', () => {
  it('says that the call was blocked and that nothing was judged', () => {
    expect(standing({ type: 'deny', verdict: 'pass' })).toEqual({
      refusal: 'blocked',
      card: 'not_judged',
      policy: 'not_judged',
    })
  })

  it('says that the call was escalated', () => {
    expect(standing({ type: 'escalate' })).toEqual({
      refusal: 'escalated',
      card: 'not_judged',
      policy: null,
    })
  })

  it('keeps its violations', () => {
    expect(standing({ type: 'deny', violations: ['UNDECLARED_VALUE'] }).card).toBe('violated')
    expect(standing({ type: 'deny', tools: ['shell'], verdict: 'fail' }).policy).toBe('fail')
  })
})

describe('the trace of an executed call', () => {
  it('shows its card check and its policy verdict', () => {
    expect(standing({ type: 'execute', tools: ['search'], verdict: 'pass' })).toEqual({
      refusal: null,
      card: 'verified',
      policy: 'pass',
    })
    expect(standing({ type: 'execute', violations: ['CARD_MISMATCH'] }).card).toBe('violated')
  })
})

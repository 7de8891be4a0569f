import { describe, expect, it } from 'vitest'
import { evaluationOf, judgedOf } from './evaluation.fixture.ts'
import { sameViolation, violationEvent, violationOf } from './violation-event.ts'

describe('a violation', () => {
  it('equals another with the same agent, policy version and set of tools', () => {
    const of = (changes: Parameters<typeof judgedOf>[0]) => violationOf(judgedOf(changes))
    const first = of({ evaluation: evaluationOf('a', 'b') })
    const same = (other: typeof first) => sameViolation(first, other)
    expect(same(of({ evaluation: evaluationOf('b', 'a') }))).toBe(true)
    expect(same(of({ evaluation: evaluationOf('a') }))).toBe(false)
    const ab = { evaluation: evaluationOf('a', 'b') }
    expect(same(of({ ...ab, agentId: 'agent-2' }))).toBe(false)
    expect(same(of({ ...ab, policyVersion: 4 }))).toBe(false)
    expect(of({ policyVersion: null }).policyVersion).toBe(0)
  })

  it('has the shape of a trace event, with null for the fields of a trace', () => {
    expect(violationEvent(judgedOf(), null)).toEqual({
      type: 'policy.violation',
      data: {
        all_events: ['policy.violation'],
        trace: {
          trace_id: null,
          agent_id: 'agent-1',
          session_id: null,
          action: null,
          decision: null,
          verification: null,
          escalation: null,
          policy: {
            verdict: 'fail',
            violations: 1,
            warnings: 0,
            tools: ['wipe'],
            policy_id: 'pol-1',
            policy_version: 3,
          },
        },
      },
    })
  })
})

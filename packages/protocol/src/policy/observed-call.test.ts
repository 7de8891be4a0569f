import { describe, expect, it } from 'vitest'
import { judgeDecision, judgeTrace, type ObservedDecision } from './observed-call.ts'

const used: ObservedDecision = {
  decision: 'allow',
  verdict: 'pass',
  reasons: [],
  outcome: 'executed',
  bypassed: false,
  enforced: true,
  sessionFlagged: false,
}
const reason = (
  code: ObservedDecision['reasons'][number]['code'],
  severity: 'medium' | null = null,
) => ({ code, severity })

describe('what a decision proves', () => {
  it.each<[string, Partial<ObservedDecision>, string]>([
    ['an allowed call that was made', {}, 'used'],
    ['a call without a policy', { verdict: null }, 'used'],
    [
      'a tool that nothing maps',
      { decision: 'warn', verdict: 'warn', reasons: [reason('unmapped_tool')] },
      'used',
    ],
    [
      'a trigger that only warns',
      { decision: 'warn', reasons: [reason('escalation_triggered')] },
      'used',
    ],
    ['a limit that only warns', { decision: 'warn', reasons: [reason('limit')] }, 'used'],
    ['a call without a reported outcome', { outcome: null }, 'no_outcome'],
    ['a call that failed', { outcome: 'failed' }, 'failed'],
    ['a call that was not made', { outcome: 'not_executed' }, 'not_executed'],
    ['a call in a session with a violation', { sessionFlagged: true }, 'flagged_session'],
    ['a refused call', { decision: 'block', outcome: null }, 'refused'],
    [
      'a refused call that was reported as not made',
      { decision: 'block', outcome: 'not_executed' },
      'refused',
    ],
    ['a bypass', { decision: 'block', bypassed: true }, 'bypassed'],
    [
      'a block that was only observed',
      { decision: 'block', verdict: 'fail', enforced: false },
      'would_be_refused',
    ],
    [
      'a violation in policy mode warn',
      { decision: 'warn', verdict: 'fail', reasons: [reason('unmapped', 'medium')] },
      'would_be_refused',
    ],
    [
      'a forbidden tool of low severity',
      { decision: 'warn', verdict: 'warn', reasons: [reason('forbidden', 'medium')] },
      'would_be_refused',
    ],
    [
      'a call in the grace period',
      { decision: 'warn', verdict: 'warn', reasons: [reason('grace_period')] },
      'would_be_refused',
    ],
    [
      'a changed tool',
      { decision: 'warn', verdict: 'warn', reasons: [reason('tool_changed')] },
      'would_be_refused',
    ],
    [
      'a call after a violation',
      { decision: 'warn', reasons: [reason('integrity_notice')] },
      'would_be_refused',
    ],
    [
      'a call without an evaluation',
      { decision: 'warn', verdict: null, reasons: [reason('evaluation_error')] },
      'would_be_refused',
    ],
    [
      'a call that names a pending escalation',
      { decision: 'warn', verdict: 'warn', reasons: [reason('escalation')] },
      'would_be_refused',
    ],
    ['an approved call', { verdict: 'warn', reasons: [reason('approved')] }, 'asked'],
    [
      'an approved call with another warning',
      { decision: 'warn', verdict: 'warn', reasons: [reason('unmapped_tool'), reason('approved')] },
      'asked',
    ],
    [
      'an escalation in policy mode warn',
      { decision: 'warn', verdict: 'warn', reasons: [reason('escalation', 'medium')] },
      'asked',
    ],
    [
      'an escalation that was only observed',
      {
        decision: 'escalate',
        verdict: 'warn',
        enforced: false,
        reasons: [reason('escalation', 'medium')],
      },
      'asked',
    ],
    [
      'an escalation with a violation',
      {
        decision: 'escalate',
        verdict: 'warn',
        enforced: false,
        reasons: [reason('escalation', 'medium'), reason('forbidden', 'medium')],
      },
      'would_be_refused',
    ],
    [
      'an escalation that nobody approved',
      {
        decision: 'escalate',
        verdict: 'warn',
        outcome: null,
        reasons: [reason('escalation', 'medium')],
      },
      'refused',
    ],
  ])('%s', (_name, part, expected) => {
    expect(judgeDecision({ ...used, ...part })).toBe(expected)
  })
})

describe('what a trace proves', () => {
  it.each([
    [{}, 'used'],
    [{ verdict: null }, 'used'],
    [{ verified: false }, 'unverified_trace'],
    [{ verdict: 'fail' as const }, 'failed_policy'],
    [{ sessionFlagged: true }, 'flagged_session'],
  ])('%o', (part, expected) => {
    expect(judgeTrace({ verified: true, verdict: 'pass', sessionFlagged: false, ...part })).toBe(
      expected,
    )
  })
})

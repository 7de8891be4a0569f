import { describe, expect, it } from 'vitest'
import { callPolicyOf } from './call-policy.ts'
import { effectiveRulesOf, evaluationOf, judgedOf, NOW } from './evaluation.fixture.ts'
import { findingsOf, judgedCall, judgeTrace } from './judged-call.ts'
import { toStoredEvaluation } from './stored-evaluation.ts'

const late = { condition: 'hour >= 0', action: 'deny', reason: 'never' } as const
const callPolicy = callPolicyOf(effectiveRulesOf({ escalation_triggers: [late] }), undefined)
if (callPolicy === undefined) throw new Error('the policy must apply')

describe('an evaluation', () => {
  it('is summarised as counts and each violating tool once', () => {
    expect(findingsOf(judgedOf({ evaluation: evaluationOf('b', 'a', 'b') }))).toEqual({
      verdict: 'fail',
      violations: 3,
      warnings: 0,
      tools: ['b', 'a'],
      policy_id: 'pol-1',
      policy_version: 3,
    })
  })

  it('rounds its duration to three decimals', () => {
    const { orgId, agentId, context, evaluation, evaluatedAt } = judgedOf()
    const given = { orgId, agentId, context, evaluation, evaluatedAt }
    expect(judgedCall(callPolicy, { ...given, durationMs: 0.41249 }).durationMs).toBe(0.412)
  })

  it('of a trace without tools passes, even if a trigger fires for every call', () => {
    const call = { context: 'runtime', now: NOW, firstSeenMs: new Map() } as const
    expect(judgeTrace(callPolicy, { ...call, tools: [] })).toMatchObject({ verdict: 'pass' })
    expect(judgeTrace(callPolicy, { ...call, tools: ['x'] })).toMatchObject({ verdict: 'fail' })
  })

  it('is stored with its first 100 findings and the total count', () => {
    const tools = Array.from({ length: 250 }, (_, n) => `tool-${n}`)
    const judged = judgedOf({ evaluation: evaluationOf(...tools) })
    const stored = toStoredEvaluation(judged, { evaluationId: 'pe-1', traceId: null })
    expect(stored.evaluation.violations).toHaveLength(100)
    expect(stored).toMatchObject({ violationCount: 250, warningCount: 0 })
  })
})

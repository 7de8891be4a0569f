import { describe, expect, it } from 'vitest'
import { evaluationOf, judgedOf, NOW, standingOf } from './evaluation.fixture.ts'
import { holdingOf } from './holding.ts'
import { findingsOf, judgedCall, judgeTrace } from './judged-call.ts'
import { storedEvaluation } from './stored-evaluation.ts'

const late = { condition: 'hour >= 0', action: 'deny', reason: 'never' } as const
const holding = holdingOf(standingOf({ escalation_triggers: [late] }), undefined)
if (holding === undefined) throw new Error('a policy holds')

describe('an evaluation', () => {
  it('is summed up in counts and each violating tool once', () => {
    expect(findingsOf(judgedOf({ evaluation: evaluationOf('b', 'a', 'b') }))).toEqual({
      verdict: 'fail',
      violations: 3,
      warnings: 0,
      tools: ['b', 'a'],
      policy_id: 'pol-1',
      policy_version: 3,
    })
  })

  it('tells its time with three decimals', () => {
    const { orgId, agentId, context, evaluation, evaluatedAt } = judgedOf()
    const given = { orgId, agentId, context, evaluation, evaluatedAt }
    expect(judgedCall(holding, { ...given, durationMs: 0.41249 }).durationMs).toBe(0.412)
  })

  it('of a trace that used no tool is a pass, whatever fires for calls', () => {
    const call = { context: 'runtime', now: NOW, firstSeenMs: new Map() } as const
    expect(judgeTrace(holding, { ...call, tools: [] })).toMatchObject({ verdict: 'pass' })
    expect(judgeTrace(holding, { ...call, tools: ['x'] })).toMatchObject({ verdict: 'fail' })
  })

  it('is kept with its first 100 findings and the count of all', () => {
    const tools = Array.from({ length: 250 }, (_, n) => `tool-${n}`)
    const judged = judgedOf({ evaluation: evaluationOf(...tools) })
    const stored = storedEvaluation(judged, { evaluationId: 'pe-1', traceId: null })
    expect(stored.evaluation.violations).toHaveLength(100)
    expect(stored).toMatchObject({ violationCount: 250, warningCount: 0 })
  })
})

import { describe, expect, it } from 'vitest'
import { judgedOf, NOW } from './evaluation.fixture.ts'
import { evaluationSpan } from './evaluation-span.ts'

describe('evaluationSpan', () => {
  it('has the documented attributes, without tool names and reasons', () => {
    const span = evaluationSpan(judgedOf({ durationMs: 2 }))
    expect(span).toEqual({
      name: 'policy.evaluate',
      startedAt: new Date(NOW.getTime() - 2),
      durationMs: 2,
      attributes: {
        'policy.agent_id': 'agent-1',
        'policy.policy_id': 'pol-1',
        'policy.policy_version': 3,
        'policy.verdict': 'fail',
        'policy.violations_count': 1,
        'policy.warnings_count': 0,
        'policy.coverage_pct': 0,
        'policy.context': 'gateway',
        'policy.duration_ms': 2,
        'policy.enforcement_mode': 'enforce',
      },
      events: [],
    })
    expect(JSON.stringify(span)).not.toContain('wipe')
  })
})

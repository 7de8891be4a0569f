import { describe, expect, it } from 'vitest'
import { runPolicyTests } from './run-policy-tests.ts'

const POLICY = {
  meta: { schema_version: '1.1', name: 'p', scope: 'agent' },
  limits: [{ name: 'few', tools: ['pay'], max: 1, per: 'minute', reason: 'Few' }],
  flows: [{ name: 'leak', from: ['web'], to: ['mail'], reason: 'Leak', approval: { required: 2 } }],
  defaults: {
    enforcement_mode: 'enforce',
    unmapped_tool_action: 'allow',
    max_identical_calls: 2,
  },
}

const run = (calls: readonly object[]) => {
  const outcome = runPolicyTests({ policy: POLICY, cases: [{ name: 'session', calls }] })
  if (!outcome.valid) throw new Error(JSON.stringify(outcome.errors))
  return outcome.results[0]?.differences
}

describe('a test of a session', () => {
  it('decides calls one after the other', () => {
    expect(
      run([
        { tool: 'pay', decision: 'allow' },
        { tool: 'pay', decision: 'block', codes: ['limit'] },
        { tool: 'pay', now: '2026-01-01T00:01:00Z', decision: 'allow', codes: [] },
        { tool: 'mail', decision: 'allow' },
        { tool: 'web', decision: 'allow' },
        { tool: 'mail', decision: 'escalate', codes: ['flow'], approval: { required: 2 } },
        { tool: 'mail', session: 'other', decision: 'allow' },
        { tool: 'mail', session: null, decision: 'allow' },
        { tool: 'read', args: { a: 1 }, decision: 'allow' },
        { tool: 'read', args: { a: 1 }, decision: 'allow' },
        { tool: 'read', args: { a: 2 }, decision: 'allow' },
        {
          tool: 'read',
          args: { a: 1 },
          decision: 'escalate',
          approval: { roles: ['admin', 'owner'] },
        },
      ]),
    ).toEqual([])
  })

  it('tells what differs, by call', () => {
    expect(
      run([
        { tool: 'pay', decision: 'block' },
        { tool: 'pay', decision: 'block', codes: ['flow'], approval: { required: 3 } },
      ]),
    ).toEqual([
      'call 1 (pay): expected block, but the decision is allow',
      'call 2 (pay): expected the codes ["flow"], but they are ["limit"]',
      'call 2 (pay): no rule has the approval {"required":3}',
    ])
  })

  it('has its own fields', () => {
    const faults = (test: object) => {
      const outcome = runPolicyTests({ policy: POLICY, cases: [{ name: 'n', ...test }] })
      return outcome.valid ? [] : outcome.errors.map(({ path, code }) => `${path} ${code}`)
    }
    expect(
      faults({ calls: [{ tool: 'a', decision: 'allow' }], tools: ['a'], verdict: 'pass' }),
    ).toEqual(['/cases/0/tools conflicting_fields', '/cases/0/verdict conflicting_fields'])
    expect(faults({ calls: [{ tool: 'a b', decision: 'maybe', session: '' }] })).toEqual([
      '/cases/0/calls/0/tool pattern',
      '/cases/0/calls/0/session required',
      '/cases/0/calls/0/decision enum',
    ])
    expect(faults({ calls: [] })).toEqual(['/cases/0/calls required'])
  })
})

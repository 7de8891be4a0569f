import { describe, expect, it } from 'vitest'
import { type ApprovalRule, BUILT_IN_APPROVAL } from './approval-rule.ts'
import { compilePolicy } from './compile-policy.ts'
import { evaluatePolicy } from './evaluate-policy.ts'
import { mergeTransaction } from './merge-transaction.ts'
import { policyOf } from './policy.fixture.ts'
import type { PolicyDocument, PolicyTrigger } from './policy.ts'
import { resolvePolicy } from './resolve-policy.ts'
import { validatePolicy, validateTransactionPolicy } from './validate-policy.ts'

const META = { schema_version: '1.1', name: 'test', scope: 'agent' as const }
const limit = { name: 'refunds', tools: ['refund'], max: 3, per: 'minute', reason: 'Few refunds' }
const flow = { name: 'leak', from: ['web_*'], to: ['mail_send'], reason: 'No leaks' }
const trigger: PolicyTrigger = { condition: "tool == 'pay'", action: 'escalate', reason: 'Money' }

function errorsOf(parts: object, schema_version = '1.1') {
  const outcome = validatePolicy({ meta: { ...META, schema_version }, ...parts })
  const problem = outcome.valid ? undefined : outcome.problem
  return { problem, errors: outcome.errors.map(({ path, code }) => `${path} ${code}`) }
}

describe('a document of schema version 1.1', () => {
  it('has limits, flows, approvals and a loop guard, with the default actions', () => {
    const outcome = validatePolicy({
      meta: META,
      limits: [{ ...limit, tools: ['refund', 'refund'] }],
      flows: [flow],
      escalation_triggers: [{ ...trigger, approval: { required: 2, roles: ['owner', 'owner'] } }],
      defaults: { max_identical_calls: null, approval: { local: true } },
    })
    expect(outcome).toMatchObject({
      valid: true,
      policy: {
        limits: [{ ...limit, tools: ['refund'], action: 'block' }],
        flows: [{ ...flow, action: 'escalate' }],
        escalation_triggers: [{ ...trigger, approval: { required: 2, roles: ['owner'] } }],
        defaults: { max_identical_calls: null, approval: { local: true } },
      },
    })
  })

  it.each([
    [
      'a limit without a reason',
      { limits: [{ ...limit, reason: undefined }] },
      '/limits/0/reason required',
    ],
    ['too few calls', { limits: [{ ...limit, max: 0 }] }, '/limits/0/max pattern'],
    ['too many calls', { limits: [{ ...limit, max: 1_000_001 }] }, '/limits/0/max too_large'],
    ['half a call', { limits: [{ ...limit, max: 1.5 }] }, '/limits/0/max type'],
    ['an unknown period', { limits: [{ ...limit, per: 'week' }] }, '/limits/0/per enum'],
    ['no tools', { limits: [{ ...limit, tools: [] }] }, '/limits/0/tools required'],
    ['a name with spaces', { limits: [{ ...limit, name: 'a b' }] }, '/limits/0/name pattern'],
    ['a flow that warns', { flows: [{ ...flow, action: 'warn' }] }, '/flows/0/action enum'],
    [
      'more than five approvers',
      { flows: [{ ...flow, approval: { required: 6 } }] },
      '/flows/0/approval/required too_large',
    ],
    [
      'an unknown role',
      { defaults: { approval: { roles: ['boss'] } } },
      '/defaults/approval/roles/0 enum',
    ],
    [
      'an expiry below five minutes',
      { defaults: { approval: { expires_minutes: 4 } } },
      '/defaults/approval/expires_minutes pattern',
    ],
    [
      'an unknown field',
      { defaults: { approval: { who: 1 } } },
      '/defaults/approval/who unknown_field',
    ],
    [
      'one identical call',
      { defaults: { max_identical_calls: 1 } },
      '/defaults/max_identical_calls pattern',
    ],
  ])('is refused as malformed: %s', (_what, parts, error) => {
    expect(errorsOf(parts)).toEqual({ problem: 'invalid_request', errors: [error] })
  })

  it.each([
    ['a duplicate name', { limits: [limit, limit] }, '/limits/1/name duplicate_name'],
    [
      'a name of a limit and a flow',
      { limits: [limit], flows: [{ ...flow, name: 'refunds' }] },
      '/flows/0/name duplicate_name',
    ],
    [
      'no roles',
      { defaults: { approval: { roles: [] } } },
      '/defaults/approval/roles conflicting_approval',
    ],
    [
      'no scopes',
      { limits: [{ ...limit, action: 'escalate', approval: { scopes: [] } }] },
      '/limits/0/approval/scopes conflicting_approval',
    ],
    [
      'an approval of what is blocked',
      { limits: [{ ...limit, approval: {} }] },
      '/limits/0/approval conflicting_approval',
    ],
    [
      'an approval of what is denied',
      { escalation_triggers: [{ ...trigger, action: 'deny', approval: {} }] },
      '/escalation_triggers/0/approval conflicting_approval',
    ],
  ])('is refused as contradictory: %s', (_what, parts, error) => {
    expect(errorsOf(parts)).toEqual({ problem: 'validation_error', errors: [error] })
  })
})

describe('a document of schema version 1.0', () => {
  it('has none of these fields, and the message says which version has them', () => {
    const parts = {
      limits: [],
      flows: [],
      escalation_triggers: [{ ...trigger, approval: {} }],
      defaults: { approval: {}, max_identical_calls: 2 },
    }
    const outcome = validatePolicy({ meta: { ...META, schema_version: '1.0' }, ...parts })
    expect(outcome).toMatchObject({ valid: false, problem: 'invalid_request' })
    expect(outcome.errors.map(({ path }) => path)).toEqual([
      '/limits',
      '/flows',
      '/defaults/approval',
      '/defaults/max_identical_calls',
      '/escalation_triggers/0/approval',
    ])
    for (const { message } of outcome.errors)
      expect(message).toContain('set meta.schema_version to "1.1"')
  })

  it('is normalised and resolved without them', () => {
    const outcome = validatePolicy({ meta: { ...META, schema_version: '1.0.2' } })
    expect(outcome.valid && Object.keys(outcome.policy)).not.toContain('limits')
    expect(resolvePolicy({ agent: policyOf({}) })?.policy.meta.schema_version).toBe('1.0')
  })

  it('may be left out by the policy of a transaction', () => {
    expect(validateTransactionPolicy({ limits: [limit] }).valid).toBe(true)
    const meta = { ...META, schema_version: '1.0' }
    expect(validateTransactionPolicy({ meta, limits: [limit] }).valid).toBe(false)
  })
})

describe('limits and flows of several layers', () => {
  const orgLimit = { ...limit, per: 'minute', action: 'block' } as const
  const agentLimit = { ...limit, max: 5, per: 'day', action: 'warn' } as const
  const org = policyOf({ limits: [orgLimit], flows: [{ ...flow, action: 'block' }] })
  const agent = policyOf({ limits: [agentLimit] })

  it('all apply, each with its layer', () => {
    const policy = resolvePolicy({ org, agent })?.policy
    expect(policy).toMatchObject({
      meta: { schema_version: '1.1' },
      limits: [
        { ...orgLimit, layer: 'org' },
        { ...agentLimit, layer: 'agent' },
      ],
      flows: [{ ...flow, action: 'block', layer: 'org' }],
    })
  })

  it('keep their layer in a transaction', () => {
    const { policy } = mergeTransaction({
      transactionId: 'txn-1',
      resolved: resolvePolicy({ org })?.policy,
      teams: [agent],
      teamNames: ['team:t-1'],
      own: agent,
      tools: [],
    })
    expect(policy.limits?.map(({ layer }) => layer)).toEqual([
      'org',
      'team:t-1',
      'transaction:txn-1',
    ])
  })
})

describe('the approval of an escalated call', () => {
  const approvalOf = (org: Partial<PolicyDocument> | undefined, agent: Partial<PolicyDocument>) => {
    const policy = resolvePolicy({ org: org && policyOf(org), agent: policyOf(agent) })?.policy
    if (policy === undefined) throw new Error('no policy')
    const call = { tools: ['pay'], context: 'audit', nowMs: 0, firstSeenMs: new Map() } as const
    const { violations } = evaluatePolicy(compilePolicy({ policy }), call)
    return violations.map(({ approval }) => approval)
  }
  const withApproval = (approval: PolicyTrigger['approval']) => ({
    escalation_triggers: [approval === undefined ? trigger : { ...trigger, approval }],
  })
  const rule = (of: Partial<ApprovalRule>): ApprovalRule => ({ ...BUILT_IN_APPROVAL, ...of })

  it('is that of the trigger, else the default, else the built-in one', () => {
    const defaults = { approval: { required: 3 } }
    expect(approvalOf(undefined, withApproval({ required: 2 }))).toEqual([rule({ required: 2 })])
    expect(approvalOf(undefined, { ...withApproval({ local: true }), defaults })).toEqual([
      rule({ local: true }),
    ])
    expect(approvalOf(undefined, { ...withApproval(undefined), defaults })).toEqual([
      rule({ required: 3 }),
    ])
    expect(approvalOf(undefined, withApproval(undefined))).toEqual([BUILT_IN_APPROVAL])
    expect(
      approvalOf(undefined, { escalation_triggers: [{ ...trigger, action: 'deny' }] }),
    ).toEqual([undefined])
  })

  it('is merged over layers, with the default of a layer for a trigger without one', () => {
    const org = { ...withApproval(undefined), defaults: { approval: { required: 2 } } }
    expect(approvalOf(org, withApproval({ required: 1 }))).toEqual([rule({ required: 2 })])
    expect(approvalOf(org, {})).toEqual([rule({ required: 2 })])
    expect(
      approvalOf(
        withApproval({ roles: ['owner', 'auditor'] }),
        withApproval({ roles: ['auditor'] }),
      ),
    ).toEqual([rule({ roles: ['auditor'] })])
  })

  it('warns of lists that have nothing in common with the organisation', () => {
    const org = policyOf({
      ...withApproval({ roles: ['owner'] }),
      defaults: { approval: { scopes: ['call'] } },
    })
    const { warnings } = validatePolicy(
      {
        meta: META,
        ...withApproval({ roles: ['member'] }),
        defaults: { approval: { scopes: ['session'] } },
      },
      { org },
    )
    expect(warnings.map(({ path, code }) => `${path} ${code}`)).toEqual([
      '/defaults/approval/scopes empty_intersection',
      '/escalation_triggers/0/approval/roles empty_intersection',
    ])
  })
})

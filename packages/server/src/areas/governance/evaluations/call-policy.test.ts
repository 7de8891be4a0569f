import { BUILT_IN_DEFAULTS, type PolicyCard } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { type CallTransaction, callPolicyOf } from './call-policy.ts'
import { effectiveRulesOf, NO_WIPING, NOW } from './evaluation.fixture.ts'
import { judgeTrace } from './judged-call.ts'

const NOTHING = { policy: undefined, card: undefined }

const TRANSACTION: CallTransaction = {
  transactionId: 'txn-1',
  status: 'active',
  actionType: 'data_access',
  tools: ['read'],
  layers: [],
}

const CARD: PolicyCard = {
  autonomy_envelope: { bounded_actions: ['look', 'speak'], forbidden_actions: [] },
}

describe('the policy of a call', () => {
  it('is undefined without policy and transaction', () => {
    expect(callPolicyOf(NOTHING, undefined)).toBeUndefined()
  })

  it('is the compiled policy of the agent without a transaction', () => {
    const effective = effectiveRulesOf(NO_WIPING)
    const callPolicy = callPolicyOf(effective, undefined)
    expect(callPolicy?.compiled).toBe(effective.policy?.compiled)
    expect(callPolicy).toMatchObject({ policyId: 'pol-1', policyVersion: 3 })
  })

  it('has the built-in defaults if there is only a transaction', () => {
    const callPolicy = callPolicyOf(NOTHING, TRANSACTION)
    expect(callPolicy).toMatchObject({ policyId: null, policyVersion: null })
    expect(callPolicy?.compiled.defaults).toEqual(BUILT_IN_DEFAULTS)
  })

  it('is narrowed by every layer of the transaction, except for its coverage', () => {
    const mapped = { look: { tools: ['read', 'list'], card_actions: ['look'] } }
    const effective = effectiveRulesOf({ capability_mappings: mapped }, CARD)
    const strict = { ...EMPTY, defaults: { enforcement_mode: 'enforce' as const } }
    const callPolicy = callPolicyOf(effective, {
      ...TRANSACTION,
      tools: ['list'],
      layers: [strict],
    })
    expect(callPolicy?.compiled.defaults.enforcement_mode).toBe('enforce')
    expect(callPolicy?.compiled.coverage.mapped_card_actions).toEqual(['look'])
    const call = { tools: ['read', 'list'], context: 'gateway', now: NOW } as const
    if (callPolicy === undefined) throw new Error('the policy must apply')
    const { violations } = judgeTrace(callPolicy, { ...call, firstSeenMs: new Map() })
    expect(violations).toMatchObject([{ tool: 'read', rule: 'transaction', blocking: true }])
  })
})

const EMPTY = { capability_mappings: {}, forbidden: [], escalation_triggers: [], defaults: {} }

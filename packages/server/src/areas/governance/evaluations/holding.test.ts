import { BUILT_IN_DEFAULTS } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { NO_WIPING, NOW, standingOf } from './evaluation.fixture.ts'
import { holdingOf, type NamedTransaction } from './holding.ts'
import { judgeTrace } from './judged-call.ts'

const NOTHING = { policy: undefined, card: undefined }

const TRANSACTION: NamedTransaction = {
  transactionId: 'txn-1',
  status: 'active',
  actionType: 'data_access',
  tools: ['read'],
  layers: [],
}

const CARD = {
  autonomy_envelope: { bounded_actions: ['look', 'tell'], forbidden_actions: [] },
} as never

describe('what a call is held to', () => {
  it('is nothing without policy and transaction', () => {
    expect(holdingOf(NOTHING, undefined)).toBeUndefined()
  })

  it('is the compiled policy as it is, without a transaction', () => {
    const standing = standingOf(NO_WIPING)
    const holding = holdingOf(standing, undefined)
    expect(holding?.compiled).toBe(standing.policy?.compiled)
    expect(holding).toMatchObject({ policyId: 'pol-1', policyVersion: 3 })
  })

  it('is the built-in defaults where a transaction is all there is', () => {
    const holding = holdingOf(NOTHING, TRANSACTION)
    expect(holding).toMatchObject({ policyId: null, policyVersion: null })
    expect(holding?.compiled.defaults).toEqual(BUILT_IN_DEFAULTS)
  })

  it('has every layer of the transaction on top, and coverage without it', () => {
    const mapped = { look: { tools: ['read', 'list'], card_actions: ['look'] } }
    const standing = standingOf({ capability_mappings: mapped }, CARD)
    const strict = { ...EMPTY, defaults: { enforcement_mode: 'enforce' as const } }
    const holding = holdingOf(standing, { ...TRANSACTION, tools: ['list'], layers: [strict] })
    expect(holding?.compiled.defaults.enforcement_mode).toBe('enforce')
    expect(holding?.compiled.coverage.mapped_card_actions).toEqual(['look'])
    const call = { tools: ['read', 'list'], context: 'gateway', now: NOW } as const
    if (holding === undefined) throw new Error('it holds')
    const { violations } = judgeTrace(holding, { ...call, firstSeenMs: new Map() })
    expect(violations).toMatchObject([{ tool: 'read', rule: 'transaction', blocking: true }])
  })
})

const EMPTY = { capability_mappings: {}, forbidden: [], escalation_triggers: [], defaults: {} }

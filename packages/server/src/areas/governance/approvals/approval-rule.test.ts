import type { ApprovalRule } from '@touchstone/protocol/policy'
import { describe, expect, it } from 'vitest'
import { approvalRuleOf } from './approval-rule.ts'

const finding = (approval?: Partial<ApprovalRule>) => ({
  condition: 'true',
  reason: 'Ask',
  approval: approval && { ...approvalRuleOf([]), ...approval },
})

describe('the approval rule of an escalation', () => {
  it('is one owner or admin, one call, within an hour, unless the policy says otherwise', () => {
    const usual = {
      required: 1,
      roles: ['owner', 'admin'],
      scopes: ['call'],
      expiresMinutes: 60,
      local: false,
    }
    expect(approvalRuleOf([])).toEqual(usual)
    expect(approvalRuleOf([finding()])).toEqual(usual)
    expect(approvalRuleOf([finding({ required: 3, roles: ['member'] })])).toEqual({
      ...usual,
      required: 3,
      roles: ['member'],
    })
  })

  it('is the strictest of several', () => {
    const rule = approvalRuleOf([
      finding({
        required: 2,
        roles: ['owner', 'auditor'],
        scopes: ['call', 'session'],
        local: true,
      }),
      finding({ roles: ['admin', 'owner'], scopes: ['session'], expiresMinutes: 5, local: true }),
    ])
    expect(rule).toEqual({
      required: 2,
      roles: ['owner'],
      scopes: ['session'],
      expiresMinutes: 5,
      local: true,
    })
    expect(approvalRuleOf([finding({ local: true }), finding()]).local).toBe(false)
  })

  it('keeps the first list if two have nothing in common', () => {
    const rule = approvalRuleOf([finding({ roles: ['member'] }), finding({ roles: ['auditor'] })])
    expect(rule.roles).toEqual(['member'])
  })
})

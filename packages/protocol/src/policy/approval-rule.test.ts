import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  APPROVAL_ROLES,
  APPROVAL_SCOPES,
  type ApprovalBlock,
  approvalRuleOf,
  BUILT_IN_APPROVAL,
  disjointLists,
  mayApproveMore,
  mergeApproval,
} from './approval-rule.ts'

const listOf = <Item extends string>(items: readonly Item[]) =>
  fc.subarray([...items], { minLength: 1 })

const blocks: fc.Arbitrary<ApprovalBlock> = fc.record(
  {
    required: fc.integer({ min: 1, max: 5 }),
    roles: listOf(APPROVAL_ROLES),
    scopes: listOf(APPROVAL_SCOPES),
    expires_minutes: fc.integer({ min: 5, max: 1440 }),
    local: fc.boolean(),
  },
  { requiredKeys: [] },
)

describe('an approval rule', () => {
  it('has the built-in values where a block has none', () => {
    expect(approvalRuleOf(undefined)).toEqual(BUILT_IN_APPROVAL)
    expect(approvalRuleOf({ required: 2, expires_minutes: 5 })).toEqual({
      ...BUILT_IN_APPROVAL,
      required: 2,
      expiresMinutes: 5,
    })
  })
})

describe('a merge of approval blocks', () => {
  it('takes the stricter value of each field', () => {
    const lower: ApprovalBlock = {
      required: 2,
      roles: ['owner', 'admin', 'auditor'],
      scopes: ['call', 'session'],
      expires_minutes: 30,
      local: true,
    }
    const upper: ApprovalBlock = {
      required: 1,
      roles: ['auditor', 'owner'],
      scopes: ['session'],
      expires_minutes: 60,
      local: false,
    }
    expect(mergeApproval({ lower, upper })).toEqual({
      required: 2,
      roles: ['owner', 'auditor'],
      scopes: ['session'],
      expires_minutes: 30,
      local: false,
    })
  })

  it('leaves the list of the lower layer if the lists have nothing in common', () => {
    const lower: ApprovalBlock = { roles: ['owner'], scopes: ['call'] }
    const upper: ApprovalBlock = { roles: ['member'], scopes: ['session'] }
    expect(mergeApproval({ lower, upper })).toMatchObject(lower)
    expect(disjointLists({ lower, upper })).toEqual(['roles', 'scopes'])
    expect(disjointLists({ lower, upper: { roles: ['owner'] } })).toEqual([])
  })

  it('is not restricted by an absent block', () => {
    const block: ApprovalBlock = { local: true, required: 3 }
    expect(mergeApproval({ lower: undefined, upper: block })).toEqual(block)
    expect(mergeApproval({ lower: block, upper: undefined })).toEqual(block)
    expect(mergeApproval({ lower: undefined, upper: undefined })).toBeUndefined()
  })

  it('never allows more than the lower layer', () => {
    fc.assert(
      fc.property(blocks, blocks, (lower, upper) => {
        // A field that only one layer sets is that layer's.
        const complete = { ...toBlock(BUILT_IN_APPROVAL), ...lower }
        const merged = mergeApproval({ lower: complete, upper })
        expect(mayApproveMore(approvalRuleOf(merged), approvalRuleOf(complete))).toBe(false)
      }),
    )
  })

  it('does not depend on the order, unless lists have nothing in common', () => {
    const sorted = (block: ApprovalBlock | undefined) => ({
      ...block,
      roles: block?.roles && [...block.roles].sort(),
      scopes: block?.scopes && [...block.scopes].sort(),
    })
    fc.assert(
      fc.property(blocks, blocks, (a, b) => {
        fc.pre(disjointLists({ lower: a, upper: b }).length === 0)
        expect(sorted(mergeApproval({ lower: a, upper: b }))).toEqual(
          sorted(mergeApproval({ lower: b, upper: a })),
        )
      }),
    )
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(blocks, (block) => {
        const merged = approvalRuleOf(mergeApproval({ lower: block, upper: block }))
        expect(merged).toEqual(approvalRuleOf(block))
      }),
    )
  })
})

function toBlock({ expiresMinutes, ...rule }: typeof BUILT_IN_APPROVAL): ApprovalBlock {
  return { ...rule, expires_minutes: expiresMinutes }
}

import { describe, expect, it } from 'vitest'
import { ruleReads } from './rule-reads.ts'

const readsOf = (condition: string, args: Record<string, unknown>) => {
  const { marked, missing, others } = ruleReads(condition, args)
  return { marked: [...marked], missing, others }
}

describe('what a rule looks at', () => {
  it('is found in the arguments, also in nested ones', () => {
    const condition = "tool == 'pay' and args.order.cents > 500 and args.to != 'bank'"
    expect(readsOf(condition, { order: { cents: 900 }, note: 'x' })).toEqual({
      marked: ['order.cents'],
      missing: ['to'],
      others: ['tool'],
    })
  })

  it('is nothing of an object itself, and nothing for rules without a condition', () => {
    expect(readsOf('args.constructor == 1', {}).missing).toEqual(['constructor'])
    expect(readsOf('3 per minute', { minute: 3 })).toEqual({ marked: [], missing: [], others: [] })
  })
})

import { describe, expect, it } from 'vitest'
import { type BudgetRule, exceeded, windowStart } from './budget.ts'

const NOW = new Date('2026-03-15T12:30:00Z')
const ruleOf = (given: Partial<BudgetRule> = {}): BudgetRule => ({
  name: 'org/daily',
  per: 'day',
  action: 'block',
  maxTokens: 100,
  maxTurns: undefined,
  matches: (model) => model.startsWith('a'),
  ...given,
})
const usedOf = (hour: string, tokens: number, model = 'a1') => ({
  hour: new Date(hour),
  requestedModel: model,
  model: 'b-answered',
  turns: 1,
  tokens,
})

describe('a budget', () => {
  it.each([
    ['hour', '2026-03-15T12:00:00.000Z'],
    ['day', '2026-03-15T00:00:00.000Z'],
    ['month', '2026-03-01T00:00:00.000Z'],
  ] as const)('per %s counts from %s', (per, start) => {
    expect(windowStart(per, NOW).toISOString()).toBe(start)
  })

  it('is used up at its maximum, within its window and for its models', () => {
    const used = [usedOf('2026-03-15T01:00:00Z', 60), usedOf('2026-03-15T02:00:00Z', 40)]
    expect(exceeded(ruleOf(), used, NOW)).toBe(true)
    expect(exceeded(ruleOf({ maxTokens: 101 }), used, NOW)).toBe(false)
    expect(exceeded(ruleOf({ per: 'hour' }), used, NOW)).toBe(false)
    expect(exceeded(ruleOf({ matches: () => false }), used, NOW)).toBe(false)
    expect(exceeded(ruleOf({ maxTokens: undefined, maxTurns: 2 }), used, NOW)).toBe(true)
  })

  it('counts a turn by the model that answered, too', () => {
    const used = [usedOf('2026-03-15T01:00:00Z', 100, 'c')]
    expect(exceeded(ruleOf({ matches: (model) => model === 'b-answered' }), used, NOW)).toBe(true)
  })
})

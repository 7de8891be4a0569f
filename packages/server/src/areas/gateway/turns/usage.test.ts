import { expect, it } from 'vitest'
import { sumUsage, type UsageOfHour } from './usage.ts'

const usageOf = (given: Partial<UsageOfHour> = {}): UsageOfHour => ({
  orgId: 'org-1',
  agentId: 'a',
  hour: new Date('2026-03-15T12:00:00Z'),
  requestedModel: 'm',
  model: 'm-1',
  turns: 1,
  inputTokens: 10,
  cachedTokens: 4,
  outputTokens: 3,
  toolCalls: 2,
  blocked: 1,
  ungoverned: 0,
  ...given,
})

it('sums the turns of one agent, hour and pair of models, and no others', () => {
  const later = new Date('2026-03-15T13:00:00Z')
  const others = [{ agentId: 'b' }, { hour: later }, { model: 'm-2' }, { requestedModel: 'n' }]
  const sums = sumUsage([
    ...others.map(usageOf),
    usageOf(),
    usageOf({ ungoverned: 1, inputTokens: 5 }),
  ])
  expect(sums).toHaveLength(5)
  expect(sums).toContainEqual(
    usageOf({
      turns: 2,
      inputTokens: 15,
      cachedTokens: 8,
      outputTokens: 6,
      toolCalls: 4,
      blocked: 2,
      ungoverned: 1,
    }),
  )
})

it('has the same order whatever came first', () => {
  const turns = ['b', 'c', 'a'].map((agentId) => usageOf({ agentId }))
  expect(sumUsage(turns)).toEqual(sumUsage(turns.toReversed()))
})

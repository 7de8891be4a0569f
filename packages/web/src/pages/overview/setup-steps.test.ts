import { describe, expect, it } from 'vitest'
import { setupSteps } from './setup-steps.ts'

const NOTHING = { agents: 0, decisions: 0, policies: 0, people: 1, webhooks: 0 }

const doneOf = (state: typeof NOTHING) =>
  setupSteps(state).flatMap(({ key, isDone }) => (isDone ? [key] : []))

describe('the checklist', () => {
  it('has nothing ticked in a new organisation, although its owner is a member', () => {
    expect(doneOf(NOTHING)).toEqual([])
  })

  it.each(['agents', 'decisions', 'policies', 'people', 'webhooks'] as const)(
    'ticks %s alone',
    (key) => {
      expect(doneOf({ ...NOTHING, [key]: NOTHING[key] + 1 })).toEqual([key])
    },
  )
})

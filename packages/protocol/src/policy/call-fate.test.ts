import { expect, it } from 'vitest'
import { callFate } from './call-fate.ts'

it.each([
  ['block', true, null, 'stopped'],
  ['escalate', true, null, 'held'],
  ['allow', true, null, 'unknown'],
  ['block', false, null, 'unknown'],
  ['block', true, 'executed', 'executed'],
  ['allow', true, 'failed', 'failed'],
] as const)('%s, enforced %s, outcome %s: the call is %s', (decision, enforced, outcome, fate) => {
  expect(callFate({ decision, enforced, outcome })).toBe(fate)
})

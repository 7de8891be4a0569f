import { RISK_BREAKERS, TEAM_BREAKERS } from '@touchstone/protocol/risk'
import { expect, it } from 'vitest'
import { breakerText, recommendationText, synergyText } from './risk-words.ts'

it.each([...RISK_BREAKERS, ...TEAM_BREAKERS])('says in words what %s means', (code) => {
  const { name, why } = breakerText(code)
  expect(name).not.toBe(code)
  expect(why).toMatch(/\.$/)
})

it.each(['approve', 'review', 'deny', 'approve_team', 'approve_individuals_only'])(
  'says in words what to do after %s',
  (code) => {
    expect(recommendationText(code)).not.toBe(code)
  },
)

it('leaves codes that it does not know as they are', () => {
  expect([breakerText('new').name, recommendationText('new'), synergyText('new')]).toEqual([
    'new',
    'new',
    'new',
  ])
})

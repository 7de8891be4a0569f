import { RISK_BREAKERS, TEAM_BREAKERS } from '@touchstone/protocol/risk'
import { expect, it } from 'vitest'
import { breakerText, recommendationText, riskSummary, synergyText } from './risk-words.ts'

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

const factor = (label: string, risk_contribution: number) => ({
  component: 'compliance' as const,
  label,
  raw_value: 500,
  weight: 0.3,
  risk_contribution,
  explanation: '',
})

const NO_SURCHARGE = {
  context: 0,
  recency: 0,
  confidence_penalty: 0,
  base: 0,
  amount_surcharge: 0,
  counterparty_surcharge: 0,
}

it('names the factors that add most, and recent violations', () => {
  const factors = [factor('Drift', 0.1), factor('Card', 0), factor('Compliance', 0.3)]
  const given = { contributing_factors: factors, breakdown: NO_SURCHARGE }
  expect(riskSummary(given)).toBe('Most risk: Compliance, Drift.')
  expect(riskSummary({ ...given, breakdown: { ...NO_SURCHARGE, recency: 1 } })).toBe(
    'Most risk: Compliance, Drift. Recent violations raise the score.',
  )
  expect(riskSummary({ ...given, contributing_factors: [] })).toBe('No factor adds risk.')
})

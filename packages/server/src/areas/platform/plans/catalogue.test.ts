import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FEATURES } from '../../../access.ts'
import {
  cappedMeters,
  type LimitName,
  METERS,
  PLAN_IDS,
  PLANS,
  planOf,
  STATUSES,
  termsOf,
} from './catalogue.ts'

const LIMIT_NAMES: readonly LimitName[] = ['requests_per_second', ...METERS]

const overrides = fc.dictionary(
  fc.constantFrom(...LIMIT_NAMES),
  fc.option(fc.nat({ max: 100_000 }), { nil: null }),
)

describe('the catalogue', () => {
  it('has the four plans in order, each including the features of the previous one', () => {
    expect(PLANS.map((plan) => plan.planId)).toEqual(PLAN_IDS)
    PLANS.slice(1).forEach((plan, index) => {
      expect(plan.features).toEqual(expect.arrayContaining([...(PLANS[index]?.features ?? [])]))
    })
  })

  it('gives Enterprise every feature', () => {
    expect(new Set(planOf('plan-enterprise').features)).toEqual(new Set(FEATURES))
  })

  it.each([
    ['plan-free', 10, 7, [100, 0, 50, 0]],
    ['plan-developer', 50, 30, [0, 0, 0, 0]],
    ['plan-team', 200, 90, [15_000, 200, 5000, 500]],
    ['plan-enterprise', 1000, null, [null, null, null, null]],
  ])('gives %s the limits of the specification', (planId, perSecond, retention, included) => {
    const plan = planOf(planId)
    expect(plan.requestsPerSecond).toBe(perSecond)
    expect(plan.traceRetentionDays).toBe(retention)
    expect(METERS.map((meter) => plan.included[meter])).toEqual(included)
  })

  it('caps use at the included amount only if the plan has no price for more', () => {
    const cappedIn = (planId: string) => cappedMeters(planOf(planId))
    expect(cappedIn('plan-free')).toEqual([...METERS])
    expect(cappedIn('plan-developer')).toEqual(['team_reputation'])
    expect(cappedIn('plan-team')).toEqual([])
    expect(cappedIn('plan-enterprise')).toEqual([])
    const free = { planId: 'plan-free', status: 'active' } as const
    const overrides = { risk_assessment: null }
    expect(cappedMeters(termsOf({ ...free, overrides }))).not.toContain('risk_assessment')
  })

  it('includes 0 of a metered meter and has a price for it', () => {
    for (const plan of PLANS) {
      for (const meter of plan.metered) {
        expect(plan.included[meter]).toBe(0)
        expect(plan.prices[meter]).toBeGreaterThan(0)
      }
    }
  })

  it('throws for an unknown plan', () => {
    expect(() => planOf('plan-gold')).toThrow('plan-gold')
  })
})

describe('termsOf', () => {
  it('gives a canceled subscription the terms of Free, whatever its overrides', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PLAN_IDS), overrides, (planId, agreed) => {
        const terms = termsOf({ planId, status: 'canceled', overrides: agreed })
        expect(terms).toEqual(planOf('plan-free'))
      }),
    )
  })

  it('replaces exactly the overridden limits, with null as unlimited', () => {
    const statuses = STATUSES.filter((status) => status !== 'canceled')
    fc.assert(
      fc.property(
        fc.constantFrom(...PLAN_IDS),
        fc.constantFrom(...statuses),
        overrides,
        (planId, status, agreed) => {
          const plan = planOf(planId)
          const terms = termsOf({ planId, status, overrides: agreed })
          const effective = { ...terms.included, requests_per_second: terms.requestsPerSecond }
          const usual = { ...plan.included, requests_per_second: plan.requestsPerSecond }
          for (const name of LIMIT_NAMES) {
            const expected = name in agreed ? agreed[name] : usual[name]
            expect(effective[name]).toBe(expected)
          }
          expect(terms.features).toEqual(plan.features)
        },
      ),
    )
  })

  it('turns a metered meter into a quota when its amount is overridden', () => {
    const agreed = { checks: 500 }
    const terms = termsOf({ planId: 'plan-developer', status: 'active', overrides: agreed })
    expect(terms.metered).toEqual(['risk_assessment', 'team_risk_assessment'])
    expect(terms.included.checks).toBe(500)
  })
})

import type { Feature } from '../../../access.ts'

/** The plans (spec: platform §2.6). The service charges nothing. */
export const PLAN_IDS = ['plan-free', 'plan-developer', 'plan-team', 'plan-enterprise'] as const
export type PlanId = (typeof PLAN_IDS)[number]

/** Metered kinds of use; checks are analysed checkpoints and verified traces. */
export const METERS = [
  'checks',
  'team_reputation',
  'risk_assessment',
  'team_risk_assessment',
] as const
export type Meter = (typeof METERS)[number]

/** Null means unlimited, here and in the API. */
export type Limit = number | null

/** The rate limiter needs a number: stands for unlimited, because no node can answer that many. */
export const REQUESTS_PER_SECOND_MAX = 1_000_000

export type PerMeter<T> = Readonly<Record<Meter, T>>

export type Plan = {
  planId: PlanId
  displayName: string
  features: readonly Feature[]
  requestsPerSecond: Limit
  traceRetentionDays: Limit
  /** Per calendar month. */
  included: PerMeter<Limit>
  /**
   * Meters priced from the first unit. They include 0 but have no quota, so there is no percentage
   * and no notice; a meter that includes 0 and is not listed here has a quota of 0.
   */
  metered: readonly Meter[]
  /** Price per unit beyond the included amount; null if the plan has no price. */
  prices: PerMeter<number | null>
}

const FREE_FEATURES = ['risk_assessment'] as const
const DEVELOPER_FEATURES = [...FREE_FEATURES, 'team_risk_assessment', 'zk_proofs'] as const
const TEAM_FEATURES = [
  ...DEVELOPER_FEATURES,
  'team_reputation',
  'intelligence',
  'pairwise_coherence',
] as const
const ENTERPRISE_FEATURES = [
  ...TEAM_FEATURES,
  'webhooks',
  'custom_conscience_values',
  'org_card_template',
  'nway_coherence',
  'sso',
] as const

const UNPRICED = perMeter(() => null)

/** Cheapest first. The price of a team reputation is from spec: interface, Feature gating. */
export const PLANS: readonly Plan[] = [
  {
    planId: 'plan-free',
    displayName: 'Free',
    features: FREE_FEATURES,
    requestsPerSecond: 10,
    traceRetentionDays: 7,
    included: { checks: 100, team_reputation: 0, risk_assessment: 50, team_risk_assessment: 0 },
    metered: [],
    prices: UNPRICED,
  },
  {
    planId: 'plan-developer',
    displayName: 'Developer',
    features: DEVELOPER_FEATURES,
    requestsPerSecond: 50,
    traceRetentionDays: 30,
    included: perMeter(() => 0),
    metered: ['checks', 'risk_assessment', 'team_risk_assessment'],
    prices: { ...UNPRICED, checks: 0.01, risk_assessment: 0.001, team_risk_assessment: 0.01 },
  },
  {
    planId: 'plan-team',
    displayName: 'Team',
    features: TEAM_FEATURES,
    requestsPerSecond: 200,
    traceRetentionDays: 90,
    included: {
      checks: 15_000,
      team_reputation: 200,
      risk_assessment: 5000,
      team_risk_assessment: 500,
    },
    metered: [],
    prices: {
      checks: 0.008,
      team_reputation: 0.005,
      risk_assessment: 0.0008,
      team_risk_assessment: 0.008,
    },
  },
  {
    planId: 'plan-enterprise',
    displayName: 'Enterprise',
    features: ENTERPRISE_FEATURES,
    requestsPerSecond: 1000,
    traceRetentionDays: null,
    included: perMeter(() => null),
    metered: [],
    prices: UNPRICED,
  },
]

export const STATUSES = ['trialing', 'active', 'past_due', 'canceled'] as const
export type Status = (typeof STATUSES)[number]

export type LimitName = 'requests_per_second' | Meter

/** Limits agreed with one organisation; the plan's limit applies to absent names. */
export type Overrides = Readonly<Partial<Record<LimitName, Limit>>>

/** An organisation's effective limits and features, from its plan, status and overrides. */
export type Terms = {
  planId: PlanId
  features: readonly Feature[]
  requestsPerSecond: Limit
  traceRetentionDays: Limit
  included: PerMeter<Limit>
  metered: readonly Meter[]
}

/** A canceled subscription has the terms of Free, without its overrides. */
export function termsOf(subscription: {
  planId: PlanId
  status: Status
  overrides: Overrides
}): Terms {
  if (subscription.status === 'canceled') return planOf('plan-free')
  const plan = planOf(subscription.planId)
  const { overrides } = subscription
  return {
    ...plan,
    requestsPerSecond: override(overrides.requests_per_second, plan.requestsPerSecond),
    included: perMeter((meter) => override(overrides[meter], plan.included[meter])),
    metered: plan.metered.filter((meter) => overrides[meter] === undefined),
  }
}

export function planOf(planId: string): Plan {
  const plan = PLANS.find((candidate) => candidate.planId === planId)
  if (plan === undefined) throw new Error(`unknown plan ${planId}`)
  return plan
}

/**
 * Meters with a hard cap: limited ones for which the plan has no price beyond the included amount.
 */
export function cappedMeters({ planId, included, metered }: Terms): Meter[] {
  const { prices } = planOf(planId)
  return METERS.filter(
    (meter) => included[meter] !== null && prices[meter] === null && !metered.includes(meter),
  )
}

/** Not `??`, because an override of null means unlimited. */
function override(agreed: Limit | undefined, usual: Limit): Limit {
  return agreed === undefined ? usual : agreed
}

export function perMeter<T>(pick: (meter: Meter) => T): Record<Meter, T> {
  return {
    checks: pick('checks'),
    team_reputation: pick('team_reputation'),
    risk_assessment: pick('risk_assessment'),
    team_risk_assessment: pick('team_risk_assessment'),
  }
}

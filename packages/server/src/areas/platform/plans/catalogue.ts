import type { Feature } from '../../../access.ts'

/** The plans of 04 §2.6 and what a subscription to one of them gives. Nothing is charged. */
export const PLAN_IDS = ['plan-free', 'plan-developer', 'plan-team', 'plan-enterprise'] as const
export type PlanId = (typeof PLAN_IDS)[number]

/** What is counted: checks are analysed checkpoints and verified traces. */
export const METERS = [
  'checks',
  'team_reputation',
  'risk_assessment',
  'team_risk_assessment',
] as const
export type Meter = (typeof METERS)[number]

/** Null means unlimited, here and on the wire. */
export type Limit = number | null

/** The rate limiter counts in numbers: unlimited stands for this, which no node can answer. */
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
   * Meters counted from the first one on at their price. They include 0, have no quota to use up
   * and so neither a percentage nor a notice; a 0 that is not metered is a quota of nothing.
   */
  metered: readonly Meter[]
  /** For each one beyond what is included; null where the plan names no price. */
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

/** Cheapest first. The price of a team reputation is the interface's, Feature gating. */
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

/** Limits agreed with one organisation; a name that is absent keeps the plan's limit. */
export type Overrides = Readonly<Partial<Record<LimitName, Limit>>>

/** What an organisation has, once its plan, its status and its overrides are weighed. */
export type Terms = {
  planId: PlanId
  features: readonly Feature[]
  requestsPerSecond: Limit
  traceRetentionDays: Limit
  included: PerMeter<Limit>
  metered: readonly Meter[]
}

/** A canceled subscription counts as Free, and what was agreed on top of it ends with it. */
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
    requestsPerSecond: chosen(overrides.requests_per_second, plan.requestsPerSecond),
    included: perMeter((meter) => chosen(overrides[meter], plan.included[meter])),
    metered: plan.metered.filter((meter) => overrides[meter] === undefined),
  }
}

export function planOf(planId: string): Plan {
  const plan = PLANS.find((candidate) => candidate.planId === planId)
  if (plan === undefined) throw new Error(`there is no plan ${planId}`)
  return plan
}

/**
 * Meters whose use ends with what is included: those that are counted, and for which the plan names
 * no price beyond it.
 */
export function cappedMeters({ planId, included, metered }: Terms): Meter[] {
  const { prices } = planOf(planId)
  return METERS.filter(
    (meter) => included[meter] !== null && prices[meter] === null && !metered.includes(meter),
  )
}

function chosen(override: Limit | undefined, usual: Limit): Limit {
  return override === undefined ? usual : override
}

export function perMeter<T>(pick: (meter: Meter) => T): Record<Meter, T> {
  return {
    checks: pick('checks'),
    team_reputation: pick('team_reputation'),
    risk_assessment: pick('risk_assessment'),
    team_risk_assessment: pick('team_risk_assessment'),
  }
}

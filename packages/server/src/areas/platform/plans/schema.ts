import { Type } from 'typebox'
import { FEATURES } from '../../../access.ts'
import { NamedEnum, NamedObject } from '../../../http/openapi/named.ts'
import { Nullable } from '../../../http/wire.ts'
import {
  type Limit,
  METERS,
  type Overrides,
  type PerMeter,
  PLAN_IDS,
  type Plan as PlanTerms,
  perMeter,
  REQUESTS_PER_SECOND_MAX,
  STATUSES,
} from './catalogue.ts'
import type { PlanView } from './service.ts'
import type { UsageDay } from './usage-service.ts'

const UNLIMITED = 'null = unlimited'
/** Keeps every sum and percentage far below 2^53. */
const INCLUDED_MAX = 1_000_000_000_000

const eachMeter = <T extends Type.TSchema>(schema: T) => Type.Object(perMeter(() => schema))

const Amount = Nullable(Type.Integer({ minimum: 0, description: UNLIMITED }))
const Features = Type.Array(NamedEnum('PlanFeature', [...FEATURES]))
const Meters = Type.Array(NamedEnum('Meter', [...METERS]), {
  description: 'meters that are charged from the first unit; they include 0 and have no percentage',
})
const PlanLimits = {
  requests_per_second: Nullable(Type.Integer({ description: UNLIMITED })),
  trace_retention_days: Nullable(Type.Integer({ description: UNLIMITED })),
}

export const PlanList = NamedObject('PlanList', {
  plans: Type.Array(
    NamedObject('Plan', {
      plan_id: NamedEnum('PlanId', [...PLAN_IDS]),
      display_name: Type.String(),
      features: Features,
      limits: Type.Object(PlanLimits),
      included: eachMeter(Amount),
      metered: Meters,
      prices: eachMeter(
        Nullable(Type.Number({ description: 'per unit beyond the included amount' })),
      ),
    }),
  ),
})

export const OrgPlan = NamedObject(
  'OrgPlan',
  {
    org_id: Type.String(),
    billing_account_id: Type.String(),
    plan_id: NamedEnum('PlanId', [...PLAN_IDS]),
    status: NamedEnum('PlanStatus', [...STATUSES], { description: 'canceled counts as Free' }),
    cancel_at_period_end: Type.Boolean(),
    features: Features,
    limits: Type.Object({ ...PlanLimits, included: eachMeter(Amount) }),
    metered: Meters,
    period_start: Type.String(),
    period_end: Type.String(),
    usage: eachMeter(
      NamedObject('MeterUsage', {
        used: Type.Integer(),
        included: Amount,
        usage_percent: Nullable(Type.Integer({ description: 'null if there is no quota' })),
      }),
    ),
  },
  { description: 'The plan of the organisation and its usage' },
)

const AmountOverride = Type.Optional(
  Nullable(Type.Integer({ minimum: 0, maximum: INCLUDED_MAX, description: UNLIMITED })),
)

export const PlanChange = NamedObject('PlanChange', {
  plan_id: NamedEnum('PlanId', [...PLAN_IDS]),
  status: Type.Optional(NamedEnum('PlanStatus', [...STATUSES], { default: 'active' })),
  limits: Type.Optional(
    Type.Object(
      {
        requests_per_second: Type.Optional(
          Nullable(
            Type.Integer({ minimum: 1, maximum: REQUESTS_PER_SECOND_MAX, description: UNLIMITED }),
          ),
        ),
        included: Type.Optional(eachMeter(AmountOverride)),
      },
      {
        description:
          'overrides the limits of the plan; missing ones are reset to those of the plan',
      },
    ),
  ),
  cancel_at_period_end: Type.Optional(Type.Boolean({ default: false })),
})

export const UsageQuery = Type.Object({
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 90, default: 30 })),
})

export const Usage = NamedObject(
  'Usage',
  {
    org_id: Type.String(),
    daily: Type.Array(
      NamedObject('UsageDay', {
        date: Type.String({ format: 'date' }),
        ...perMeter(() => Type.Integer()),
      }),
    ),
  },
  { description: 'The usage by day' },
)

type LimitsBody = { requests_per_second?: Limit; included?: Partial<PerMeter<Limit>> }

/** Only known names: unknown fields of the body are ignored (spec: platform §1.1). */
export function toOverrides(limits: LimitsBody = {}): Overrides {
  const given = { requests_per_second: limits.requests_per_second, ...limits.included }
  const names = ['requests_per_second', ...METERS] as const
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  )
}

export function toPlan(plan: PlanTerms) {
  return {
    plan_id: plan.planId,
    display_name: plan.displayName,
    features: [...plan.features],
    limits: {
      requests_per_second: plan.requestsPerSecond,
      trace_retention_days: plan.traceRetentionDays,
    },
    included: { ...plan.included },
    metered: [...plan.metered],
    prices: { ...plan.prices },
  }
}

export function toOrgPlan(view: PlanView) {
  const { subscription, terms, period } = view
  return {
    org_id: view.orgId,
    billing_account_id: view.accountId,
    plan_id: subscription.planId,
    status: subscription.status,
    cancel_at_period_end: subscription.cancelsAt !== null,
    features: [...terms.features],
    limits: {
      requests_per_second: terms.requestsPerSecond,
      trace_retention_days: terms.traceRetentionDays,
      included: { ...terms.included },
    },
    metered: [...terms.metered],
    period_start: period.start.toISOString(),
    period_end: period.end.toISOString(),
    usage: perMeter((meter) => {
      const { used, included, usagePercent } = view.usage[meter]
      return { used, included, usage_percent: usagePercent }
    }),
  }
}

export function toUsage(orgId: string, days: readonly UsageDay[]) {
  return { org_id: orgId, daily: days.map(({ day, used }) => ({ date: day, ...used })) }
}

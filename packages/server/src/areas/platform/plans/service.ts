import type { Feature } from '../../../access.ts'
import { type Actor, type Audit, changesBetween, SYSTEM_ACTOR } from '../../../audit.ts'
import { createSharedCache } from '../../../kernel/cache.ts'
import { MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  cappedMeters,
  type Limit,
  METERS,
  type Meter,
  type Overrides,
  type PerMeter,
  PLANS,
  type Plan,
  type PlanId,
  perMeter,
  planOf,
  REQUESTS_PER_SECOND_MAX,
  type Status,
  type Terms,
  termsOf,
} from './catalogue.ts'
import {
  dayOf,
  daysIn,
  monthsBefore,
  type Period,
  periodOf,
  totalsOf,
  usagePercent,
} from './quota.ts'
import { createPlanStore, type Subscription } from './store.ts'
import { createUsageService, type UsageDeps } from './usage-service.ts'

/** spec: platform §6.3. */
const USAGE_KEPT_MONTHS = 25

/** Notice topic that invalidates a cached plan on every node. */
const TOPIC = 'plan'
const CACHED_MS = MINUTE_MS
const CACHED_MAX = 50_000

/** Features and limits of an organisation under its current plan. */
type Entitlements = {
  planId: string
  features: ReadonlySet<Feature>
  requestsPerSecond: number
  /** Meters whose use is capped at the included amount. */
  capped: ReadonlySet<Meter>
}

type MeterView = { used: number; included: Limit; usagePercent: number | null }

export type PlanView = {
  orgId: string
  accountId: string
  subscription: Subscription
  terms: Terms
  period: Period
  usage: PerMeter<MeterView>
}

type PlanChange = {
  orgId: string
  actor: Actor
  planId: PlanId
  status: Status
  overrides: Overrides
  cancelAtPeriodEnd: boolean
}

export type PlanDeps = UsageDeps & {
  audit: Audit
  notices: Notices
  /** The plan of new organisations (setting DEFAULT_PLAN). */
  defaultPlan: string
}

export type PlanService = ReturnType<typeof createPlanService>

export function createPlanService(deps: PlanDeps) {
  const entitlements = createEntitlementCache(deps)
  const subscriptions = createSubscriptionMethods(deps, entitlements.evict)
  const usage = createUsageService(deps)
  return {
    entitlements: entitlements.get,

    /** Whether the meter is capped at the included amount, so that `recordCapped` must count it. */
    isCapped: async (orgId: string, meter: Meter): Promise<boolean> =>
      (await entitlements.get(orgId)).capped.has(meter),

    list: (): readonly Plan[] => PLANS,
    open: subscriptions.open,
    get: subscriptions.get,
    change: subscriptions.change,

    record: usage.record,
    recordCapped: usage.recordCapped,
    usage: usage.usage,

    /**
     * Runs every minute: ends canceled subscriptions and sums usage. Safe on several nodes at once.
     */
    async sum(now: Date): Promise<number> {
      while (await cancelOneDue(deps, now, entitlements.evict));
      return usage.sumDeltas(now)
    },

    purge: (now: Date): Promise<number> =>
      transact(deps.db, (tx) =>
        createPlanStore(tx).deleteUsageBefore(dayOf(monthsBefore(now, USAGE_KEPT_MONTHS))),
      ),

    /** Deletes an erased organisation's subscription and usage. */
    async erase(tx: Db, orgId: OrgId): Promise<void> {
      await createPlanStore(tx).deleteOrg(orgId)
      await deps.notices.publish(tx, TOPIC, orgId)
    },
  }
}

/**
 * Every request reads its entitlements, so they are cached until a change notice invalidates them.
 */
function createEntitlementCache(deps: PlanDeps) {
  const { clock, notices } = deps
  const limits = { entriesMax: CACHED_MAX, ttlMs: CACHED_MS }
  const known = createSharedCache<Entitlements>({ clock, notices, topic: TOPIC, ...limits })
  const store = createPlanStore(deps.db)
  const read = async (orgId: string): Promise<Entitlements> => {
    const found = await known.load(orgId, async () => {
      const subscription = await store.find(orgId)
      return subscription && toEntitlements(termsOf(subscription))
    })
    // Only an erased organisation has no subscription; it gets the smallest plan.
    return found ?? toEntitlements(planOf('plan-free'))
  }
  const get = async (orgId: string): Promise<Entitlements> => known.get(orgId) ?? read(orgId)
  return { get, evict: known.evict }
}

function toEntitlements(terms: Terms): Entitlements {
  return {
    planId: terms.planId,
    features: new Set(terms.features),
    requestsPerSecond: terms.requestsPerSecond ?? REQUESTS_PER_SECOND_MAX,
    capped: new Set(cappedMeters(terms)),
  }
}

function createSubscriptionMethods(deps: PlanDeps, evict: (orgId: string) => void) {
  const planId = planOf(deps.defaultPlan).planId
  return {
    /** Subscribes a new organisation to the default plan, in the transaction that creates it. */
    async open(tx: Db, orgId: string): Promise<void> {
      const now = deps.clock.now()
      await createPlanStore(tx).insert({
        orgId,
        planId,
        status: 'active',
        overrides: {},
        cancelsAt: null,
        createdAt: now,
        updatedAt: now,
      })
    },

    async get(org: { orgId: string; accountId: string }): Promise<PlanView> {
      const subscription = await createPlanStore(deps.db).find(org.orgId)
      if (subscription === undefined) throw noOrg()
      return view(deps, org.accountId, subscription)
    },

    /** Replaces the whole subscription: limits that are not overridden go back to the plan's. */
    async change(input: PlanChange): Promise<PlanView> {
      const org = await deps.orgs.find(deps.db, input.orgId)
      if (org === undefined) throw noOrg()
      const after = await transact(deps.db, async (tx) => {
        const [before] = await createPlanStore(tx).lock([input.orgId])
        if (before === undefined) throw noOrg()
        const now = deps.clock.now()
        const { planId, status, overrides } = input
        const cancelsAt = input.cancelAtPeriodEnd ? periodOf(now).end : null
        const next = { ...before, planId, status, overrides, cancelsAt, updatedAt: now }
        await save(deps, tx, { before, after: next, actor: input.actor, accountId: org.accountId })
        return next
      })
      evict(input.orgId)
      return view(deps, org.accountId, after)
    },
  }
}

async function save(
  deps: PlanDeps,
  tx: Db,
  change: {
    before: Subscription
    after: Subscription
    actor: Actor
    accountId: string | undefined
  },
): Promise<void> {
  const { before, after, accountId } = change
  const changes = changesBetween(toAuditFields(before), toAuditFields(after))
  if (Object.keys(changes).length === 0) return
  await createPlanStore(tx).update(after)
  await deps.notices.publish(tx, TOPIC, after.orgId)
  await deps.audit.record(tx, {
    orgId: after.orgId,
    action: 'plan.changed',
    actor: change.actor,
    target: { type: 'org', id: after.orgId },
    changes,
  })
  if (accountId === undefined) return
  if (before.planId === after.planId && before.status === after.status) return
  await deps.events.emit(tx, {
    type: 'subscription.status_changed',
    orgId: after.orgId,
    accountId,
    data: {
      status: after.status,
      previous_plan_id: before.planId,
      new_plan_id: after.planId,
      cancel_at_period_end: after.cancelsAt !== null,
    },
  })
}

/** The subscription as the audit log shows it: null stands for the plan's own limit. */
function toAuditFields(subscription: Subscription): Record<string, unknown> {
  const { overrides } = subscription
  const limit = (override: Limit | undefined) => (override === null ? 'unlimited' : override)
  return {
    plan_id: subscription.planId,
    status: subscription.status,
    cancel_at_period_end: subscription.cancelsAt !== null,
    'limits.requests_per_second': limit(overrides.requests_per_second),
    ...Object.fromEntries(
      METERS.map((meter) => [`limits.included.${meter}`, limit(overrides[meter])]),
    ),
  }
}

async function view(
  deps: PlanDeps,
  accountId: string,
  subscription: Subscription,
): Promise<PlanView> {
  const { orgId } = subscription
  const terms = termsOf(subscription)
  const period = periodOf(deps.clock.now())
  const used = totalsOf(await createPlanStore(deps.db).daily(orgId, daysIn(period)))
  const usage = perMeter((meter) => {
    const included = terms.included[meter]
    return { used: used[meter], included, usagePercent: usagePercent(used[meter], included) }
  })
  return { orgId, accountId, subscription, terms, period, usage }
}

/**
 * Cancels one subscription whose period has ended (cancel_at_period_end); false if there is none.
 */
async function cancelOneDue(
  deps: PlanDeps,
  now: Date,
  evict: (orgId: string) => void,
): Promise<boolean> {
  const canceled = await transact(deps.db, async (tx) => {
    const before = await createPlanStore(tx).lockDueForCancellation(now)
    if (before === undefined) return undefined
    const after = { ...before, status: 'canceled' as const, cancelsAt: null, updatedAt: now }
    const accountId = (await deps.orgs.find(tx, before.orgId))?.accountId
    await save(deps, tx, { before, after, actor: SYSTEM_ACTOR, accountId })
    return before.orgId
  })
  if (canceled !== undefined) evict(canceled)
  return canceled !== undefined
}

function noOrg(): Problem {
  return new Problem('not_found', 'No such organisation.')
}

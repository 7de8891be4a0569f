import type { Feature } from '../../../access.ts'
import { type Actor, type Audit, changesBetween, SYSTEM_ACTOR } from '../../../kernel/audit.ts'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, DAY_MS, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events, NewEvent } from '../../../kernel/events.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
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
import type { Orgs } from './ports.ts'
import {
  dayOf,
  lastDays,
  monthsBefore,
  type NoticeKind,
  noticesDue,
  type Period,
  periodOf,
  usagePercent,
} from './quota.ts'
import { createPlanStore, type DayUse, type MeterUse, type Subscription } from './store.ts'

/** 04 §7.3. */
const USAGE_KEPT_MONTHS = 25

/** Deltas summed in one transaction: large enough to be quick, small enough to hold locks briefly. */
const BATCH_MAX = 500

/** Word of a change, so that no node goes on with the old plan. */
const TOPIC = 'plan'
const CACHED_MS = MINUTE_MS
const CACHED_MAX = 50_000

/** What an organisation may use, as its plan stands now. */
export type Entitlements = {
  planId: string
  features: ReadonlySet<Feature>
  requestsPerSecond: number
}

export type MeterView = { used: number; included: Limit; usagePercent: number | null }

export type PlanView = {
  orgId: string
  accountId: string
  subscription: Subscription
  terms: Terms
  period: Period
  usage: PerMeter<MeterView>
}

export type UsageDay = { day: string; used: PerMeter<number> }

export type PlanChange = {
  orgId: string
  actor: Actor
  planId: PlanId
  status: Status
  overrides: Overrides
  cancelAtPeriodEnd: boolean
}

export type PlanDeps = {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  notices: Notices
  orgs: Orgs
  /** DEFAULT_PLAN: what new organisations get. */
  defaultPlan: string
}

export type PlanService = ReturnType<typeof createPlanService>

export function createPlanService(deps: PlanDeps) {
  const rights = createRights(deps)
  return {
    entitlements: rights.of,
    ...subscriptions(deps, rights.forget),
    ...metering(deps, rights.forget),
    ...endings(deps),
  }
}

/** Asked on every request, hence kept in memory until word of a change arrives. */
function createRights(deps: PlanDeps) {
  const cache = createCache<Entitlements>({
    clock: deps.clock,
    entriesMax: CACHED_MAX,
    ttlMs: CACHED_MS,
  })
  const store = createPlanStore(deps.db)
  // Counts changes: what was read before one and arrives after it is stale and not to be kept.
  let changes = 0
  const forget = (orgId: string): void => {
    changes += 1
    cache.delete(orgId)
  }
  deps.notices.on(TOPIC, forget)
  deps.notices.onReset(() => {
    changes += 1
    cache.clear()
  })
  const of = async (orgId: string): Promise<Entitlements> => {
    const kept = cache.get(orgId)
    if (kept !== undefined) return kept
    const changesBefore = changes
    const subscription = await store.find(orgId)
    // Only an erased organisation has no subscription; it gets the least there is.
    if (subscription === undefined) return toEntitlements(planOf('plan-free'))
    const entitlements = toEntitlements(termsOf(subscription))
    if (changes === changesBefore) cache.set(orgId, entitlements)
    return entitlements
  }
  return { of, forget }
}

function toEntitlements(terms: Terms): Entitlements {
  return {
    planId: terms.planId,
    features: new Set(terms.features),
    requestsPerSecond: terms.requestsPerSecond ?? REQUESTS_PER_SECOND_MAX,
  }
}

function subscriptions(deps: PlanDeps, forget: (orgId: string) => void) {
  const planId = planOf(deps.defaultPlan).planId
  return {
    list: (): readonly Plan[] => PLANS,

    /** For a new organisation, in the transaction that founds it. */
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

    /** Replaces the whole subscription; what is not said goes back to the plan's usual. */
    async change(input: PlanChange): Promise<PlanView> {
      const org = await deps.orgs.find(input.orgId)
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
      forget(input.orgId)
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
  const changes = changesBetween(told(before), told(after))
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

/** As the audit log shows it: null stands for the plan's own limit. */
function told(subscription: Subscription): Record<string, unknown> {
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
  const used = totals(await createPlanStore(deps.db).daily(orgId, daysIn(period)))
  const usage = perMeter((meter) => {
    const included = terms.included[meter]
    return { used: used[meter], included, usagePercent: usagePercent(used[meter], included) }
  })
  return { orgId, accountId, subscription, terms, period, usage }
}

function metering(deps: PlanDeps, forget: (orgId: string) => void) {
  return {
    /** In the transaction of the metered work: one is never there without the other. */
    async record(tx: Db, use: { orgId: string; meter: Meter; amount: number }): Promise<void> {
      if (use.amount === 0) return
      await createPlanStore(tx).insertDelta({ ...use, day: dayOf(deps.clock.now()) })
    },

    /** One entry for each of the last days, today included, oldest first. */
    async usage(orgId: string, days: number): Promise<UsageDay[]> {
      const now = deps.clock.now()
      const wanted = lastDays(now, days)
      const range = { from: wanted[0] ?? dayOf(now), before: dayOf(later(now, DAY_MS)) }
      const uses = await createPlanStore(deps.db).daily(orgId, range)
      return wanted.map((day) => ({ day, used: totals(uses.filter((use) => use.day === day)) }))
    },

    /**
     * The minute's work: moves recorded use into the daily sums, tells of quotas reached, and ends
     * subscriptions that were to end. Any number of nodes may do it at the same time. Returns how
     * many deltas were summed here.
     */
    async sum(now: Date): Promise<number> {
      while (await endOne(deps, now, forget));
      let total = 0
      for (;;) {
        const taken = await transact(deps.db, (tx) => sumBatch(deps, tx, now))
        total += taken
        if (taken < BATCH_MAX) return total
      }
    },
  }
}

/** Ends one subscription whose cancel_at_period_end has come; false when there is none. */
async function endOne(
  deps: PlanDeps,
  now: Date,
  forget: (orgId: string) => void,
): Promise<boolean> {
  const ended = await transact(deps.db, async (tx) => {
    const before = await createPlanStore(tx).lockEnding(now)
    if (before === undefined) return undefined
    const after = { ...before, status: 'canceled' as const, cancelsAt: null, updatedAt: now }
    const accountId = (await deps.orgs.find(before.orgId))?.accountId
    await save(deps, tx, { before, after, actor: SYSTEM_ACTOR, accountId })
    return before.orgId
  })
  if (ended !== undefined) forget(ended)
  return ended !== undefined
}

async function sumBatch(deps: PlanDeps, tx: Db, now: Date): Promise<number> {
  const store = createPlanStore(tx)
  const { taken, uses } = await store.takeDeltas(BATCH_MAX)
  if (taken === 0) return 0
  // INVARIANT: an organisation's sums change, and its quotas are judged, only under the lock of
  // its subscription; else two nodes could each miss the other's half of a quota.
  const held = await store.lock([...new Set(uses.map((use) => use.orgId))])
  const orgIds = new Set(held.map((subscription) => subscription.orgId))
  // An organisation without a subscription was erased after its work was recorded.
  const kept = uses.filter((use) => orgIds.has(use.orgId))
  await store.addDaily(kept)
  for (const subscription of held) {
    const own = kept.filter((use) => use.orgId === subscription.orgId)
    await judgeQuotas(deps, tx, { subscription, uses: own, now })
  }
  return taken
}

/** Use counts in the month it happened in, also when it is summed after that month's end. */
async function judgeQuotas(
  deps: PlanDeps,
  tx: Db,
  input: { subscription: Subscription; uses: readonly DayUse[]; now: Date },
): Promise<void> {
  const { subscription, uses, now } = input
  const { orgId } = subscription
  const terms = termsOf(subscription)
  for (const month of new Set(uses.map((use) => use.day.slice(0, 7)))) {
    const period = periodOf(new Date(`${month}-01T00:00:00Z`))
    const totalOf = totals(await createPlanStore(tx).summed(orgId, daysIn(period)))
    const touched = uses.filter((use) => use.day.startsWith(month))
    for (const meter of new Set(touched.map((use) => use.meter))) {
      const included = terms.included[meter]
      if (included === null || terms.metered.includes(meter)) continue
      await tell(deps, tx, { orgId, meter, period, used: totalOf[meter], included, now })
    }
  }
}

type Standing = {
  orgId: string
  meter: Meter
  period: Period
  used: number
  included: number
}

/** Each notice once per meter and period, whoever comes to tell it. */
async function tell(deps: PlanDeps, tx: Db, standing: Standing & { now: Date }): Promise<void> {
  const { orgId, meter, period, used, included } = standing
  for (const kind of noticesDue(used, included)) {
    const notice = { orgId, meter, periodStart: dayOf(period.start), kind }
    if (!(await createPlanStore(tx).insertNotice(notice, standing.now))) continue
    const org = await deps.orgs.find(orgId)
    // A deleted organisation hears nothing any more.
    if (org !== undefined) await deps.events.emit(tx, quotaEvent(standing, kind, org.accountId))
  }
}

/** Team reputation has event types of its own; the other meters share theirs (04 §5.3). */
function quotaEvent(standing: Standing, kind: NoticeKind, accountId: string): NewEvent {
  const { orgId, meter, period, used, included } = standing
  const shared = {
    usage_percent: usagePercent(used, included),
    period_start: period.start.toISOString(),
    period_end: period.end.toISOString(),
  }
  if (meter === 'team_reputation') {
    const data = { ...shared, computations_used: used, computations_included: included }
    return { type: `quota.team_reputation_${kind}`, orgId, accountId, data }
  }
  const checks = meter === 'checks' ? { checks_used: used, checks_included: included } : {}
  const data = { meter, ...shared, used, included, ...checks }
  return { type: `quota.${kind}`, orgId, accountId, data }
}

function endings(deps: PlanDeps) {
  return {
    purge: (now: Date): Promise<number> =>
      transact(deps.db, (tx) =>
        createPlanStore(tx).deleteUsageBefore(dayOf(monthsBefore(now, USAGE_KEPT_MONTHS))),
      ),

    /** When an organisation is erased. */
    async erase(tx: Db, orgId: string): Promise<void> {
      await createPlanStore(tx).deleteOrg(orgId)
      await deps.notices.publish(tx, TOPIC, orgId)
    },
  }
}

function daysIn(period: Period) {
  return { from: dayOf(period.start), before: dayOf(period.end) }
}

function totals(uses: readonly MeterUse[]): Record<Meter, number> {
  return perMeter((meter) =>
    uses.reduce((total, use) => (use.meter === meter ? total + use.amount : total), 0),
  )
}

function noOrg(): Problem {
  return new Problem('not_found', 'No such organisation.')
}

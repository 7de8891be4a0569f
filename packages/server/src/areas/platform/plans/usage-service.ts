import { type Clock, DAY_MS, later, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events, NewEvent } from '../../../kernel/events.ts'
import { Problem } from '../../../kernel/problem.ts'
import { cappedMeters, type Meter, type PerMeter, termsOf } from './catalogue.ts'
import type { Orgs } from './ports.ts'
import {
  dayOf,
  daysIn,
  lastDays,
  type NoticeKind,
  noticesDue,
  type Period,
  periodOf,
  totalsOf,
  usagePercent,
} from './quota.ts'
import { createPlanStore, type DayUse, type Subscription } from './store.ts'

/**
 * Deltas summed per transaction: large enough for throughput, small enough to hold locks briefly.
 */
const BATCH_MAX = 500

export type UsageDay = { day: string; used: PerMeter<number> }

export type UsageDeps = { db: Db; clock: Clock; events: Events; orgs: Orgs }

/** Counts use and emits the notices of quotas that are reached. */
export function createUsageService(deps: UsageDeps) {
  return {
    /** Call in the transaction of the metered work, so that both commit or neither does. */
    async record(tx: Db, use: { orgId: string; meter: Meter; amount: number }): Promise<void> {
      if (use.amount === 0) return
      await createPlanStore(tx).insertDelta({ ...use, day: dayOf(deps.clock.now()) })
    },

    /**
     * Like `record` for a capped meter; throws `rate_limited` if the included amount is used up.
     */
    async recordCapped(
      tx: Db,
      use: { orgId: string; meter: Meter; amount: number },
    ): Promise<void> {
      const now = deps.clock.now()
      const store = createPlanStore(tx)
      // The row lock serialises concurrent uses, so that the last included unit is used only once.
      const [subscription] = await store.lock([use.orgId])
      const terms = subscription && termsOf(subscription)
      const included = terms?.included[use.meter] ?? null
      if (terms !== undefined && included !== null && cappedMeters(terms).includes(use.meter)) {
        const period = periodOf(now)
        const used = totalsOf(await store.daily(use.orgId, daysIn(period)))[use.meter]
        if (used + use.amount > included) throw usedUp(use.meter, included, { now, period })
      }
      await store.insertDelta({ ...use, day: dayOf(now) })
    },

    /** One entry for each of the last `days` days, including today, oldest first. */
    async usage(orgId: string, days: number): Promise<UsageDay[]> {
      const now = deps.clock.now()
      const wanted = lastDays(now, days)
      const range = { from: wanted[0] ?? dayOf(now), before: dayOf(later(now, DAY_MS)) }
      const uses = await createPlanStore(deps.db).daily(orgId, range)
      return wanted.map((day) => ({ day, used: totalsOf(uses.filter((use) => use.day === day)) }))
    },

    /**
     * Moves recorded use into the daily sums and emits notices of quotas that are reached. Safe on
     * several nodes at once. Returns how many deltas this call summed.
     */
    async sumDeltas(now: Date): Promise<number> {
      let total = 0
      for (;;) {
        const taken = await transact(deps.db, (tx) => sumBatch(deps, tx, now))
        total += taken
        if (taken < BATCH_MAX) return total
      }
    },
  }
}

function usedUp(meter: Meter, included: number, at: { now: Date; period: Period }): Problem {
  const waitMs = at.period.end.getTime() - at.now.getTime()
  const text = `The plan includes ${included} ${meter} per month, and they are used up.`
  return new Problem('rate_limited', text, {
    headers: { 'retry-after': String(Math.ceil(waitMs / SECOND_MS)) },
  })
}

async function sumBatch(deps: UsageDeps, tx: Db, now: Date): Promise<number> {
  const store = createPlanStore(tx)
  const { taken, uses } = await store.takeDeltas(BATCH_MAX)
  if (taken === 0) return 0
  // INVARIANT: an organisation's sums change and its quotas are checked only under the lock of its
  // subscription; otherwise two nodes could each add half of a quota and neither see it reached.
  const locked = await store.lock([...new Set(uses.map((use) => use.orgId))])
  const orgIds = new Set(locked.map((subscription) => subscription.orgId))
  // An organisation without a subscription was erased after its work was recorded.
  const kept = uses.filter((use) => orgIds.has(use.orgId))
  await store.addDaily(kept)
  for (const subscription of locked) {
    const own = kept.filter((use) => use.orgId === subscription.orgId)
    await checkQuotas(deps, tx, { subscription, uses: own, now })
  }
  return taken
}

/** Use counts in the month in which it happened, even if it is summed after that month's end. */
async function checkQuotas(
  deps: UsageDeps,
  tx: Db,
  input: { subscription: Subscription; uses: readonly DayUse[]; now: Date },
): Promise<void> {
  const { subscription, uses, now } = input
  const { orgId } = subscription
  const terms = termsOf(subscription)
  for (const month of new Set(uses.map((use) => use.day.slice(0, 7)))) {
    const period = periodOf(new Date(`${month}-01T00:00:00Z`))
    const used = totalsOf(await createPlanStore(tx).summed(orgId, daysIn(period)))
    const touched = uses.filter((use) => use.day.startsWith(month))
    for (const meter of new Set(touched.map((use) => use.meter))) {
      const included = terms.included[meter]
      if (included === null || terms.metered.includes(meter)) continue
      await emitNotices(deps, tx, { orgId, meter, period, used: used[meter], included, now })
    }
  }
}

type QuotaState = {
  orgId: string
  meter: Meter
  period: Period
  used: number
  included: number
}

/** Emits each notice once per meter and period, on whichever node is first. */
async function emitNotices(
  deps: UsageDeps,
  tx: Db,
  state: QuotaState & { now: Date },
): Promise<void> {
  const { orgId, meter, period, used, included } = state
  for (const kind of noticesDue(used, included)) {
    const notice = { orgId, meter, periodStart: dayOf(period.start), kind }
    if (!(await createPlanStore(tx).insertNotice(notice, state.now))) continue
    const org = await deps.orgs.find(tx, orgId)
    // No events for a deleted organisation.
    if (org !== undefined) await deps.events.emit(tx, quotaEvent(state, kind, org.accountId))
  }
}

/**
 * Team reputation has separate event types; the other meters share theirs (spec: platform §5.3).
 */
function quotaEvent(state: QuotaState, kind: NoticeKind, accountId: string): NewEvent {
  const { orgId, meter, period, used, included } = state
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

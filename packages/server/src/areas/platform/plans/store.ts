import { sql } from 'kysely'
import type { Db } from '../../../kernel/db.ts'
import type { Meter, Overrides, PlanId, Status } from './catalogue.ts'
import type { NoticeKind } from './quota.ts'

/** Tables this feature owns. Nobody else reads or writes them. */
type PlanTables = {
  subscription: {
    org_id: string
    plan_id: PlanId
    status: Status
    overrides: unknown
    cancels_at: Date | null
    created_at: Date
    updated_at: Date
  }
  usage_delta: { org_id: string; meter: Meter; day: string; amount: number }
  usage_daily: { org_id: string; meter: Meter; day: string; amount: number }
  quota_notice: {
    org_id: string
    meter: Meter
    period_start: string
    kind: NoticeKind
    created_at: Date
  }
}

export type Subscription = {
  orgId: string
  planId: PlanId
  status: Status
  overrides: Overrides
  cancelsAt: Date | null
  createdAt: Date
  updatedAt: Date
}

/** Days are UTC and written `YYYY-MM-DD`. */
export type DayUse = { orgId: string; meter: Meter; day: string; amount: number }

type MeterUse = { meter: Meter; amount: number }

/** `before` is exclusive. */
type DayRange = { from: string; before: string }

type Notice = { orgId: string; meter: Meter; periodStart: string; kind: NoticeKind }

export function createPlanStore(db: Db) {
  const subscriptions = createSubscriptionQueries(db)
  const usage = createUsageQueries(db)
  const q = db.withTables<PlanTables>()
  return {
    insert: subscriptions.insert,
    find: subscriptions.find,
    lock: subscriptions.lock,
    lockDueForCancellation: subscriptions.lockDueForCancellation,
    update: subscriptions.update,

    insertDelta: usage.insertDelta,
    takeDeltas: usage.takeDeltas,
    addDaily: usage.addDaily,
    summed: usage.summed,
    daily: usage.daily,
    insertNotice: usage.insertNotice,

    async deleteUsageBefore(day: string): Promise<number> {
      const deleted = await q.deleteFrom('usage_daily').where('day', '<', day).executeTakeFirst()
      await q.deleteFrom('quota_notice').where('period_start', '<', day).execute()
      return Number(deleted.numDeletedRows)
    },

    async deleteOrg(orgId: string): Promise<void> {
      await q.deleteFrom('subscription').where('org_id', '=', orgId).execute()
      await q.deleteFrom('usage_delta').where('org_id', '=', orgId).execute()
      await q.deleteFrom('usage_daily').where('org_id', '=', orgId).execute()
      await q.deleteFrom('quota_notice').where('org_id', '=', orgId).execute()
    },
  }
}

function createSubscriptionQueries(db: Db) {
  const q = db.withTables<PlanTables>()
  return {
    async insert(subscription: Subscription): Promise<void> {
      await q.insertInto('subscription').values(toRow(subscription)).execute()
    },

    async find(orgId: string): Promise<Subscription | undefined> {
      const row = await q
        .selectFrom('subscription')
        .selectAll()
        .where('org_id', '=', orgId)
        .executeTakeFirst()
      return row && toSubscription(row)
    },

    /**
     * Locks the subscriptions that exist, always ordered by org_id, so that callers cannot
     * deadlock.
     */
    async lock(orgIds: readonly string[]): Promise<Subscription[]> {
      const rows = await q
        .selectFrom('subscription')
        .selectAll()
        .where('org_id', '=', sql<string>`any(${orgIds})`)
        .orderBy('org_id')
        .forUpdate()
        .execute()
      return rows.map(toSubscription)
    },

    /** Locks one subscription due for cancellation, skipping those another node has locked. */
    async lockDueForCancellation(now: Date): Promise<Subscription | undefined> {
      const row = await q
        .selectFrom('subscription')
        .selectAll()
        .where('cancels_at', '<=', now)
        .orderBy('cancels_at')
        .limit(1)
        .forUpdate()
        .skipLocked()
        .executeTakeFirst()
      return row && toSubscription(row)
    },

    async update(subscription: Subscription): Promise<void> {
      await q
        .updateTable('subscription')
        .set(toRow(subscription))
        .where('org_id', '=', subscription.orgId)
        .execute()
    },
  }
}

function createUsageQueries(db: Db) {
  const q = db.withTables<PlanTables>()
  return {
    async insertDelta(delta: DayUse): Promise<void> {
      await q.insertInto('usage_delta').values(toUseRow(delta)).execute()
    },

    /**
     * Deletes and returns the oldest deltas that no other node has locked. The caller adds them to
     * the daily sums in the same transaction, so that each is counted exactly once.
     */
    async takeDeltas(deltasMax: number): Promise<{ taken: number; uses: DayUse[] }> {
      const result = await sql<UseRow & { deltas: number }>`
        with free as (
          select id from usage_delta order by id limit ${deltasMax} for update skip locked),
        taken as (
          delete from usage_delta using free where usage_delta.id = free.id
          returning org_id, meter, day, amount)
        select org_id, meter, day::text as day, sum(amount)::bigint as amount, count(*) as deltas
        from taken group by org_id, meter, day order by org_id, day, meter`.execute(q)
      return {
        taken: result.rows.reduce((total, row) => total + row.deltas, 0),
        uses: result.rows.map(toUse),
      }
    },

    async addDaily(uses: readonly DayUse[]): Promise<void> {
      const rows = JSON.stringify(uses.map(toUseRow))
      await sql`
        insert into usage_daily (org_id, meter, day, amount)
        select org_id, meter, day, amount from jsonb_to_recordset(${rows}::jsonb)
          as added (org_id text, meter text, day date, amount bigint)
        on conflict (org_id, day, meter)
          do update set amount = usage_daily.amount + excluded.amount`.execute(q)
    },

    /** Use per meter in the daily sums, without deltas that are not summed yet. */
    async summed(orgId: string, days: DayRange): Promise<MeterUse[]> {
      return q
        .selectFrom('usage_daily')
        .select(['meter', sql<number>`sum(amount)::bigint`.as('amount')])
        .where('org_id', '=', orgId)
        .where('day', '>=', days.from)
        .where('day', '<', days.before)
        .groupBy('meter')
        .execute()
    },

    /**
     * Use per day and meter, summed or not. One statement, so that a delta being summed concurrently
     * is neither missed nor counted twice.
     */
    async daily(orgId: string, days: DayRange): Promise<DayUse[]> {
      const result = await sql<UseRow>`
        select org_id, meter, day::text as day, sum(amount)::bigint as amount from (
          select org_id, meter, day, amount from usage_daily
            where org_id = ${orgId} and day >= ${days.from} and day < ${days.before}
          union all
          select org_id, meter, day, amount from usage_delta
            where org_id = ${orgId} and day >= ${days.from} and day < ${days.before}) as every_use
        group by org_id, meter, day`.execute(q)
      return result.rows.map(toUse)
    },

    /** Returns false if this notice was emitted before. */
    async insertNotice(notice: Notice, createdAt: Date): Promise<boolean> {
      const inserted = await q
        .insertInto('quota_notice')
        .values({
          org_id: notice.orgId,
          meter: notice.meter,
          period_start: notice.periodStart,
          kind: notice.kind,
          created_at: createdAt,
        })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirst()
      return Number(inserted.numInsertedOrUpdatedRows) === 1
    },
  }
}

type UseRow = PlanTables['usage_daily']

function toUse(row: UseRow): DayUse {
  return { orgId: row.org_id, meter: row.meter, day: row.day, amount: row.amount }
}

function toUseRow(use: DayUse): UseRow {
  return { org_id: use.orgId, meter: use.meter, day: use.day, amount: use.amount }
}

function toSubscription(row: PlanTables['subscription']): Subscription {
  return {
    orgId: row.org_id,
    planId: row.plan_id,
    status: row.status,
    overrides: row.overrides as Overrides,
    cancelsAt: row.cancels_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function toRow(subscription: Subscription): PlanTables['subscription'] {
  return {
    org_id: subscription.orgId,
    plan_id: subscription.planId,
    status: subscription.status,
    overrides: JSON.stringify(subscription.overrides),
    cancels_at: subscription.cancelsAt,
    created_at: subscription.createdAt,
    updated_at: subscription.updatedAt,
  }
}

import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { type AuditEntry, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Database } from '../../../database/database.ts'
import { transact } from '../../../kernel/db.ts'
import { createEvents } from '../../../kernel/events.ts'
import { newId, toOrgId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { METERS, type Meter, type Overrides, type PlanId, type Status } from './catalogue.ts'
import { createPlanService, type PlanService } from './service.ts'

const clock = testClock('2026-03-10T12:00:00.000Z')
const admin = { ...SYSTEM_ACTOR, type: 'user' as const, id: 'user-admin', userId: 'user-admin' }

let database: Database
let notices: Notices
let plans: PlanService
let entries: AuditEntry[]
const deletedOrgs = new Set<string>()

beforeAll(async () => {
  database = await testDatabase()
  notices = await testNotices(database)
  plans = node('plan-team')
})

beforeEach(() => {
  clock.set('2026-03-10T12:00:00.000Z')
  entries = []
})

/** A service as another process would have it: the same database, its own cache. */
function node(defaultPlan: string): PlanService {
  return createPlanService({
    db: database.db,
    clock,
    notices,
    defaultPlan,
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    events: createEvents({ db: database.db, clock, onEmit: () => undefined }),
    orgs: {
      find: async (_db, orgId) =>
        deletedOrgs.has(orgId) ? undefined : { orgId, accountId: accountOf(orgId) },
    },
  })
}

const accountOf = (orgId: string) => orgId.replace('org-', 'ba-')

async function newOrg(service = plans): Promise<string> {
  const orgId = newId('org')
  await transact(database.db, (tx) => service.open(tx, orgId))
  return orgId
}

function use(orgId: string, meter: Meter, amount: number): Promise<void> {
  return transact(database.db, (tx) => plans.record(tx, { orgId, meter, amount }))
}

type Change = {
  planId?: PlanId
  status?: Status
  overrides?: Overrides
  cancelAtPeriodEnd?: boolean
}

function change(orgId: string, changed: Change) {
  return plans.change({
    orgId,
    actor: admin,
    planId: 'plan-team',
    status: 'active',
    overrides: {},
    cancelAtPeriodEnd: false,
    ...changed,
  })
}

async function eventsOf(orgId: string): Promise<{ type: string; data: unknown }[]> {
  const found = await sql<{ type: string; data: unknown }>`
    select type, data from event where org_id = ${orgId} order by created_at, data->>'period_start', type desc`.execute(
    database.db,
  )
  return found.rows
}

async function usedOf(orgId: string) {
  const { usage } = await plans.get({ orgId, accountId: accountOf(orgId) })
  return usage
}

async function rowsOf(orgId: string): Promise<number> {
  const found = await sql<{ total: number }>`select
    (select count(*) from subscription where org_id = ${orgId})
    + (select count(*) from usage_delta where org_id = ${orgId})
    + (select count(*) from usage_daily where org_id = ${orgId})
    + (select count(*) from quota_notice where org_id = ${orgId}) as total`.execute(database.db)
  return found.rows[0]?.total ?? -1
}

describe('opening a subscription', () => {
  it('gives a new organisation an active subscription to the default plan', async () => {
    const orgId = await newOrg(node('plan-developer'))
    const view = await plans.get({ orgId, accountId: 'ba-1' })
    expect(view.subscription).toMatchObject({ planId: 'plan-developer', status: 'active' })
    expect(view.accountId).toBe('ba-1')
  })

  it('refuses to start with a default plan that does not exist', () => {
    expect(() => node('plan-gold')).toThrow('plan-gold')
  })
})

describe('summing usage', () => {
  it('counts exactly when four workers sum concurrently, and emits each notice once', async () => {
    const orgId = await newOrg()
    await change(orgId, { overrides: { checks: 2900 } })
    // Each worker's share falls on different days, so that only the lock serialises them.
    await sql`insert into usage_delta (org_id, meter, day, amount)
      select ${orgId}, 'checks', date '2026-03-01' + (n - 1) / 500, 1 + n % 2
      from generate_series(1, 2000) n`.execute(database.db)
    const workers = [plans, node('plan-team'), node('plan-team'), node('plan-team')]
    const summed = await Promise.all(workers.map((worker) => worker.sum(clock.now())))
    expect(summed.reduce((total, count) => total + count, 0)).toBe(2000)
    const left = await sql`select 1 from usage_delta where org_id = ${orgId}`.execute(database.db)
    expect(left.rows).toEqual([])
    expect((await usedOf(orgId)).checks.used).toBe(3000)
    const types = (await eventsOf(orgId)).map((event) => event.type)
    expect(types.sort()).toEqual(['quota.exceeded', 'quota.warning'])
  })

  it('loses nothing while more work is being recorded', async () => {
    const orgId = await newOrg()
    const working = Array.from({ length: 200 }, () => use(orgId, 'risk_assessment', 1))
    await Promise.all([...working, plans.sum(clock.now()), node('plan-team').sum(clock.now())])
    expect((await usedOf(orgId)).risk_assessment.used).toBe(200)
    await plans.sum(clock.now())
    expect((await usedOf(orgId)).risk_assessment.used).toBe(200)
  })

  it('records nothing when the work is rolled back', async () => {
    const orgId = await newOrg()
    const failing = transact(database.db, async (tx) => {
      await plans.record(tx, { orgId, meter: 'checks', amount: 5 })
      throw new Error('the work failed')
    })
    await expect(failing).rejects.toThrow('the work failed')
    expect((await usedOf(orgId)).checks.used).toBe(0)
  })
})

describe('quotas', () => {
  it('emit nothing at 11999 of 15000 and one warning at 12000', async () => {
    const orgId = await newOrg()
    await use(orgId, 'checks', 11_999)
    await plans.sum(clock.now())
    expect(await eventsOf(orgId)).toEqual([])
    expect((await usedOf(orgId)).checks.usagePercent).toBe(79)
    await use(orgId, 'checks', 1)
    await plans.sum(clock.now())
    await use(orgId, 'checks', 1)
    await plans.sum(clock.now())
    expect(await eventsOf(orgId)).toEqual([
      {
        type: 'quota.warning',
        data: {
          meter: 'checks',
          usage_percent: 80,
          used: 12_000,
          included: 15_000,
          checks_used: 12_000,
          checks_included: 15_000,
          period_start: '2026-03-01T00:00:00.000Z',
          period_end: '2026-04-01T00:00:00.000Z',
        },
      },
    ])
  })

  it('emit separate event types for team reputation', async () => {
    const orgId = await newOrg()
    await use(orgId, 'team_reputation', 160)
    await plans.sum(clock.now())
    await use(orgId, 'team_reputation', 41)
    await plans.sum(clock.now())
    const period = {
      period_start: '2026-03-01T00:00:00.000Z',
      period_end: '2026-04-01T00:00:00.000Z',
    }
    expect(await eventsOf(orgId)).toEqual([
      {
        type: 'quota.team_reputation_warning',
        data: {
          usage_percent: 80,
          computations_used: 160,
          computations_included: 200,
          ...period,
        },
      },
      {
        type: 'quota.team_reputation_exceeded',
        data: {
          usage_percent: 100,
          computations_used: 201,
          computations_included: 200,
          ...period,
        },
      },
    ])
  })
})

describe('a new month', () => {
  it('resets quotas and counts late sums in the month of the work', async () => {
    const orgId = await newOrg()
    clock.set('2026-03-31T23:59:59.000Z')
    await use(orgId, 'team_risk_assessment', 400)
    clock.set('2026-04-01T00:00:30.000Z')
    await plans.sum(clock.now())
    expect((await usedOf(orgId)).team_risk_assessment.used).toBe(0)
    await use(orgId, 'team_risk_assessment', 400)
    await plans.sum(clock.now())
    expect(await eventsOf(orgId)).toMatchObject([
      { type: 'quota.warning', data: { period_start: '2026-03-01T00:00:00.000Z', used: 400 } },
      { type: 'quota.warning', data: { period_start: '2026-04-01T00:00:00.000Z', used: 400 } },
    ])
  })
})

describe('quota notices', () => {
  it('are not emitted for metered and unlimited meters', async () => {
    const metered = await newOrg(node('plan-developer'))
    const unlimited = await newOrg(node('plan-enterprise'))
    for (const orgId of [metered, unlimited]) await use(orgId, 'checks', 1_000_000)
    await plans.sum(clock.now())
    expect(await eventsOf(metered)).toEqual([])
    expect(await eventsOf(unlimited)).toEqual([])
    expect((await usedOf(metered)).checks).toEqual({
      used: 1_000_000,
      included: 0,
      usagePercent: null,
    })
  })

  it('are not emitted for an erased organisation, whose usage is dropped', async () => {
    const orgId = newId('org')
    await use(orgId, 'checks', 3)
    await plans.sum(clock.now())
    expect(await rowsOf(orgId)).toBe(0)
  })

  it('are not emitted for a deleted organisation', async () => {
    const orgId = await newOrg()
    deletedOrgs.add(orgId)
    await use(orgId, 'checks', 20_000)
    await plans.sum(clock.now())
    expect(await eventsOf(orgId)).toEqual([])
  })
})

describe('usage by day', () => {
  it('lists every day once, oldest first, summed or not, with 0 for days without use', async () => {
    const orgId = await newOrg()
    clock.set('2026-03-08T23:59:59.999Z')
    await use(orgId, 'checks', 3)
    await plans.sum(clock.now())
    clock.set('2026-03-10T00:00:00.000Z')
    await use(orgId, 'checks', 2)
    await use(orgId, 'risk_assessment', 1)
    const none = { checks: 0, team_reputation: 0, risk_assessment: 0, team_risk_assessment: 0 }
    expect(await plans.usage(orgId, 3)).toEqual([
      { day: '2026-03-08', used: { ...none, checks: 3 } },
      { day: '2026-03-09', used: none },
      { day: '2026-03-10', used: { ...none, checks: 2, risk_assessment: 1 } },
    ])
    expect(await plans.usage(orgId, 1)).toHaveLength(1)
  })
})

describe('entitlements', () => {
  it('change immediately on the node that writes and soon on every other', async () => {
    const orgId = await newOrg()
    const other = node('plan-team')
    expect((await plans.entitlements(orgId)).features.has('webhooks')).toBe(false)
    expect((await other.entitlements(orgId)).requestsPerSecond).toBe(200)
    await change(orgId, { planId: 'plan-enterprise', overrides: { requests_per_second: 5000 } })
    const now = await plans.entitlements(orgId)
    expect(now).toMatchObject({ planId: 'plan-enterprise', requestsPerSecond: 5000 })
    expect(now.features.has('webhooks')).toBe(true)
    await eventually(async () => {
      expect((await other.entitlements(orgId)).requestsPerSecond).toBe(5000)
    })
  })

  it('of a canceled subscription are those of Free, while the plan is still shown', async () => {
    const orgId = await newOrg()
    const view = await change(orgId, { status: 'canceled', overrides: { checks: null } })
    expect(view.subscription.planId).toBe('plan-team')
    expect(view.terms.included.checks).toBe(100)
    expect(await plans.entitlements(orgId)).toEqual({
      planId: 'plan-free',
      features: new Set(['risk_assessment']),
      requestsPerSecond: 10,
      capped: new Set(METERS),
    })
  })

  it('represent an unlimited rate by a number no node can reach', async () => {
    const orgId = await newOrg()
    await change(orgId, { overrides: { requests_per_second: null } })
    expect((await plans.entitlements(orgId)).requestsPerSecond).toBe(1_000_000)
  })
})

describe('a change of plan', () => {
  it('emits an event exactly when the plan or the status changed', async () => {
    const orgId = await newOrg()
    await change(orgId, { overrides: { checks: 5 } })
    expect(await eventsOf(orgId)).toEqual([])
    await change(orgId, { planId: 'plan-developer', status: 'trialing', cancelAtPeriodEnd: true })
    expect(await eventsOf(orgId)).toEqual([
      {
        type: 'subscription.status_changed',
        data: {
          status: 'trialing',
          previous_plan_id: 'plan-team',
          new_plan_id: 'plan-developer',
          cancel_at_period_end: true,
        },
      },
    ])
  })

  it('records the changes in the audit log, and nothing if nothing changed', async () => {
    const orgId = await newOrg()
    await change(orgId, { status: 'past_due', overrides: { checks: null, team_reputation: 7 } })
    await change(orgId, { status: 'past_due', overrides: { checks: null, team_reputation: 7 } })
    expect(entries).toEqual([
      {
        orgId,
        action: 'plan.changed',
        actor: admin,
        target: { type: 'org', id: orgId },
        changes: {
          status: { from: 'active', to: 'past_due' },
          'limits.included.checks': { from: null, to: 'unlimited' },
          'limits.included.team_reputation': { from: null, to: 7 },
        },
      },
    ])
    await change(orgId, { status: 'past_due' })
    expect(entries[1]?.changes).toEqual({
      'limits.included.checks': { from: 'unlimited', to: null },
      'limits.included.team_reputation': { from: 7, to: null },
    })
  })

  it('is not_found for an organisation that is unknown, deleted or without a plan', async () => {
    const orgId = newId('org')
    await expect(change(orgId, {})).rejects.toMatchObject({ code: 'not_found' })
    deletedOrgs.add(orgId)
    await expect(change(orgId, {})).rejects.toMatchObject({ code: 'not_found' })
    await expect(plans.get({ orgId, accountId: '' })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('with cancel_at_period_end cancels the subscription when its period ends', async () => {
    const orgId = await newOrg()
    await change(orgId, { cancelAtPeriodEnd: true })
    clock.set('2026-03-31T23:59:59.999Z')
    await plans.sum(clock.now())
    expect((await plans.entitlements(orgId)).planId).toBe('plan-team')
    clock.set('2026-04-01T00:00:00.000Z')
    await Promise.all([plans.sum(clock.now()), node('plan-team').sum(clock.now())])
    // Either node may have canceled it; the other one's cache is invalidated by a notice.
    await eventually(async () => {
      expect((await plans.entitlements(orgId)).planId).toBe('plan-free')
    })
    const { subscription } = await plans.get({ orgId, accountId: '' })
    expect(subscription).toMatchObject({ status: 'canceled', cancelsAt: null })
    expect(await eventsOf(orgId)).toMatchObject([
      { type: 'subscription.status_changed', data: { status: 'canceled' } },
    ])
    expect(entries.at(-1)).toMatchObject({ action: 'plan.changed', actor: { type: 'system' } })
  })
})

describe('retention', () => {
  it('keeps daily usage for 25 months', async () => {
    const orgId = await newOrg()
    for (const time of ['2024-02-09T12:00:00Z', '2024-02-10T12:00:00Z']) {
      clock.set(time)
      await use(orgId, 'checks', 14_000)
    }
    await plans.sum(clock.now())
    await plans.purge(new Date('2026-03-10T03:00:00Z'))
    const left = await sql<{ day: string }>`select day::text as day from usage_daily
      where org_id = ${orgId}`.execute(database.db)
    expect(left.rows).toEqual([{ day: '2024-02-10' }])
  })

  it('leaves no row of an erased organisation and gives it the entitlements of Free', async () => {
    const orgId = await newOrg()
    await use(orgId, 'checks', 20_000)
    await plans.sum(clock.now())
    await use(orgId, 'checks', 1)
    expect(await rowsOf(orgId)).toBe(5)
    await plans.entitlements(orgId)
    await transact(database.db, (tx) => plans.erase(tx, toOrgId(orgId)))
    expect(await rowsOf(orgId)).toBe(0)
    await eventually(async () => {
      expect((await plans.entitlements(orgId)).planId).toBe('plan-free')
    })
  })
})

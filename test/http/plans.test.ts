import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type TestApp, type TestUser, testApp } from '#harness/app.ts'

let t: TestApp
let owner: string
let org: string
const people: Record<string, TestUser> = {}

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  org = t.first.org_id
  for (const role of ['admin', 'auditor', 'member']) {
    people[role] = await t.newUser(`${role}@example.com`, { orgId: org, role })
  }
  people['stranger'] = await t.newUser('stranger@example.com')
})

beforeEach(async () => {
  await setPlan({ plan_id: 'plan-team' })
})

const tokenOf = (who: string) => people[who]?.token ?? ''

function setPlan(body: unknown, token = owner, orgId = org): Promise<Answer> {
  return t.call('PUT', `/v1/admin/orgs/${orgId}/plan`, { token, body })
}

function getPlan(token = owner): Promise<Answer> {
  return t.call('GET', `/v1/orgs/${org}/plan`, { token })
}

async function record(meter: string, day: string, amount: number): Promise<void> {
  await sql`insert into usage_delta (org_id, meter, day, amount)
    values (${org}, ${meter}, ${day}, ${amount})`.execute(t.app.kernel.db)
}

async function events(): Promise<{ type: string; data: Record<string, unknown> }[]> {
  const found = await sql<{ type: string; data: Record<string, unknown> }>`
    select type, data from event where org_id = ${org}`.execute(t.app.kernel.db)
  return found.rows
}

async function forgetEvents(): Promise<void> {
  await sql`delete from event`.execute(t.app.kernel.db)
}

describe('GET /v1/plans', () => {
  it('lists the four plans publicly', async () => {
    const answer = await t.call('GET', '/v1/plans')
    expect(answer.status).toBe(200)
    const plans: Record<string, unknown>[] = answer.body.plans
    expect(plans.map((plan) => [plan['plan_id'], plan['display_name']])).toEqual([
      ['plan-free', 'Free'],
      ['plan-developer', 'Developer'],
      ['plan-team', 'Team'],
      ['plan-enterprise', 'Enterprise'],
    ])
    expect(plans[0]).toEqual({
      plan_id: 'plan-free',
      display_name: 'Free',
      features: ['risk_assessment'],
      limits: { requests_per_second: 10, trace_retention_days: 7 },
      included: { checks: 100, team_reputation: 0, risk_assessment: 50, team_risk_assessment: 0 },
      metered: [],
      prices: {
        checks: null,
        team_reputation: null,
        risk_assessment: null,
        team_risk_assessment: null,
      },
    })
    expect(plans[1]).toMatchObject({
      metered: ['checks', 'risk_assessment', 'team_risk_assessment'],
      prices: { checks: 0.01, risk_assessment: 0.001, team_risk_assessment: 0.01 },
    })
    expect(plans[3]).toMatchObject({
      limits: { requests_per_second: 1000, trace_retention_days: null },
      included: { checks: null, team_reputation: null },
    })
  })
})

describe('GET /v1/orgs/{org_id}/plan', () => {
  it('starts a new organisation on the default plan, unlimited', async () => {
    const created = await t.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Fresh', slug: 'fresh' },
    })
    const orgId: string = created.body.org_id
    const answer = await t.call('GET', `/v1/orgs/${orgId}/plan`, { token: owner })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      org_id: orgId,
      billing_account_id: created.body.billing_account_id,
      plan_id: 'plan-enterprise',
      status: 'active',
      cancel_at_period_end: false,
      limits: { requests_per_second: 1000, trace_retention_days: null },
      period_start: '2026-03-01T00:00:00.000Z',
      period_end: '2026-04-01T00:00:00.000Z',
      usage: { checks: { used: 0, included: null, usage_percent: null } },
    })
    expect(answer.body.features).toContain('sso')
  })

  it('counts recorded usage before and after it is aggregated', async () => {
    await record('team_risk_assessment', '2026-03-01', 300)
    const before = (await getPlan()).body.usage.team_risk_assessment
    expect(before).toEqual({ used: 300, included: 500, usage_percent: 60 })
    t.clock.advance(60_000)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    const left = await sql`select 1 from usage_delta`.execute(t.app.kernel.db)
    expect(left.rows).toEqual([])
    expect((await getPlan()).body.usage.team_risk_assessment).toEqual(before)
  })

  it('is for owners, admins, auditors and keys with read scope; strangers get 404', async () => {
    for (const who of ['admin', 'auditor']) expect((await getPlan(tokenOf(who))).status).toBe(200)
    expect((await getPlan(t.first.api_key)).status).toBe(200)
    expect((await getPlan(tokenOf('member'))).status).toBe(403)
    expect((await getPlan(tokenOf('stranger'))).status).toBe(404)
    expect((await t.call('GET', `/v1/orgs/${org}/plan`)).status).toBe(401)
  })
})

describe('GET /v1/orgs/{org_id}/usage', () => {
  const usage = (query: string, token = owner) =>
    t.call('GET', `/v1/orgs/${org}/usage${query}`, { token })

  it('returns 30 days by default, oldest first, with every meter', async () => {
    await record('checks', '2026-02-27', 5)
    const answer = await usage('')
    expect(answer.status).toBe(200)
    expect(answer.body.org_id).toBe(org)
    const { daily } = answer.body
    expect(daily).toHaveLength(30)
    expect(daily[0].date).toBe('2026-01-31')
    expect(daily.at(-1).date).toBe('2026-03-01')
    expect(daily.at(-2)).toEqual({
      date: '2026-02-28',
      checks: 0,
      team_reputation: 0,
      risk_assessment: 0,
      team_risk_assessment: 0,
    })
    expect(daily.at(-3)).toMatchObject({ date: '2026-02-27', checks: 5 })
    expect((await usage('?days=90')).body.daily).toHaveLength(90)
    expect((await usage('?days=1')).body.daily).toHaveLength(1)
  })

  it.each(['?days=0', '?days=91', '?days=x', '?days=1.5'])('refuses %s', async (query) => {
    const answer = await usage(query)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain('days')
  })

  it('is refused to members and strangers', async () => {
    expect((await usage('', tokenOf('auditor'))).status).toBe(200)
    expect((await usage('', tokenOf('member'))).status).toBe(403)
    expect((await usage('', tokenOf('stranger'))).status).toBe(404)
  })
})

describe('PUT /v1/admin/orgs/{org_id}/plan', () => {
  it('takes effect immediately and answers like GET', async () => {
    const answer = await setPlan({
      plan_id: 'plan-team',
      status: 'trialing',
      limits: { requests_per_second: 7, included: { checks: null, team_reputation: 9 } },
      cancel_at_period_end: true,
    })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      plan_id: 'plan-team',
      status: 'trialing',
      cancel_at_period_end: true,
      limits: {
        requests_per_second: 7,
        trace_retention_days: 90,
        included: { checks: null, team_reputation: 9, risk_assessment: 5000 },
      },
    })
    expect((await getPlan()).body).toEqual(answer.body)
  })

  it('treats canceled as Free while showing the plan', async () => {
    const answer = await setPlan({ plan_id: 'plan-team', status: 'canceled' })
    expect(answer.body).toMatchObject({
      plan_id: 'plan-team',
      status: 'canceled',
      features: ['risk_assessment'],
      limits: { requests_per_second: 10, trace_retention_days: 7 },
    })
  })

  it('emits subscription.status_changed only if plan or status changed', async () => {
    await forgetEvents()
    await setPlan({ plan_id: 'plan-team', limits: { included: { checks: 1 } } })
    expect(await events()).toEqual([])
    await setPlan({ plan_id: 'plan-developer', status: 'past_due' })
    expect(await events()).toEqual([
      {
        type: 'subscription.status_changed',
        data: {
          status: 'past_due',
          previous_plan_id: 'plan-team',
          new_plan_id: 'plan-developer',
          cancel_at_period_end: false,
        },
      },
    ])
  })

  it("is written to the organisation's audit log", async () => {
    await setPlan({ plan_id: 'plan-free' })
    const log = await t.call('GET', `/v1/orgs/${org}/audit-log?action=plan.changed`, {
      token: owner,
    })
    expect(log.body.entries).toContainEqual(
      expect.objectContaining({
        action: 'plan.changed',
        target: { type: 'org', id: org },
        changes: { plan_id: { from: 'plan-team', to: 'plan-free' } },
      }),
    )
  })
})

describe('PUT /v1/admin/orgs/{org_id}/plan refuses', () => {
  it.each([
    [{}, 'plan_id'],
    [{ plan_id: 'plan-gold' }, 'plan_id'],
    [{ plan_id: 'plan-team', status: 'paused' }, 'status'],
    [{ plan_id: 'plan-team', cancel_at_period_end: 'yes' }, 'cancel_at_period_end'],
    [{ plan_id: 'plan-team', limits: { requests_per_second: 0 } }, 'requests_per_second'],
    [{ plan_id: 'plan-team', limits: { requests_per_second: 1e12 } }, 'requests_per_second'],
    [{ plan_id: 'plan-team', limits: { included: { checks: -1 } } }, 'checks'],
    [{ plan_id: 'plan-team', limits: { included: { checks: 1.5 } } }, 'checks'],
  ])('%j with 400 and names the field', async (body, field) => {
    const answer = await setPlan(body)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(field)
  })

  it('anybody but platform administrators with a session, and unknown organisations', async () => {
    const body = { plan_id: 'plan-free' }
    expect((await setPlan(body, tokenOf('admin'))).status).toBe(403)
    expect((await setPlan(body, t.first.api_key)).status).toBe(403)
    const unsigned = await t.call('PUT', `/v1/admin/orgs/${org}/plan`, { body })
    expect(unsigned.status).toBe(401)
    expect((await setPlan(body, owner, 'org-none')).status).toBe(404)
  })
})

describe('the quota job', () => {
  it('runs every minute and announces each quota level once', async () => {
    await forgetEvents()
    await record('team_reputation', '2026-03-01', 220)
    for (let minute = 0; minute < 3; minute += 1) {
      t.clock.advance(60_000)
      await t.app.kernel.schedules.fireDue()
      await t.settle()
      await record('team_reputation', '2026-03-01', 1)
    }
    const quotaEvents = await events()
    expect(quotaEvents.map((event) => event.type).sort()).toEqual([
      'quota.team_reputation_exceeded',
      'quota.team_reputation_warning',
    ])
    expect(quotaEvents[0]?.data).toMatchObject({ usage_percent: 110, computations_used: 220 })
  })
})

import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, TEST_PASSWORD, type TestApp, type TestUser, testApp } from '#harness/app.ts'

let t: TestApp
let admin: string
let secondAdmin: string
let target: TestUser
let org: string

beforeAll(async () => {
  t = await testApp({ env: { ADMIN_EMAILS: 'second@example.com' } })
  admin = await t.ownerToken()
  org = t.first.org_id
  target = await t.newUser('target@example.com', { orgId: org, role: 'member' })
  secondAdmin = await newAdmin('second@example.com')
})

/** An address in ADMIN_EMAILS counts once it is verified. */
async function newAdmin(email: string): Promise<string> {
  await t.newUser(email)
  await sql`update app_user set email_verified = true where email = ${email}`.execute(
    t.app.kernel.db,
  )
  const login = await t.call('POST', '/v1/auth/login', { body: { email, password: TEST_PASSWORD } })
  return login.body.access_token
}

function start(body: unknown = { user_id: target.userId, reason: 'ticket 7' }, token = admin) {
  return t.call('POST', '/v1/impersonate', { token, body })
}

async function started(): Promise<{ id: string; token: string }> {
  const { body } = await start()
  return { id: body.session_id, token: body.token }
}

function as(impersonation: string, method: string, url: string, token = admin): Promise<Answer> {
  return t.call(method, url, { token, headers: { 'x-impersonate-token': impersonation } })
}

function end(id: string, token = admin): Promise<Answer> {
  return t.call('POST', `/v1/impersonation/${id}/end`, { token })
}

async function logOf(id: string) {
  const found = await sql<Record<string, unknown>>`select org_id, action, actor_id,
      impersonated_by, changes from audit_entry where target_id = ${id}
    order by created_at, id`.execute(t.app.kernel.db)
  return found.rows
}

describe('POST /v1/impersonate', () => {
  it('returns a token of 64 hex digits, valid for one hour', async () => {
    const answer = await start()
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      session_id: expect.stringMatching(/^ais-[0-9a-f-]{36}$/),
      token: expect.stringMatching(/^[0-9a-f]{64}$/),
      target_user_id: target.userId,
      target_email: 'target@example.com',
      expires_at: new Date(t.clock.nowMs() + 3_600_000).toISOString(),
    })
  })

  it('returns no token if an idempotent request is repeated', async () => {
    const call = {
      token: admin,
      body: { user_id: target.userId, reason: 'again' },
      headers: { 'idempotency-key': 'once' },
    }
    const first = await t.call('POST', '/v1/impersonate', call)
    const second = await t.call('POST', '/v1/impersonate', call)
    expect(second.status).toBe(201)
    expect(second.body).toEqual({ ...first.body, token: null })
  })

  it.each([
    ['no user', { reason: 'x' }, 'user_id'],
    ['no reason', { user_id: 'user-1' }, 'reason'],
    ['an empty reason', { user_id: 'user-1', reason: '' }, 'reason'],
    ['a blank reason', { user_id: 'user-1', reason: '   ' }, 'reason'],
    ['a reason of 501 characters', { user_id: 'user-1', reason: 'x'.repeat(501) }, 'reason'],
  ])('refuses %s', async (_case, body, field) => {
    const answer = await start(body)
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(field)
  })

  it('is allowed for administrators only, and only for people who are not administrators', async () => {
    const me = await t.call('GET', '/v1/auth/me', { token: secondAdmin })
    expect(me.body.is_platform_admin).toBe(true)
    const ofAdmin = await start({ user_id: me.body.user_id, reason: 'x' })
    expect(ofAdmin.status).toBe(403)
    expect((await start({ user_id: 'user-none', reason: 'x' })).status).toBe(404)
    expect((await start(undefined, target.token)).status).toBe(403)
    expect((await start(undefined, t.first.api_key)).status).toBe(403)
    expect((await t.call('POST', '/v1/impersonate', { body: {} })).status).toBe(401)
  })
})

describe('under impersonation', () => {
  it('the API shows what the target sees', async () => {
    const { token } = await started()
    const me = await as(token, 'GET', '/v1/auth/me')
    expect(me.status).toBe(200)
    expect(me.body).toMatchObject({ user_id: target.userId, is_platform_admin: false })
    expect((await as(token, 'GET', `/v1/orgs/${org}`)).body.role).toBe('member')
    expect((await as(token, 'GET', `/v1/orgs/${org}/audit-log`)).status).toBe(403)
  })

  it('nothing can be changed, nested or ended', async () => {
    const { id, token } = await started()
    for (const [method, url] of [
      ['POST', '/v1/orgs'],
      ['POST', '/v1/impersonate'],
      ['POST', `/v1/impersonation/${id}/end`],
      ['DELETE', '/v1/auth/delete-account'],
    ] as const) {
      expect((await as(token, method, url)).status).toBe(403)
    }
    expect((await as(token, 'GET', `/v1/impersonation/${id}`)).status).toBe(403)
  })

  it('an ended, expired or unknown token, or one of another administrator, is 401', async () => {
    const ended = await started()
    await end(ended.id)
    expect((await as(ended.token, 'GET', '/v1/orgs')).status).toBe(401)
    const live = await started()
    expect((await as(live.token, 'GET', '/v1/orgs', secondAdmin)).status).toBe(401)
    expect((await as(live.token, 'GET', '/v1/orgs', target.token)).status).toBe(401)
    expect((await as('f'.repeat(64), 'GET', '/v1/orgs')).status).toBe(401)
    expect((await as('nonsense', 'GET', '/v1/orgs')).status).toBe(401)
    expect((await as(live.token, 'GET', '/v1/orgs')).status).toBe(200)
  })
})

describe('the impersonation log', () => {
  it('shows start, every request and end to the platform and the organisation', async () => {
    const { id, token } = await started()
    t.clock.advance(1000)
    await as(token, 'GET', '/v1/orgs?secret=1')
    t.clock.advance(1000)
    await end(id)
    const rows = await logOf(id)
    const me = await t.call('GET', '/v1/auth/me', { token: admin })
    for (const orgId of [null, org]) {
      expect(rows.filter((row) => row['org_id'] === orgId)).toEqual([
        {
          org_id: orgId,
          action: 'impersonation.started',
          actor_id: me.body.user_id,
          impersonated_by: null,
          changes: {
            target_user_id: { from: null, to: target.userId },
            reason: { from: null, to: 'ticket 7' },
          },
        },
        {
          org_id: orgId,
          action: 'impersonation.request',
          actor_id: target.userId,
          impersonated_by: me.body.user_id,
          changes: { method: { from: null, to: 'GET' }, path: { from: null, to: '/v1/orgs' } },
        },
        {
          org_id: orgId,
          action: 'impersonation.ended',
          actor_id: me.body.user_id,
          impersonated_by: null,
          changes: {},
        },
      ])
    }
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it('contains requests that were refused because they would change something', async () => {
    const { id, token } = await started()
    await as(token, 'POST', '/v1/orgs')
    const requests = (await logOf(id)).filter((row) => row['action'] === 'impersonation.request')
    expect(requests).toHaveLength(2)
  })
})

describe('an impersonation session', () => {
  it('shows who impersonates whom and why, to any administrator', async () => {
    const { id } = await started()
    const answer = await t.call('GET', `/v1/impersonation/${id}`, { token: secondAdmin })
    expect(answer.status).toBe(200)
    expect(answer.body).toMatchObject({
      id,
      target_user_id: target.userId,
      target_email: 'target@example.com',
      reason: 'ticket 7',
      started_at: t.clock.now().toISOString(),
    })
    expect(answer.text).not.toContain('token')
    const seen = await t.call('GET', `/v1/impersonation/${id}`, { token: target.token })
    expect(seen.status).toBe(403)
  })

  it('is ended once, by its own administrator', async () => {
    const { id } = await started()
    expect((await end(id, secondAdmin)).status).toBe(403)
    const answer = await end(id)
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ ended: true, session_id: id })
    expect((await end(id)).status).toBe(410)
    expect((await t.call('GET', `/v1/impersonation/${id}`, { token: admin })).status).toBe(410)
    expect((await end('ais-none')).status).toBe(404)
    expect((await t.call('GET', '/v1/impersonation/ais-none', { token: admin })).status).toBe(404)
  })

  it('expires after an hour', async () => {
    const { id, token } = await started()
    t.clock.advance(3_600_000)
    admin = await t.ownerToken()
    expect((await t.call('GET', `/v1/impersonation/${id}`, { token: admin })).status).toBe(410)
    expect((await end(id)).status).toBe(410)
    expect((await as(token, 'GET', '/v1/orgs')).status).toBe(401)
  })
})

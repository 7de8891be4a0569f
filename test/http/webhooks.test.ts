import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyWebhook } from '@touchstone/sdk'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type TestApp, type TestUser, testApp } from '#harness/app.ts'
import { testClock } from '#harness/clock.ts'
import { answerWith, type Receiver, startReceiver } from '#harness/receiver.ts'
import { transact } from '../../packages/server/src/kernel/db.ts'
import type { NewEvent } from '../../packages/server/src/kernel/events.ts'

let t: TestApp
let owner: string
let org: string
let base: string
let receiver: Receiver
const people: Record<string, TestUser> = {}

beforeAll(async () => {
  // Verifiers compare timestamps with the real time.
  const clock = testClock(new Date().toISOString())
  t = await testApp({ clock, env: { ALLOW_LOOPBACK_EGRESS: 'true' } })
  org = t.first.org_id
  base = `/v1/orgs/${org}/webhooks`
  receiver = await startReceiver()
  for (const role of ['admin', 'auditor', 'member']) {
    people[role] = await t.newUser(`${role}@example.com`, { orgId: org, role })
  }
  people['stranger'] = await t.newUser('stranger@example.com')
})

beforeEach(async () => {
  // Separates the events of earlier tests, by time, from the endpoints of this one.
  t.clock.advance(1000)
  owner = await t.ownerToken()
  for (const { endpoint_id: id } of (await call('GET')).body.webhooks)
    await call('DELETE', `/${id}`)
  receiver.answer(answerWith(200))
})

const call = (method: string, path = '', body?: unknown, token = owner): Promise<Answer> =>
  t.call(method, `${base}${path}`, { token, body })

const create = (fields: object = {}): Promise<Answer> =>
  call('POST', '', { url: receiver.url, ...fields })

const newest = () => receiver.received.at(-1)

function resolved(about: Partial<{ orgId: string; alertId: string }> = {}): NewEvent {
  return {
    type: 'drift.resolved',
    orgId: about.orgId ?? org,
    accountId: 'ba-1',
    data: {
      alert_id: about.alertId ?? 'ida-1',
      agent_id: 'agent-1',
      org_id: org,
      resolution: 'recovered',
      acknowledged_by: null,
    },
  }
}

const emit = (...events: NewEvent[]): Promise<void> => {
  const { db, events: outbox } = t.app.kernel
  return transact(db, (tx) => outbox.emitAll(tx, events))
}

async function mails(): Promise<string[]> {
  const outbox = join(t.dataDir, 'outbox')
  const names = await readdir(outbox).catch(() => [])
  const texts = await Promise.all(names.map((name) => readFile(join(outbox, name), 'utf8')))
  return texts.filter((text) => text.includes('webhook endpoint'))
}

describe('an endpoint', () => {
  it('is created with a secret that is shown once', async () => {
    const created = await create({
      description: 'ours',
      event_types: ['trace.*', 'drift.resolved'],
    })
    expect(created.status).toBe(201)
    const { signing_secret: secret, ...endpoint } = created.body
    expect(secret).toMatch(/^whsec_[0-9a-f]{64}$/)
    expect(endpoint).toEqual({
      endpoint_id: expect.stringMatching(/^whe-/),
      billing_account_id: expect.stringMatching(/^ba-/),
      url: receiver.url,
      description: 'ours',
      event_types: ['trace.*', 'drift.resolved'],
      is_active: true,
      consecutive_failures: 0,
      disabled_at: null,
      disabled_reason: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    expect((await call('GET', `/${endpoint.endpoint_id}`)).body).toEqual(endpoint)
    expect((await call('GET')).body).toEqual({ webhooks: [endpoint] })
  })

  it('does not show its secret again if the request is repeated', async () => {
    const headers = { 'idempotency-key': 'once' }
    const again = () => t.call('POST', base, { token: owner, headers, body: { url: receiver.url } })
    const first = await again()
    const second = await again()
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.body).toEqual({ ...first.body, signing_secret: null })
  })

  it('receives all events and has no description by default', async () => {
    expect((await create()).body).toMatchObject({ event_types: [], description: null })
  })

  it.each([
    { url: 'http://example.com/', error: 'url_not_allowed' },
    { url: 'https://10.0.0.1/', error: 'url_not_allowed' },
    { url: 'https://[::ffff:192.168.0.1]/', error: 'url_not_allowed' },
    { url: 'https://intranet/', error: 'url_not_allowed' },
    { url: 'nonsense', error: 'url_not_allowed' },
    { url: 7, error: 'invalid_request' },
    { url: 'https://example.com/\r\nX: y', error: 'invalid_request' },
    { event_types: ['webhook.test'], error: 'invalid_request' },
    { event_types: ['trace'], error: 'invalid_request' },
    { description: 'x'.repeat(501), error: 'invalid_request' },
  ])('is refused as $error with $url $event_types', async ({ error, ...fields }) => {
    expect(await create(fields)).toMatchObject({ status: 400, body: { error } })
    const { endpoint_id: id } = (await create()).body
    expect(await call('PATCH', `/${id}`, fields)).toMatchObject({ status: 400, body: { error } })
  })

  it('is limited to five per organisation, even if created concurrently', async () => {
    const created = await Promise.all(Array.from({ length: 7 }, () => create()))
    expect(created.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 409, 409])
    expect((await create()).body.error).toBe('limit_reached')
  })

  it('honours If-Match', async () => {
    const { endpoint_id: id } = (await create()).body
    const { etag } = (await call('GET', `/${id}`)).headers
    const patch = (match: string) =>
      t.call('PATCH', `${base}/${id}`, {
        token: owner,
        headers: { 'if-match': match },
        body: { description: 'new' },
      })
    expect(await patch(String(etag))).toMatchObject({ status: 200, body: { description: 'new' } })
    expect(await patch(String(etag))).toMatchObject({ status: 412 })
    const headers = { 'if-match': String(etag) }
    const gone = await t.call('DELETE', `${base}/${id}`, { token: owner, headers })
    expect(gone.status).toBe(412)
  })

  it('is deleted with its deliveries', async () => {
    const { endpoint_id: id } = (await create()).body
    await emit(resolved())
    expect((await call('GET', `/deliveries?endpoint_id=${id}`)).body.total).toBe(1)
    expect((await call('DELETE', `/${id}`)).body).toEqual({ deleted: true, endpoint_id: id })
    expect((await call('GET', `/deliveries?endpoint_id=${id}`)).body.total).toBe(0)
    for (const method of ['GET', 'DELETE']) expect((await call(method, `/${id}`)).status).toBe(404)
    expect((await call('PATCH', `/${id}`, {})).status).toBe(404)
    for (const action of ['test', 'rotate-secret']) {
      expect((await call('POST', `/${id}/${action}`, {})).status).toBe(404)
    }
    const since = new Date().toISOString()
    expect((await call('POST', `/${id}/replay`, { since })).status).toBe(404)
    // The path is checked before the body (spec: platform §1.2).
    const wrong = { url: 'http://127.0.0.1/', is_active: 'yes', overlap_hours: -1, since: 'now' }
    expect((await call('PATCH', `/${id}`, wrong)).status).toBe(404)
    for (const action of ['rotate-secret', 'replay']) {
      expect((await call('POST', `/${id}/${action}`, wrong)).status).toBe(404)
    }
  })

  it('is readable by auditors, changed by admins, and 404 for other organisations', async () => {
    const { endpoint_id: id } = (await create()).body
    const status = async (who: string, method: string, path: string, body?: unknown) =>
      (await call(method, path, body, people[who]?.token)).status
    expect(await status('auditor', 'GET', `/${id}`)).toBe(200)
    expect(await status('auditor', 'GET', '/deliveries')).toBe(200)
    expect(await status('auditor', 'PATCH', `/${id}`, {})).toBe(403)
    expect(await status('member', 'GET', '')).toBe(403)
    expect(await status('admin', 'PATCH', `/${id}`, {})).toBe(200)
    expect(await status('stranger', 'GET', `/${id}`)).toBe(404)
    expect((await t.call('GET', base)).status).toBe(401)
    expect((await call('GET', `/${id}`, undefined, t.first.api_key)).status).toBe(200)
  })

  it('is recorded in the audit log, without secrets', async () => {
    const { endpoint_id: id, signing_secret: secret } = (await create()).body
    await call('PATCH', `/${id}`, { description: 'new' })
    await call('PATCH', `/${id}`, { is_active: false })
    await call('PATCH', `/${id}`, { is_active: true })
    const { signing_secret: next } = (await call('POST', `/${id}/rotate-secret`, {})).body
    await call('DELETE', `/${id}`)
    const log = await t.call('GET', `/v1/orgs/${org}/audit-log?target=${id}`, { token: owner })
    const actions = log.body.entries.map((entry: { action: string }) => entry.action)
    expect(actions.sort()).toEqual([
      'webhook.created',
      'webhook.deleted',
      'webhook.disabled',
      'webhook.enabled',
      'webhook.secret_rotated',
      'webhook.updated',
    ])
    for (const text of [secret, next]) expect(log.text).not.toContain(text)
  })
})

describe('an event', () => {
  it('arrives signed, and verifies with the official library and with the SDK', async () => {
    const { signing_secret: secret } = (await create()).body
    await emit(resolved())
    await t.settle()
    const { body = '', headers = {} } = newest() ?? {}
    const event = JSON.parse(body)
    expect(event).toMatchObject({
      id: expect.stringMatching(/^evt-/),
      type: 'drift.resolved',
      account_id: 'ba-1',
      created_at: t.clock.now().toISOString(),
      data: { alert_id: 'ida-1', acknowledged_by: null },
    })
    expect(headers).toMatchObject({
      'x-webhook-id': event.id,
      'x-webhook-attempt': '1',
      'x-aip-version': '1.0.0',
      'user-agent': 'Touchstone-Webhooks/1.0',
      'content-type': 'application/json',
    })
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(event)
    const { keys } = (await t.call('GET', '/v1/keys')).body
    const publicKeys = keys.map((key: { whpk: string }) => key.whpk)
    const now = t.clock.now()
    expect(await verifyWebhook({ body, headers, secret, now })).toMatchObject({ event })
    const standard = Object.entries(headers).filter(([name]) => name.startsWith('webhook-'))
    const only = Object.fromEntries(standard)
    expect(await verifyWebhook({ body, headers: only, publicKeys, now })).toMatchObject({ event })
    expect(() =>
      new Webhook(secret).verify(`${body} `, headers as Record<string, string>),
    ).toThrow()
  })

  it('of a trace arrives once for any of its types, in its own envelope', async () => {
    await create({ event_types: ['trace.created', 'policy.violation'] })
    const before = receiver.received.length
    const all_events = ['trace.created', 'trace.failed', 'policy.violation']
    const trace = { trace_id: 'tr-1', agent_id: 'agent-1', session_id: null, action: null }
    const rest = { decision: null, verification: null, escalation: null, policy: null }
    const data = { all_events, trace: { ...trace, ...rest } }
    await emit({ type: 'policy.violation', orgId: org, accountId: 'ba-1', data })
    await t.settle()
    expect(receiver.received).toHaveLength(before + 1)
    expect(newest()?.headers).toMatchObject({ 'x-aap-version': '1.0' })
    const body = JSON.parse(newest()?.body ?? '')
    expect(body).toMatchObject({ event: 'policy.violation', all_events, trace: data.trace })
    expect(body.timestamp).toBe(body.created_at)
  })

  it('is sent to the endpoints that subscribed to it, in its own organisation', async () => {
    const heard = (await create({ event_types: ['drift.*'] })).body.endpoint_id
    await create({ event_types: ['drift.detected', 'trace.*'] })
    await emit(resolved(), resolved({ orgId: 'org-other' }))
    const { deliveries } = (await call('GET', '/deliveries?status=pending')).body
    expect(deliveries.map((one: { endpoint_id: string }) => one.endpoint_id)).toEqual([heard])
  })

  it('of a transaction that is rolled back is not sent', async () => {
    await create()
    const { db, events: outbox } = t.app.kernel
    const change = transact(db, async (tx) => {
      await outbox.emit(tx, resolved())
      throw new Error('rolled back on purpose')
    })
    await expect(change).rejects.toThrow('rolled back on purpose')
    expect((await call('GET', '/deliveries?status=pending')).body.total).toBe(0)
  })

  it('that a node missed right after an endpoint was created is sent later, and only once', async () => {
    await emit(resolved({ alertId: 'before' }))
    t.clock.advance(1000)
    await create()
    await emit(resolved({ alertId: 'heard' }))
    // Deletes the deliveries, as if a node had written the event before it knew the endpoint.
    const { db } = t.app.kernel
    await emit(resolved({ alertId: 'missed' }))
    await sql`delete from webhook_delivery d using webhook_message m
      where m.event_id = d.event_id and m.body like '%missed%'`.execute(db)
    const before = receiver.received.length
    t.clock.advance(10_000)
    await t.settle()
    const alerts = receiver.received.slice(before).map((one) => JSON.parse(one.body).data.alert_id)
    expect(alerts.sort()).toEqual(['heard', 'missed'])
  })
})

describe('a delivery', () => {
  const deliver = async () => {
    const { endpoint_id: id } = (await create()).body
    await emit(resolved())
    await t.settle()
    const { deliveries } = (await call('GET', `/deliveries?endpoint_id=${id}`)).body
    return { id, delivery: deliveries[0] }
  }

  it('is logged, with what was sent and every attempt', async () => {
    receiver.answer(answerWith(503))
    const { id, delivery } = await deliver()
    expect(delivery).toEqual({
      delivery_id: expect.stringMatching(/^whd-/),
      event_id: expect.stringMatching(/^evt-/),
      endpoint_id: id,
      event_type: 'drift.resolved',
      status: 'retrying',
      attempt_count: 1,
      max_attempts: 6,
      last_response_status: 503,
      last_error: 'the receiver answered 503',
      latency_ms: expect.any(Number),
      next_attempt_at: expect.any(String),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    receiver.answer(answerWith(204))
    t.clock.advance(11_000)
    await t.settle()
    const detail = await call('GET', `/deliveries/${delivery.delivery_id}`)
    expect(detail.body).toMatchObject({
      status: 'delivered',
      attempt_count: 2,
      last_error: null,
      next_attempt_at: null,
      payload: JSON.parse(newest()?.body ?? ''),
      attempts: [
        { status: 503, error: 'the receiver answered 503' },
        { status: 204, error: null },
      ],
    })
    expect(newest()?.headers['x-webhook-attempt']).toBe('2')
  })

  it('is listed by endpoint, status and type, in pages', async () => {
    const { id } = await deliver()
    await emit(resolved(), resolved())
    await call('POST', `/${id}/test`, {})
    const found = async (query: string) =>
      (await call('GET', `/deliveries?endpoint_id=${id}&${query}`)).body
    expect((await found('status=pending')).total).toBe(2)
    expect((await found('status=delivered&event_type=webhook.test')).total).toBe(1)
    expect(await found('per_page=1&page=2')).toMatchObject({ total: 4, page: 2, per_page: 1 })
    expect((await call('GET', '/deliveries?status=lost')).status).toBe(400)
    expect((await call('GET', '/deliveries?event_type=lost')).status).toBe(400)
    expect((await call('GET', '/deliveries/whd-none')).status).toBe(404)
  })

  it('is redelivered byte for byte, once it is finished', async () => {
    const { id, delivery } = await deliver()
    const sent = newest()?.body
    const again = await call('POST', `/deliveries/${delivery.delivery_id}/redeliver`)
    expect(again).toMatchObject({ status: 201, body: { status: 'pending' } })
    expect(again.body.event_id).toBe(delivery.event_id)
    const next = again.body.delivery_id
    const path = `/deliveries/${next}/redeliver`
    expect(await call('POST', path)).toMatchObject({ status: 409, body: { error: 'conflict' } })
    await t.settle()
    expect(newest()?.body).toBe(sent)
    expect(newest()?.headers['x-webhook-delivery']).toBe(next)
    await call('PATCH', `/${id}`, { is_active: false })
    expect((await call('POST', path)).status).toBe(409)
    expect((await call('POST', '/deliveries/whd-none/redeliver')).status).toBe(404)
  })

  it('is signed with the new secret from the rotation on, or with both during the overlap', async () => {
    const created = (await create()).body
    const path = `/${created.endpoint_id}/rotate-secret`
    await emit(resolved())
    const first = (await call('POST', path)).body
    expect(first).toEqual({ endpoint_id: created.endpoint_id, signing_secret: expect.any(String) })
    await t.settle()
    const believed = async (secret: string) => {
      const { body = '', headers = {} } = newest() ?? {}
      const check = { body, headers, secret, now: t.clock.now() }
      return verifyWebhook(check).then(
        ({ scheme }) => scheme,
        () => 'no',
      )
    }
    expect(await believed(created.signing_secret)).toBe('no')
    expect(await believed(first.signing_secret)).toBe('touchstone')

    const second = (await call('POST', path, { overlap_hours: 2 })).body
    await emit(resolved())
    await t.settle()
    expect(await believed(first.signing_secret)).toBe('standard')
    expect(await believed(second.signing_secret)).toBe('touchstone')
    t.clock.advance(2 * 3_600_000)
    await emit(resolved())
    await t.settle()
    expect(await believed(first.signing_secret)).toBe('no')
    owner = await t.ownerToken()
    for (const overlap_hours of [-1, 169, 1.5]) {
      expect((await call('POST', path, { overlap_hours })).status).toBe(400)
    }
  })
})

describe('a replay', () => {
  it('resends everything since a time, or only some event types', async () => {
    const { endpoint_id: id } = (await create()).body
    t.clock.advance(60_000)
    const since = t.clock.now().toISOString()
    const names = ['one', 'two', 'three']
    await emit(...names.map((alertId) => resolved({ alertId })))
    await t.settle()
    const before = receiver.received.length
    const replay = await call('POST', `/${id}/replay`, { since })
    expect(replay).toMatchObject({
      status: 202,
      body: { endpoint_id: id, since, event_types: null, until: expect.any(String) },
    })
    await t.settle()
    const again = receiver.received.slice(before)
    expect(again.map(({ body }) => JSON.parse(body).data.alert_id).sort()).toEqual(names.sort())
    const first = receiver.received.slice(before - 3, before).map(({ body }) => body)
    expect(again.map(({ body }) => body).sort()).toEqual(first.sort())

    await call('POST', `/${id}/replay`, { since, event_types: ['trace.*'] })
    await t.settle()
    expect(receiver.received).toHaveLength(before + 3)
  })

  it('requires an active endpoint and a time', async () => {
    const { endpoint_id: id } = (await create()).body
    for (const body of [{}, { since: 'yesterday' }, { since: 1 }]) {
      expect((await call('POST', `/${id}/replay`, body)).status).toBe(400)
    }
    await call('PATCH', `/${id}`, { is_active: false })
    const since = t.clock.now().toISOString()
    expect((await call('POST', `/${id}/replay`, { since })).status).toBe(409)
  })
})

describe('the test action', () => {
  it('sends one event immediately, even to a disabled endpoint, and counts nothing', async () => {
    const { endpoint_id: id } = (await create()).body
    await call('PATCH', `/${id}`, { is_active: false })
    expect((await call('POST', `/${id}/test`)).body).toEqual({
      success: true,
      status: 200,
      latency_ms: expect.any(Number),
      error: null,
    })
    expect(JSON.parse(newest()?.body ?? '')).toMatchObject({
      type: 'webhook.test',
      data: { message: expect.any(String), endpoint_id: id, org_id: org },
    })
    receiver.answer(answerWith(500))
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({ success: false, status: 500 })
    receiver.answer((res) => res.destroy())
    expect((await call('POST', `/${id}/test`)).body).toMatchObject({
      success: false,
      status: null,
      error: expect.stringContaining('connection'),
    })
    const { deliveries } = (await call('GET', `/deliveries?endpoint_id=${id}`)).body
    expect(deliveries.map((one: { status: string }) => one.status).sort()).toEqual([
      'delivered',
      'failed',
      'failed',
    ])
    expect((await call('GET', `/${id}`)).body.consecutive_failures).toBe(0)
  })
})

describe('a disabled endpoint', () => {
  it('fails its pending deliveries, and resets its failures when enabled again', async () => {
    const { endpoint_id: id } = (await create()).body
    await emit(resolved())
    const off = await call('PATCH', `/${id}`, { is_active: false })
    expect(off.body).toMatchObject({ is_active: false, disabled_reason: 'disabled by user' })
    expect(off.body.disabled_at).not.toBeNull()
    const { deliveries } = (await call('GET', `/deliveries?endpoint_id=${id}`)).body
    expect(deliveries[0]).toMatchObject({ status: 'failed', last_error: 'endpoint disabled' })
    expect((await call('GET', `/${id}`)).body.consecutive_failures).toBe(0)
    await emit(resolved())
    expect((await call('GET', `/deliveries?endpoint_id=${id}`)).body.total).toBe(1)
    const on = await call('PATCH', `/${id}`, { is_active: true })
    expect(on.body).toMatchObject({ is_active: true, disabled_at: null, disabled_reason: null })
    await emit(resolved())
    expect((await call('GET', `/deliveries?endpoint_id=${id}`)).body.total).toBe(2)
  })

  it('is disabled after 100 consecutive failures, and all owners are notified', async () => {
    await t.call('PATCH', `/v1/orgs/${org}`, {
      token: owner,
      body: { billing_email: 'billing@example.com' },
    })
    const { endpoint_id: id } = (await create()).body
    receiver.answer((res, nth) => answerWith(nth % 2 === 0 ? 400 : 410)(res, nth))
    await emit(...Array.from({ length: 99 }, () => resolved()))
    await t.settle()
    expect((await call('GET', `/${id}`)).body).toMatchObject({
      is_active: true,
      consecutive_failures: 99,
    })
    receiver.answer(answerWith(200))
    await emit(resolved())
    await t.settle()
    expect((await call('GET', `/${id}`)).body.consecutive_failures).toBe(0)
    receiver.answer(answerWith(400))
    await emit(...Array.from({ length: 150 }, () => resolved()))
    await t.settle()
    const { body } = await call('GET', `/${id}`)
    expect(body).toMatchObject({
      is_active: false,
      disabled_reason: '100 consecutive delivery failures',
      disabled_at: t.clock.now().toISOString(),
    })
    expect(body.consecutive_failures).toBeGreaterThanOrEqual(100)
    const open = await call('GET', `/deliveries?endpoint_id=${id}&status=pending`)
    expect(open.body.total).toBe(0)
    const messages = await mails()
    expect(messages.some((text) => text.includes('To: billing@example.com'))).toBe(true)
    expect(messages.some((text) => text.includes(`To: ${t.first.email}`))).toBe(true)
    expect(messages).toHaveLength(2)
    const on = await call('PATCH', `/${id}`, { is_active: true })
    expect(on.body).toMatchObject({ is_active: true, consecutive_failures: 0 })
  })
})

describe('an organisation without the plan feature', () => {
  const setPlan = (plan_id: string) =>
    t.call('PUT', `/v1/admin/orgs/${org}/plan`, { token: owner, body: { plan_id } })

  it('is refused, gets one last event about losing it, and no more until it regains it', async () => {
    const { endpoint_id: id } = (await create()).body
    await t.settle()
    const before = receiver.received.length
    await setPlan('plan-team')
    expect(await call('GET')).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    await emit(resolved())
    await t.settle()
    const types = () => receiver.received.slice(before).map(({ body }) => JSON.parse(body).type)
    expect(types()).toEqual(['subscription.status_changed'])
    await setPlan('plan-enterprise')
    await emit(resolved())
    await t.settle()
    expect(types().slice(1).sort()).toEqual(['drift.resolved', 'subscription.status_changed'])
    expect((await call('GET', `/${id}`)).status).toBe(200)
  })
})

describe('old deliveries', () => {
  it('are deleted after 30 days', async () => {
    const { endpoint_id: id } = (await create()).body
    await emit(resolved())
    await t.settle()
    const log = () => call('GET', `/deliveries?endpoint_id=${id}`)
    t.clock.advance(29 * 86_400_000)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    owner = await t.ownerToken()
    expect((await log()).body.total).toBe(1)
    t.clock.advance(2 * 86_400_000)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    owner = await t.ownerToken()
    expect((await log()).body.total).toBe(0)
  })
})

describe('a deleted organisation', () => {
  it('receives no events, until it is restored', async () => {
    const someone = await t.newUser('founder@example.com')
    const body = { name: 'Second', slug: 'second-org' }
    const other = (await t.call('POST', '/v1/orgs', { token: someone.token, body })).body.org_id
    const url = `/v1/orgs/${other}/webhooks`
    const created = await t.call('POST', url, { token: someone.token, body: { url: receiver.url } })
    expect(created.status).toBe(201)
    await t.settle()
    const before = receiver.received.length
    await emit(resolved({ orgId: other }))
    await t.call('DELETE', `/v1/orgs/${other}`, { token: someone.token })
    await emit(resolved({ orgId: other }))
    await t.settle()
    expect(receiver.received).toHaveLength(before)
    await t.call('POST', `/v1/admin/orgs/${other}/restore`, { token: owner })
    const shown = await t.call('GET', url, { token: someone.token })
    expect(shown.body.webhooks[0]).toMatchObject({ is_active: true, disabled_reason: null })
  })
})

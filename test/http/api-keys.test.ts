import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

let t: TestApp
let owner: string
let org: string

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  org = t.first.org_id
})

const create = (body: unknown, token = owner) => t.call('POST', '/v1/api-keys', { token, body })
const use = (key: string, headers?: Record<string, string>) =>
  t.call('GET', `/v1/orgs/${org}`, headers ? { headers } : { token: key })

describe('API keys', () => {
  it('are shown once, authenticate requests, and are listed without their secret', async () => {
    const created = await create({ name: 'CI' })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      name: 'CI',
      org_id: org,
      role: 'admin',
      scopes: ['read', 'ingest', 'write', 'onchain'],
      allowed_ips: [],
      expires_at: '2027-03-01T12:00:00.000Z',
      last_used_at: null,
      unused: false,
    })
    expect(created.body.key).toMatch(/^tsk_[0-9A-Za-z]{38}$/)
    expect(created.body.key_prefix).toBe(created.body.key.slice(0, 12))
    expect((await use(created.body.key)).status).toBe(200)
    expect((await use('', { 'x-service-api-key': created.body.key })).status).toBe(200)
    const list = await t.call('GET', '/v1/api-keys', { token: owner })
    const listed = list.body.keys.find((k: { key_id: string }) => k.key_id === created.body.key_id)
    expect(listed).not.toHaveProperty('key')
    await expect
      .poll(async () => {
        const keys = (await t.call('GET', '/v1/api-keys', { token: owner })).body.keys
        return keys.find((k: { key_id: string }) => k.key_id === created.body.key_id).last_used_at
      })
      .toBe('2026-03-01T12:00:00.000Z')
  })

  it('answer 401 with a wrong checksum, if unknown, or next to an invalid Authorization header', async () => {
    const { key } = (await create({})).body
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    expect((await use(wrong)).status).toBe(401)
    expect((await use('tsk_0123456789ABCDEFGHIJKLMNOPQRSTUV3fo7jf')).status).toBe(401)
    const both = await use('', { authorization: 'Bearer nonsense', 'x-service-api-key': key })
    expect(both.status).toBe(401)
    expect(both.headers['www-authenticate']).toBe('Bearer')
  })

  it('are accepted in the headers of LEGACY_KEY_HEADERS, unless another credential differs', async () => {
    const legacy = await testApp({ env: { LEGACY_KEY_HEADERS: 'X-Mnemom-Api-Key, Old-Token' } })
    const key = legacy.first.api_key
    const read = async (headers: Record<string, string>) =>
      (await legacy.call('GET', `/v1/orgs/${legacy.first.org_id}`, { headers })).status
    expect(await read({ 'x-mnemom-api-key': key })).toBe(200)
    expect(await read({ 'OLD-TOKEN': key })).toBe(200)
    expect(await read({ 'x-mnemom-api-key': `${key}x` })).toBe(401)
    const bearer = `Bearer ${key}`
    const same = { 'x-mnemom-api-key': key, 'old-token': key, 'x-service-api-key': key }
    expect(await read({ ...same, authorization: bearer })).toBe(200)
    for (const other of ['old-token', 'x-service-api-key', 'x-mnemom-api-key']) {
      expect(await read({ ...same, [other]: 'tsk_other' }), other).toBe(400)
    }
    expect(await read({ 'x-mnemom-api-key': 'tsk_other', authorization: bearer })).toBe(400)
    const session = `Bearer ${await legacy.ownerToken()}`
    expect(await read({ 'x-mnemom-api-key': key, authorization: session })).toBe(400)
    expect(await read({ 'x-mnemom-api-key': key, authorization: 'Basic x' })).toBe(400)
    // The setting is empty by default.
    expect((await use('', { 'x-mnemom-api-key': (await create({})).body.key })).status).toBe(401)
  })

  it('allow only what their scopes cover', async () => {
    const ingest = (await create({ scopes: ['ingest'] })).body.key
    expect(await use(ingest)).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    const read = (await create({ scopes: ['read'] })).body.key
    expect((await use(read)).status).toBe(200)
  })

  it('never exceed the permissions of their creator', async () => {
    const auditor = await t.newUser('key-auditor@example.com', { orgId: org, role: 'auditor' })
    const member = await t.newUser('key-member@example.com', { orgId: org, role: 'member' })
    expect((await create({}, auditor.token)).body.role).toBe('auditor')
    expect((await create({}, member.token)).body.role).toBe('member')
    for (const [token, role] of [
      [auditor.token, 'admin'],
      [auditor.token, 'member'],
      [member.token, 'auditor'],
    ]) {
      expect((await create({ role }, token)).status).toBe(403)
    }
  })

  it('stop working when they expire or are revoked', async () => {
    const brief = (await create({ expires_in_days: 1 })).body
    const revoked = (await create({})).body
    const url = `/v1/api-keys/${revoked.key_id}`
    expect((await t.call('DELETE', url, { token: owner })).body).toEqual({
      revoked: true,
      key_id: revoked.key_id,
    })
    expect((await t.call('DELETE', url, { token: owner })).status).toBe(404)
    await expect.poll(async () => (await use(revoked.key)).status).toBe(401)
    expect((await use(brief.key)).status).toBe(200)
    t.clock.advance(86_400_000)
    expect((await use(brief.key)).status).toBe(401)
    owner = await t.ownerToken()
  })

  it('expire after a year, unless they say otherwise or are for an agent', async () => {
    await t.call('POST', '/v1/agents', { token: owner, body: { agent_id: 'bound-desk' } })
    const expiry = async (body: unknown) => (await create(body)).body.expires_at
    expect(await expiry({})).toMatch(/^2027-03-/)
    expect(await expiry({ expires_in_days: 30 })).toMatch(/^2026-04-/)
    expect(await expiry({ expires_in_days: null })).toBeNull()
    expect(await expiry({ agent_id: 'bound-desk' })).toBeNull()
  })

  it('work only from the addresses that they list', async () => {
    const here = (await create({ allowed_ips: ['127.0.0.1', '2001:db8::1/32'] })).body
    expect(here.allowed_ips).toEqual(['127.0.0.1/32', '2001:db8::/32'])
    expect((await use(here.key)).status).toBe(200)
    const change = (allowedIps: string[]) =>
      t.call('PATCH', `/v1/orgs/${org}/api-keys/${here.key_id}`, {
        token: owner,
        body: { allowed_ips: allowedIps },
      })
    expect((await change(['203.0.113.0/24'])).body.allowed_ips).toEqual(['203.0.113.0/24'])
    await expect
      .poll(() => use(here.key))
      .toMatchObject({
        status: 403,
        body: { error: 'forbidden', message: 'This API key cannot be used from 127.0.0.1.' },
      })
    expect((await change([])).status).toBe(200)
    await expect.poll(async () => (await use(here.key)).status).toBe(200)
  })

  it('refuse addresses and ranges that are malformed, and changes of nothing', async () => {
    for (const wrong of ['10/8', 'localhost', '10.0.0.0/33']) {
      const answer = await create({ allowed_ips: ['127.0.0.1', wrong] })
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
      expect(answer.body.details[0].path).toBe('/allowed_ips/1')
    }
    const { key_id: id } = (await create({})).body
    const url = `/v1/orgs/${org}/api-keys/${id}`
    expect((await t.call('PATCH', url, { token: owner, body: {} })).status).toBe(400)
  })

  it('are marked when they have not been used for 90 days', async () => {
    const made = (await create({ name: 'Forgotten' })).body
    t.clock.advance(90 * 86_400_000)
    owner = await t.ownerToken()
    const keys = (await t.call('GET', '/v1/api-keys', { token: owner })).body.keys
    const listed = keys.find((k: { key_id: string }) => k.key_id === made.key_id)
    expect(listed).toMatchObject({ unused: true })
  })

  it('are refused next to a second Authorization header', async () => {
    const { key } = (await create({})).body
    const authorization = [`Bearer ${key}`, 'Bearer other'] as unknown as string
    const answer = await t.call('GET', `/v1/orgs/${org}`, { headers: { authorization } })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  it('rotate immediately, or with a grace period for the old secret', async () => {
    const { key_id: id, key: first } = (await create({})).body
    const rotate = (body: unknown) =>
      t.call('POST', `/v1/api-keys/${id}/rotate`, { token: owner, body })
    const second = (await rotate({ grace_hours: 1 })).body
    expect(second.key_id).toBe(id)
    expect((await use(first)).status).toBe(200)
    expect((await use(second.key)).status).toBe(200)
    t.clock.advance(3_600_000)
    expect((await use(first)).status).toBe(401)
    owner = await t.ownerToken()
    const third = (await rotate({})).body
    await expect.poll(async () => (await use(second.key)).status).toBe(401)
    expect((await use(third.key)).status).toBe(200)
  })

  it('of other people are hidden, except that owners and admins see every key of the organisation', async () => {
    const member = await t.newUser('key-other@example.com', { orgId: org, role: 'member' })
    const theirs = (await create({}, member.token)).body
    const own = `/v1/api-keys/${theirs.key_id}`
    expect((await t.call('DELETE', own, { token: owner })).status).toBe(404)
    const all = await t.call('GET', `/v1/orgs/${org}/api-keys`, { token: owner })
    expect(all.body.keys.map((k: { key_id: string }) => k.key_id)).toContain(theirs.key_id)
    const forbidden = await t.call('GET', `/v1/orgs/${org}/api-keys`, { token: member.token })
    expect(forbidden.status).toBe(403)
    const rotated = await t.call('POST', `/v1/orgs/${org}/api-keys/${theirs.key_id}/rotate`, {
      token: owner,
    })
    expect(rotated.status).toBe(200)
    const gone = await t.call('DELETE', `/v1/orgs/${org}/api-keys/${theirs.key_id}`, {
      token: owner,
    })
    expect(gone.status).toBe(200)
  })

  it('require org_id if the person belongs to several organisations', async () => {
    const person = await t.newUser('several@example.com', { orgId: org, role: 'member' })
    const second = await t.call('POST', '/v1/orgs', {
      token: person.token,
      body: { name: 'Second', slug: 'second' },
    })
    expect((await create({}, person.token)).status).toBe(400)
    const chosen = await create({ org_id: second.body.org_id }, person.token)
    expect(chosen.body).toMatchObject({ org_id: second.body.org_id, role: 'admin' })
    expect((await create({ org_id: 'org-other' }, person.token)).status).toBe(404)
  })

  it('are limited to 50 active ones per organisation', async () => {
    const created = await t.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Full', slug: 'full' },
    })
    const one = () =>
      t.call('POST', `/v1/orgs/${created.body.org_id}/api-keys`, { token: owner, body: {} })
    const answers = await Promise.all(Array.from({ length: 55 }, one))
    expect(answers.filter((a) => a.status === 201)).toHaveLength(50)
    const refused = answers.filter((a) => a.status !== 201)
    expect(refused.map((a) => a.body.error)).toEqual(Array(5).fill('limit_reached'))
  })

  it('are recorded in the audit log without their secret', async () => {
    t.clock.advance(1000)
    const { key } = (await create({ name: 'Audited', org_id: org })).body
    const log = await t.call('GET', `/v1/orgs/${org}/audit-log?action=api_key.created`, {
      token: owner,
    })
    expect(log.body.entries[0].changes.name.to).toBe('Audited')
    expect(log.text).not.toContain(key.slice(4))
  })
})

import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { TEST_PASSWORD, type TestApp, type TestUser, testApp } from '#harness/app.ts'

let t: TestApp
let owner: string
let org: string

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  org = t.first.org_id
})

const times = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)))

const newOrg = async (slug: string) =>
  (await t.call('POST', '/v1/orgs', { token: owner, body: { name: slug, slug } })).body.org_id

describe('concurrently', () => {
  it('a removed member cannot create keys that outlive the removal', async () => {
    const place = await newOrg('leaving')
    const member = await t.newUser('leaving@example.com', { orgId: place, role: 'admin' })
    const created = times(12, () =>
      t.call('POST', '/v1/api-keys', { token: member.token, body: { org_id: place } }),
    )
    const url = `/v1/orgs/${place}/members/${member.userId}?revoke_keys=true`
    const removed = await t.call('DELETE', url, { token: owner })
    expect(removed.status).toBe(200)
    const keys = (await created).filter((answer) => answer.status === 201)
    for (const { body } of keys) {
      const read = async () =>
        (await t.call('GET', `/v1/orgs/${place}`, { token: body.key })).status
      await expect.poll(read).toBe(401)
    }
  })

  it('nothing is created in an organisation that is being deleted', async () => {
    const place = await newOrg('ending')
    const created = times(8, (n) =>
      t.call('POST', `/v1/orgs/${place}/${n % 2 === 0 ? 'api-keys' : 'invitations'}`, {
        token: owner,
        body: n % 2 === 0 ? {} : { email: `guest-${n}@example.com` },
      }),
    )
    const gone = await t.call('DELETE', `/v1/orgs/${place}`, { token: owner })
    expect(gone.status).toBe(200)
    await created
    const live = await sql<{ count: number }>`select
      (select count(*) from api_key where org_id = ${place} and revoked_at is null)
      + (select count(*) from invitation where org_id = ${place} and status = 'pending') as count`.execute(
      t.app.kernel.db,
    )
    expect(live.rows).toEqual([{ count: 0 }])
  })

  it('a deleted account owns no organisation that it created meanwhile', async () => {
    const person = await t.newUser('vanishing@example.com')
    const created = times(8, (n) =>
      t.call('POST', '/v1/orgs', {
        token: person.token,
        body: { name: 'Vanishing', slug: `vanishing-${n}` },
      }),
    )
    const deleted = t.call('DELETE', '/v1/auth/delete-account', { token: person.token })
    await Promise.all([created, deleted])
    const orphans = await sql`select 1 from org_member m join app_user u using (user_id)
      where u.erased_at is not null`.execute(t.app.kernel.db)
    expect(orphans.rows).toEqual([])
  })

  it('an invitation is accepted once', async () => {
    const annex = await t.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Annex', slug: 'annex' },
    })
    const email = 'once@example.com'
    // The first invitation verifies the address.
    const person = await t.newUser(email, { orgId: annex.body.org_id, role: 'member' })
    await t.call('POST', `/v1/orgs/${org}/invitations`, { token: owner, body: { email } })
    const token = await t.mailedToken(email)
    const answers = await times(6, () =>
      t.call('POST', '/v1/orgs/invitations/accept', {
        token: person.token,
        body: { token },
      }),
    )
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1)
    for (const { status } of answers) expect([200, 409, 410]).toContain(status)
  })

  it('twenty invitations do not exhaust the connection pool', async () => {
    const answers = await times(20, (n) =>
      t.call('POST', `/v1/orgs/${org}/invitations`, {
        token: owner,
        body: { email: `crowd-${n}@example.com` },
      }),
    )
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([201]))
  })
})

describe('in sequence', () => {
  const create = (who: TestUser, body: object) =>
    t.call('POST', '/v1/api-keys', { token: who.token, body: { org_id: org, ...body } })
  const rotate = (who: TestUser, keyId: string, body: object) =>
    t.call('POST', `/v1/api-keys/${keyId}/rotate`, { token: who.token, body })
  const use = async (key: string) => (await t.call('GET', `/v1/orgs/${org}`, { token: key })).status

  it('each former secret works until its own grace period ends, and none after a plain rotation', async () => {
    const person = await t.newUser('rotating@example.com', { orgId: org, role: 'member' })
    const first = (await create(person, {})).body
    const second = (await rotate(person, first.key_id, { grace_hours: 2 })).body
    const third = (await rotate(person, first.key_id, { grace_hours: 2 })).body
    await expect.poll(() => use(first.key)).toBe(200)
    expect(await use(second.key)).toBe(200)
    const last = (await rotate(person, first.key_id, {})).body
    for (const old of [first, second, third]) await expect.poll(() => use(old.key)).toBe(401)
    expect(await use(last.key)).toBe(200)
  })

  it('a demoted person cannot rotate an admin key', async () => {
    const person = await t.newUser('demoted@example.com', { orgId: org, role: 'admin' })
    const { body } = await create(person, { role: 'admin' })
    const seat = `/v1/orgs/${org}/members/${person.userId}`
    await t.call('PATCH', seat, { token: owner, body: { role: 'member' } })
    expect((await rotate(person, body.key_id, {})).status).toBe(403)
  })

  it('the address of a deleted account is in no table', async () => {
    const person = await t.newUser('forgotten@example.com', { orgId: org, role: 'member' })
    const token = (
      await t.call('POST', '/v1/auth/login', {
        body: { email: person.email, password: TEST_PASSWORD },
      })
    ).body.access_token
    await t.settle()
    expect((await t.call('DELETE', '/v1/auth/delete-account', { token })).status).toBe(200)
    const tables = await sql<{ name: string }>`select table_name as name
      from information_schema.tables where table_schema = 'public'`.execute(t.app.kernel.db)
    for (const { name } of tables.rows) {
      const found = await sql`select 1 from ${sql.table(name)} row
        where row::text like '%forgotten@example.com%'`.execute(t.app.kernel.db)
      expect(found.rows, name).toEqual([])
    }
  })

  it('an organisation without any remaining owner is not restored', async () => {
    const person = await t.newUser('founder@example.com')
    const created = await t.call('POST', '/v1/orgs', {
      token: person.token,
      body: { name: 'Founded', slug: 'founded' },
    })
    await t.call('DELETE', `/v1/orgs/${created.body.org_id}`, { token: person.token })
    const gone = await t.call('DELETE', '/v1/auth/delete-account', { token: person.token })
    expect(gone.status).toBe(200)
    const url = `/v1/admin/orgs/${created.body.org_id}/restore`
    expect((await t.call('POST', url, { token: owner })).status).toBe(409)
  })
})

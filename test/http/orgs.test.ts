import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, type TestUser, testApp } from '#harness/app.ts'

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

const tokenOf = (who: string) => people[who]?.token ?? ''

describe('organisations', () => {
  it('are created with the creator as owner, and returned with every field', async () => {
    t.clock.advance(1000)
    const created = await t.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Acme', slug: 'acme', billing_email: ' Bill@Example.com ' },
    })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      name: 'Acme',
      slug: 'acme',
      billing_email: 'bill@example.com',
      company_name: null,
      member_count: 1,
      role: 'owner',
      created_at: '2026-03-01T12:00:01.000Z',
    })
    expect(created.body.org_id).toMatch(/^org-[0-9a-f-]{36}$/)
    expect(created.body.billing_account_id).toMatch(/^ba-/)
    const read = await t.call('GET', `/v1/orgs/${created.body.org_id}`, { token: owner })
    expect(read.body).toEqual(created.body)
    const listed = await t.call('GET', '/v1/orgs', { token: owner })
    expect(listed.body.orgs.map((o: { slug: string }) => o.slug)).toEqual(['default', 'acme'])
  })

  it.each([
    [{ slug: 'no-name' }, 'name'],
    [{ name: 'x', slug: 'short-name' }, 'name'],
    [{ name: 'Fine', slug: 'Bad_Slug' }, 'slug'],
    [{ name: 'Fine', slug: '-bad' }, 'slug'],
    [{ name: 5, slug: 'wrong-type' }, 'name'],
    [{ name: 'Fine', slug: 'bad-mail', billing_email: 'nobody' }, 'billing_email'],
  ])('with %j are refused, naming the field', async (body, field) => {
    const answer = await t.call('POST', '/v1/orgs', { token: owner, body })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toBe('invalid_request')
    expect(answer.body.message).toContain(field)
  })

  it('are at most as many per owner as the setting allows, also if created at once', async () => {
    const small = await testApp({ env: { ORGS_PER_ACCOUNT_MAX: '3' } })
    const person = await small.newUser('collector@example.com')
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((slug) =>
        small.call('POST', '/v1/orgs', {
          token: person.token,
          body: { name: `Org ${slug}`, slug: `many-${slug}` },
        }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3)
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ body }) => body.error)).toEqual(['limit_reached', 'limit_reached'])
    const owned = answers.find(({ status }) => status === 201)?.body.org_id
    await small.call('DELETE', `/v1/orgs/${owned}`, { token: person.token })
    const again = await small.call('POST', '/v1/orgs', {
      token: person.token,
      body: { name: 'Org f', slug: 'many-f' },
    })
    expect(again.status).toBe(409)
  })

  it('with a taken slug are refused with 409, and the other one is unchanged', async () => {
    const body = { name: 'Other', slug: 'default' }
    const answer = await t.call('POST', '/v1/orgs', { token: owner, body })
    expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } })
  })

  it('are 404 for people who do not belong to them', async () => {
    const answer = await t.call('GET', `/v1/orgs/${org}`, { token: tokenOf('stranger') })
    const missing = await t.call('GET', '/v1/orgs/org-unknown', { token: tokenOf('stranger') })
    expect(answer.status).toBe(404)
    expect(answer.body).toEqual(missing.body)
  })

  it('are changed by owners and admins only', async () => {
    const change = (who: string, name: string) =>
      t.call('PATCH', `/v1/orgs/${org}`, { token: tokenOf(who), body: { name } })
    expect(await change('admin', 'Renamed')).toMatchObject({
      status: 200,
      body: { name: 'Renamed' },
    })
    expect((await change('auditor', 'No')).status).toBe(403)
    expect((await change('member', 'No')).status).toBe(403)
    const log = await t.call('GET', `/v1/orgs/${org}/audit-log?action=org.updated`, {
      token: owner,
    })
    expect(log.body.entries[0]).toMatchObject({
      actor: { type: 'user', id: people['admin']?.userId },
      changes: { name: { from: 'Default', to: 'Renamed' } },
    })
  })

  it('are readable with their own API key, which cannot run person-only operations', async () => {
    const key = t.first.api_key
    expect((await t.call('GET', `/v1/orgs/${org}`, { token: key })).status).toBe(200)
    expect((await t.call('GET', '/v1/orgs', { token: key })).status).toBe(403)
    expect((await t.call('POST', '/v1/orgs', { token: key, body: {} })).status).toBe(403)
    const body = { name: 'By key' }
    expect((await t.call('PATCH', `/v1/orgs/${org}`, { token: key, body })).status).toBe(403)
    expect((await t.call('GET', '/v1/orgs/org-other', { token: key })).status).toBe(404)
  })
})

describe('members', () => {
  it('are listed owners first, with email addresses', async () => {
    const list = await t.call('GET', `/v1/orgs/${org}/members`, { token: tokenOf('member') })
    expect(list.body.members.map((m: { role: string }) => m.role)).toEqual([
      'owner',
      'admin',
      'auditor',
      'member',
    ])
    expect(list.body.members[1].email).toBe('admin@example.com')
  })

  it('always include at least one owner', async () => {
    const me = (await t.call('GET', '/v1/auth/me', { token: owner })).body.user_id
    const url = `/v1/orgs/${org}/members/${me}`
    const demoted = await t.call('PATCH', url, { token: owner, body: { role: 'member' } })
    expect(demoted).toMatchObject({ status: 409, body: { error: 'last_owner' } })
    const left = await t.call('DELETE', url, { token: owner })
    expect(left).toMatchObject({ status: 409, body: { error: 'last_owner' } })
  })

  it('include one owner even if two owners demote each other concurrently', async () => {
    const created = await t.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Race', slug: 'race' },
    })
    const race = created.body.org_id
    const other = await t.newUser('race@example.com', { orgId: race, role: 'member' })
    const me = (await t.call('GET', '/v1/auth/me', { token: owner })).body.user_id
    const seat = (id: string) => `/v1/orgs/${race}/members/${id}`
    await t.call('PATCH', seat(other.userId), { token: owner, body: { role: 'owner' } })
    const answers = await Promise.all([
      t.call('PATCH', seat(me), { token: other.token, body: { role: 'member' } }),
      t.call('PATCH', seat(other.userId), { token: owner, body: { role: 'member' } }),
    ])
    // The second request comes from the last owner, or from somebody who is no longer an owner.
    const [won, lost] = answers.map((a) => a.status).sort()
    expect(won).toBe(200)
    expect([403, 409]).toContain(lost)
    const org = (await t.call('GET', `/v1/orgs/${race}`, { token: owner })).body
    const members = (await t.call('GET', `/v1/orgs/${race}/members`, { token: owner })).body.members
    const owners = members.filter((m: { role: string }) => m.role === 'owner')
    expect(owners).toHaveLength(1)
    expect(org.owner_user_id).toBe(owners[0].user_id)
  })

  it('and auditors can be removed by admins, but admins and owners cannot', async () => {
    const victim = await t.newUser('victim@example.com', { orgId: org, role: 'member' })
    const admin = await t.newUser('second-admin@example.com', { orgId: org, role: 'admin' })
    const remove = (who: string, id: string) =>
      t.call('DELETE', `/v1/orgs/${org}/members/${id}`, { token: who })
    expect((await remove(tokenOf('member'), victim.userId)).status).toBe(403)
    expect((await remove(tokenOf('admin'), admin.userId)).status).toBe(403)
    expect(await remove(tokenOf('admin'), victim.userId)).toMatchObject({
      status: 200,
      body: { removed: true, org_id: org, user_id: victim.userId },
    })
    expect((await remove(tokenOf('admin'), victim.userId)).status).toBe(404)
    expect((await remove(owner, admin.userId)).status).toBe(200)
  })

  it('can leave, and their keys are revoked on request', async () => {
    const leaver = await t.newUser('leaver@example.com', { orgId: org, role: 'member' })
    const key = (await t.call('POST', '/v1/api-keys', { token: leaver.token, body: {} })).body.key
    expect((await t.call('GET', `/v1/orgs/${org}`, { token: key })).status).toBe(200)
    const url = `/v1/orgs/${org}/members/${leaver.userId}?revoke_keys=true`
    expect((await t.call('DELETE', url, { token: leaver.token })).status).toBe(200)
    await expect
      .poll(async () => (await t.call('GET', `/v1/orgs/${org}`, { token: key })).status)
      .toBe(401)
    expect((await t.call('GET', `/v1/orgs/${org}`, { token: leaver.token })).status).toBe(404)
  })
})

describe('deleting an organisation', () => {
  it('takes effect immediately, can be undone for 30 days, and is then permanent', async () => {
    const created = await t.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Doomed', slug: 'doomed' },
    })
    const doomed = created.body.org_id
    const key = await t.call('POST', `/v1/orgs/${doomed}/api-keys`, { token: owner, body: {} })
    const gone = await t.call('DELETE', `/v1/orgs/${doomed}`, { token: owner })
    expect(gone.body).toEqual({ deleted: true })
    expect((await t.call('GET', `/v1/orgs/${doomed}`, { token: owner })).status).toBe(404)
    await expect
      .poll(async () => (await t.call('GET', `/v1/orgs/${doomed}`, { token: key.body.key })).status)
      .toBe(401)

    const restore = () => t.call('POST', `/v1/admin/orgs/${doomed}/restore`, { token: owner })
    expect((await restore()).status).toBe(200)
    expect((await restore()).status).toBe(409)
    expect((await t.call('GET', `/v1/orgs/${doomed}`, { token: owner })).status).toBe(200)

    await t.call('DELETE', `/v1/orgs/${doomed}`, { token: owner })
    t.clock.advance(30 * 86_400_000 + 1000)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    const again = await t.ownerToken()
    const late = await t.call('POST', `/v1/admin/orgs/${doomed}/restore`, { token: again })
    expect(late.status).toBe(404)
    const reuse = await t.call('POST', '/v1/orgs', {
      token: again,
      body: { name: 'New', slug: 'doomed' },
    })
    expect(reuse.status).toBe(201)
  })

  it('is undone only by a platform administrator', async () => {
    const answer = await t.call('POST', `/v1/admin/orgs/${org}/restore`, {
      token: (await t.newUser('nobody@example.com')).token,
    })
    expect(answer.status).toBe(403)
  })
})

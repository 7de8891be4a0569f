import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
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

const invite = (body: unknown, token = owner) =>
  t.call('POST', `/v1/orgs/${org}/invitations`, { token, body })
const accept = (token: string, by: string) =>
  t.call('POST', '/v1/orgs/invitations/accept', { token: by, body: { token } })

describe('invitations', () => {
  it('let the invited person in, by the token in the e-mail', async () => {
    const made = await invite({ email: ' New@Example.com ' })
    expect(made).toMatchObject({
      status: 201,
      body: { email: 'new@example.com', role: 'member', status: 'pending', org_id: org },
    })
    expect(made.body.token).toMatch(/^tsi_[A-Za-z0-9_-]{43}$/)
    await t.settle()
    const outbox = join(t.dataDir, 'outbox')
    const mails = await Promise.all(
      (await readdir(outbox)).map((name) => readFile(join(outbox, name), 'utf8')),
    )
    const mail = mails.find((text) => text.includes('To: new@example.com'))
    expect(mail?.replaceAll('=\n', '')).toContain(made.body.token)

    const person = await t.newUser('new@example.com')
    expect((await accept(made.body.token, person.token)).body).toEqual({
      org_id: org,
      org_name: 'Default',
      role: 'member',
      personal_subscription_warning: null,
    })
    expect(await accept(made.body.token, person.token)).toMatchObject({
      status: 410,
      body: { error: 'gone' },
    })
    const list = await t.call('GET', `/v1/orgs/${org}/invitations?status=accepted`, {
      token: owner,
    })
    expect(list.body).toMatchObject({ total: 1, page: 1, per_page: 20 })
    expect(list.body.invitations[0]).not.toHaveProperty('token')
  })

  it('are only for the address they were sent to', async () => {
    const { token } = (await invite({ email: 'right@example.com' })).body
    const wrong = await t.newUser('wrong@example.com')
    expect(await accept(token, wrong.token)).toMatchObject({ status: 403 })
    expect(await accept('tsi_unknown', wrong.token)).toMatchObject({ status: 404 })
  })

  it('warn a person who already pays for an organisation of their own', async () => {
    const person = await t.newUser('payer@example.com')
    await t.call('POST', '/v1/orgs', {
      token: person.token,
      body: { name: 'Own', slug: 'own-org' },
    })
    const { token } = (await invite({ email: 'payer@example.com' })).body
    const accepted = await accept(token, person.token)
    expect(accepted.body.personal_subscription_warning).toContain('Own')
  })

  it('are refused for members, and for admins by anyone but an owner', async () => {
    const admin = await t.newUser('inviter@example.com', { orgId: org, role: 'admin' })
    expect((await invite({ email: 'inviter@example.com' })).status).toBe(409)
    const byAdmin = await invite({ email: 'boss@example.com', role: 'admin' }, admin.token)
    expect(byAdmin.status).toBe(403)
    expect((await invite({ email: 'aide@example.com' }, admin.token)).status).toBe(201)
    expect((await invite({ email: 'x@example.com', role: 'owner' })).status).toBe(400)
  })

  it('replace an older one for the same address', async () => {
    const first = (await invite({ email: 'twice@example.com' })).body
    const second = (await invite({ email: 'twice@example.com', role: 'auditor' })).body
    const person = await t.newUser('twice@example.com')
    expect((await accept(first.token, person.token)).status).toBe(410)
    expect((await accept(second.token, person.token)).body.role).toBe('auditor')
  })

  it('can be taken back once, and end by themselves after seven days', async () => {
    const revoked = (await invite({ email: 'revoked@example.com' })).body
    const url = `/v1/orgs/${org}/invitations/${revoked.invitation_id}`
    const answer = await t.call('DELETE', url, { token: owner })
    expect(answer.body).toEqual({ revoked: true, invitation_id: revoked.invitation_id })
    expect((await t.call('DELETE', url, { token: owner })).status).toBe(409)
    const unknown = `/v1/orgs/${org}/invitations/inv-unknown`
    expect((await t.call('DELETE', unknown, { token: owner })).status).toBe(404)

    const late = (await invite({ email: 'late@example.com' })).body
    t.clock.advance(7 * 86_400_000)
    owner = await t.ownerToken()
    const person = await t.newUser('late@example.com')
    expect((await accept(late.token, person.token)).status).toBe(410)
    const expired = await t.call('GET', `/v1/orgs/${org}/invitations?status=expired`, {
      token: owner,
    })
    const ids = expired.body.invitations.map((i: { invitation_id: string }) => i.invitation_id)
    expect(ids).toContain(late.invitation_id)
  })

  it('are at most 100 pending', async () => {
    const made = await t.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Crowded', slug: 'crowded' },
    })
    const one = (n: number) =>
      t.call('POST', `/v1/orgs/${made.body.org_id}/invitations`, {
        token: owner,
        body: { email: `guest-${n}@example.com` },
      })
    for (let n = 0; n < 100; n += 1) expect((await one(n)).status).toBe(201)
    expect(await one(100)).toMatchObject({ status: 409, body: { error: 'limit_reached' } })
  })
})

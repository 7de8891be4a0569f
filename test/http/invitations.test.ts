import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

let t: TestApp
let owner: string
let org: string
let annex: string

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  org = t.first.org_id
  const body = { name: 'Annex', slug: 'annex' }
  annex = (await t.call('POST', '/v1/orgs', { token: owner, body })).body.org_id
})

const invite = (body: unknown, token = owner) =>
  t.call('POST', `/v1/orgs/${org}/invitations`, { token, body })
const accept = (token: string, by: string) =>
  t.call('POST', '/v1/orgs/invitations/accept', { token: by, body: { token } })

/** The token of a new account whose address an invitation to another organisation has verified. */
const verified = async (email: string): Promise<string> =>
  (await t.newUser(email, { orgId: annex, role: 'member' })).token

describe('invitations', () => {
  it('admit the invited person by the token in the email', async () => {
    const created = await invite({ email: ' New@Example.com ' })
    expect(created).toMatchObject({
      status: 201,
      body: { email: 'new@example.com', role: 'member', status: 'pending', org_id: org },
    })
    const token = await t.mailedToken('new@example.com')
    expect(created.body.token).toMatch(/^tsi_[A-Za-z0-9_-]{43}$/)
    expect(created.body.token).not.toBe(token)
    expect(token).toMatch(/^tsi_[A-Za-z0-9_-]{43}$/)
    await t.settle()
    const outbox = join(t.dataDir, 'outbox')
    const mails = await Promise.all(
      (await readdir(outbox)).map((name) => readFile(join(outbox, name), 'utf8')),
    )
    const mail = mails.find((text) => text.includes('To: new@example.com'))
    expect(mail?.replaceAll('=\n', '')).toContain(token)

    const person = await verified('new@example.com')
    expect((await accept(token, person)).body).toEqual({
      org_id: org,
      org_name: 'Default',
      role: 'member',
      personal_subscription_warning: null,
    })
    expect(await accept(token, person)).toMatchObject({
      status: 410,
      body: { error: 'gone' },
    })
    const list = await t.call('GET', `/v1/orgs/${org}/invitations?status=accepted`, {
      token: owner,
    })
    expect(list.body).toMatchObject({ total: 1, page: 1, per_page: 20 })
    expect(list.body.invitations[0]).not.toHaveProperty('token')
  })

  it('are valid only for the address they were sent to', async () => {
    await invite({ email: 'right@example.com' })
    const token = await t.mailedToken('right@example.com')
    const wrong = await verified('wrong@example.com')
    expect(await accept(token, wrong)).toMatchObject({ status: 403 })
    expect(await accept('tsi_unknown', wrong)).toMatchObject({ status: 404 })
  })

  it('admit by the token in the answer, too, without verifying the address', async () => {
    const { token } = (await invite({ email: 'handed@example.com' })).body
    const body = { email: 'handed@example.com', password: 'a long enough password' }
    const signup = await t.call('POST', '/v1/auth/signup', {
      body: { ...body, invitation_token: token },
    })
    expect(signup.status).toBe(201)
    const me = await t.call('GET', '/v1/auth/me', { token: signup.body.access_token })
    expect(me.body.orgs).toMatchObject([{ org_id: org }])
    // The address is not verified, so the next invitation needs the mail.
    const again = await t.call('POST', `/v1/orgs/${annex}/invitations`, {
      token: owner,
      body: { email: 'handed@example.com' },
    })
    expect(await accept(again.body.token, signup.body.access_token)).toMatchObject({ status: 403 })
  })

  it('warn a person who already pays for an organisation', async () => {
    const person = await verified('payer@example.com')
    await t.call('POST', '/v1/orgs', {
      token: person,
      body: { name: 'Own', slug: 'own-org' },
    })
    await invite({ email: 'payer@example.com' })
    const accepted = await accept(await t.mailedToken('payer@example.com'), person)
    expect(accepted.body.personal_subscription_warning).toContain('Own')
  })

  it('are refused for existing members, and for admins unless an owner invites', async () => {
    const admin = await t.newUser('inviter@example.com', { orgId: org, role: 'admin' })
    expect((await invite({ email: 'inviter@example.com' })).status).toBe(409)
    const byAdmin = await invite({ email: 'boss@example.com', role: 'admin' }, admin.token)
    expect(byAdmin.status).toBe(403)
    expect((await invite({ email: 'aide@example.com' }, admin.token)).status).toBe(201)
    expect((await invite({ email: 'x@example.com', role: 'owner' })).status).toBe(400)
  })

  it('replace an older one for the same address', async () => {
    const person = await verified('twice@example.com')
    await invite({ email: 'twice@example.com' })
    const first = await t.mailedToken('twice@example.com')
    await invite({ email: 'twice@example.com', role: 'auditor' })
    const second = await t.mailedToken('twice@example.com')
    expect((await accept(first, person)).status).toBe(410)
    expect((await accept(second, person)).body.role).toBe('auditor')
  })

  it('can be revoked once, and expire after seven days', async () => {
    const revoked = (await invite({ email: 'revoked@example.com' })).body
    const url = `/v1/orgs/${org}/invitations/${revoked.invitation_id}`
    const answer = await t.call('DELETE', url, { token: owner })
    expect(answer.body).toEqual({ revoked: true, invitation_id: revoked.invitation_id })
    expect((await t.call('DELETE', url, { token: owner })).status).toBe(409)
    const unknown = `/v1/orgs/${org}/invitations/inv-unknown`
    expect((await t.call('DELETE', unknown, { token: owner })).status).toBe(404)

    const late = (await invite({ email: 'late@example.com' })).body
    const lateToken = await t.mailedToken('late@example.com')
    t.clock.advance(7 * 86_400_000)
    owner = await t.ownerToken()
    const person = await verified('late@example.com')
    expect((await accept(lateToken, person)).status).toBe(410)
    const expired = await t.call('GET', `/v1/orgs/${org}/invitations?status=expired`, {
      token: owner,
    })
    const ids = expired.body.invitations.map((i: { invitation_id: string }) => i.invitation_id)
    expect(ids).toContain(late.invitation_id)
  })

  it('are limited to 100 pending ones', async () => {
    const created = await t.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Crowded', slug: 'crowded' },
    })
    const one = (n: number) =>
      t.call('POST', `/v1/orgs/${created.body.org_id}/invitations`, {
        token: owner,
        body: { email: `guest-${n}@example.com` },
      })
    for (let n = 0; n < 100; n += 1) expect((await one(n)).status).toBe(201)
    expect(await one(100)).toMatchObject({ status: 409, body: { error: 'limit_reached' } })
  })
})

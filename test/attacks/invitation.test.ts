import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

/**
 * Somebody who holds an invitation to another person's address, but cannot read that person's mail,
 * tries to use it. Sign-up is open, so they can claim any address for an account of their own.
 */
let app: TestApp
let owner: string
let org: string

beforeAll(async () => {
  app = await testApp()
  owner = await app.ownerToken()
  org = app.first.org_id
})

const invite = (email: string, token = owner) =>
  app.call('POST', `/v1/orgs/${org}/invitations`, { token, body: { email, role: 'member' } })

const accept = (token: string, by: string) =>
  app.call('POST', '/v1/orgs/invitations/accept', { token: by, body: { token } })

describe('an invitation in other hands', () => {
  it('does not admit an account that only claims the invited address', async () => {
    await invite('cfo@example.com')
    const token = await app.mailedToken('cfo@example.com')
    const squatter = await app.newUser('CFO@example.com')
    const answer = await accept(token, squatter.token)
    expect(answer.status).toBe(403)
    expect(answer.body.message).toMatch(/verif/)
    expect((await app.call('GET', `/v1/orgs/${org}`, { token: squatter.token })).status).toBe(404)
  })

  it('does not admit an account with another verified address', async () => {
    await invite('coo@example.com')
    const token = await app.mailedToken('coo@example.com')
    const other = await app.newUser('other@example.com', { orgId: org, role: 'member' })
    expect((await accept(token, other.token)).status).toBe(403)
  })

  it('of the inviter verifies no address', async () => {
    const email = 'admin@operator.example'
    const { token } = (await invite(email)).body
    const signup = await app.call('POST', '/v1/auth/signup', {
      body: { email, password: 'a long enough password', invitation_token: token },
    })
    expect(signup.status).toBe(201)
    const again = (await invite(email)).status
    expect(again).toBe(409)
    const other = await app.call('POST', '/v1/orgs', {
      token: owner,
      body: { name: 'Other', slug: 'other' },
    })
    const second = await app.call('POST', `/v1/orgs/${other.body.org_id}/invitations`, {
      token: owner,
      body: { email },
    })
    const answer = await accept(second.body.token, signup.body.access_token)
    expect(answer.status).toBe(403)
    expect(answer.body.message).toMatch(/verif/)
    const list = await app.call('GET', `/v1/orgs/${org}/invitations`, { token: owner })
    expect(list.text).not.toContain('tsi_')
  })
})

describe('the invited person', () => {
  it('joins with an account that they verified by mail before', async () => {
    const email = 'known@example.com'
    await app.newUser(email)
    await app.call('POST', '/v1/auth/password-reset', { body: { email } })
    // The answer must not depend on whether there is an account, so a job sends the mail.
    await app.app.kernel.jobs.runDue()
    const reset = await app.mailedToken(email)
    const password = 'another long password'
    const body = { token: reset, new_password: password }
    expect((await app.call('POST', '/v1/auth/password-reset/confirm', { body })).status).toBe(204)
    const login = await app.call('POST', '/v1/auth/login', { body: { email, password } })
    await invite('Known@Example.com')
    const token = await app.mailedToken(email)
    expect((await accept(token, login.body.access_token)).status).toBe(200)
  })

  it('joins by signing up with the link that was sent to them, which verifies the address', async () => {
    const person = await app.newUser('new@example.com', { orgId: org, role: 'member' })
    await app.call('POST', '/v1/orgs', { token: owner, body: { name: 'Two', slug: 'two' } })
    const me = await app.call('GET', '/v1/auth/me', { token: person.token })
    expect(me.body.orgs).toMatchObject([{ org_id: org, role: 'member' }])
  })
})

import { describe, expect, it } from 'vitest'
import { TEST_PASSWORD, testApp } from '#harness/app.ts'

const body = (email: string) => ({ email, password: TEST_PASSWORD })

describe('SIGNUP_MODE', () => {
  it('invite: 403 without an invitation, once there is a first account', async () => {
    const app = await testApp({ env: { SIGNUP_MODE: 'invite' } })
    const answer = await app.call('POST', '/v1/auth/signup', { body: body('a@example.com') })
    expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    const invited = await app.newUser('b@example.com', {
      orgId: app.first.org_id,
      role: 'member',
    })
    expect(invited.userId).toMatch(/^user-/)
  })

  it('closed: 403 for everybody', async () => {
    const app = await testApp({ env: { SIGNUP_MODE: 'closed' } })
    const answer = await app.call('POST', '/v1/auth/signup', { body: body('a@example.com') })
    expect(answer.status).toBe(403)
  })
})

describe('LOCAL_IDP=off', () => {
  it('404: no sign-in with passwords, but sessions and keys stay', async () => {
    const app = await testApp({ env: { LOCAL_IDP: 'off' } })
    for (const path of ['signup', 'login', 'password-reset', 'password-reset/confirm']) {
      const answer = await app.call('POST', `/v1/auth/${path}`, { body: body('a@example.com') })
      expect(answer.status, path).toBe(404)
    }
    const refresh = await app.call('POST', '/v1/auth/refresh', { body: { refresh_token: 'x' } })
    expect(refresh.status).toBe(401)
    expect((await app.call('GET', '/.well-known/jwks.json')).status).toBe(200)
  })
})

describe('ADMIN_EMAILS', () => {
  it('are not administrators by an invitation, whose token the inviter has seen', async () => {
    const app = await testApp({ env: { ADMIN_EMAILS: 'root@example.com' } })
    const root = await app.newUser('root@example.com', {
      orgId: app.first.org_id,
      role: 'member',
    })
    const me = await app.call('GET', '/v1/auth/me', { token: root.token })
    expect(me.body.is_platform_admin).toBe(false)
  })
})

describe('rate limits per client address', () => {
  it.each([
    ['signup', 5],
    ['login', 10],
    ['password-reset', 5],
    ['refresh', 30],
  ])('429: %s after %i a minute', async (path, limit) => {
    const app = await testApp({ env: { RATE_LIMITS: 'on' } })
    for (let i = 0; i < limit; i += 1) {
      const answer = await app.call('POST', `/v1/auth/${path}`, { body: {} })
      expect(answer.status).toBe(400)
      // The limit per second is another one.
      app.clock.advance(200)
    }
    const answer = await app.call('POST', `/v1/auth/${path}`, { body: {} })
    expect(answer).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })
})

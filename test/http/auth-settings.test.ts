import { describe, expect, it } from 'vitest'
import { TEST_PASSWORD, testApp } from '#harness/app.ts'

const body = (email: string) => ({ email, password: TEST_PASSWORD })

describe('SIGNUP_MODE', () => {
  it('invite: 403 without an invitation once the first account exists', async () => {
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
  it('404: password sign-in is off, while sessions and API keys keep working', async () => {
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
  it('become administrators only with an address that a mail has verified', async () => {
    const app = await testApp({ env: { ADMIN_EMAILS: 'root@example.com,claimed@example.com' } })
    const isAdmin = async (token: string) =>
      (await app.call('GET', '/v1/auth/me', { token })).body.is_platform_admin
    expect(await isAdmin((await app.newUser('claimed@example.com')).token)).toBe(false)
    const invited = { orgId: app.first.org_id, role: 'member' }
    expect(await isAdmin((await app.newUser('root@example.com', invited)).token)).toBe(true)
  })
})

describe('rate limits per client address', () => {
  it.each([
    ['signup', 5],
    ['login', 10],
    ['password-reset', 5],
    ['refresh', 30],
  ])('429: %s after %i requests a minute', async (path, limit) => {
    const app = await testApp({ env: { RATE_LIMITS: 'on' } })
    for (let i = 0; i < limit; i += 1) {
      const answer = await app.call('POST', `/v1/auth/${path}`, { body: {} })
      expect(answer.status).toBe(400)
      // Avoids the separate limit per second.
      app.clock.advance(200)
    }
    const answer = await app.call('POST', `/v1/auth/${path}`, { body: {} })
    expect(answer).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
  })
})

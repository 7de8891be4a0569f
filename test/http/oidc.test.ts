import { describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { startOpenIdIssuer } from '#harness/identity.ts'

const { issuer, tokenFor: sign } = await startOpenIdIssuer('touchstone-dashboard')

const app = await testApp({
  env: {
    OIDC_ISSUERS: JSON.stringify([{ issuer, audience: 'touchstone-dashboard' }]),
    ADMIN_EMAILS: 'root@example.com',
  },
})

const tokenFor = (claims: Record<string, unknown>): Promise<string> => sign(claims, app.clock.now())

const me = async (claims: Record<string, unknown>) =>
  app.call('GET', '/v1/auth/me', { token: await tokenFor(claims) })

describe('tokens of an accepted identity provider', () => {
  it('200: sign in a person, whose account is created on first use', async () => {
    const claims = { sub: 'ann', email: 'Ann@Example.com', email_verified: true, name: 'Ann' }
    const first = await me(claims)
    expect(first).toMatchObject({
      status: 200,
      body: { email: 'ann@example.com', name: 'Ann', is_platform_admin: false, orgs: [] },
    })
    expect((await me(claims)).body.user_id).toBe(first.body.user_id)
  })

  it('200: grant platform administration to a verified, listed address', async () => {
    const email = 'root@example.com'
    expect((await me({ sub: 'r1', email, email_verified: true })).body.is_platform_admin).toBe(true)
    expect((await me({ sub: 'r2', email })).body.is_platform_admin).toBe(false)
  })

  it('409: have no password to change', async () => {
    const answer = await app.call('POST', '/v1/auth/password', {
      token: await tokenFor({ sub: 'ann' }),
      body: { current_password: 'whatever', new_password: 'a different password' },
    })
    expect(answer).toMatchObject({ status: 409, body: { error: 'conflict' } })
  })

  it('401: stop working once the person deletes the account, until they sign in again', async () => {
    const token = await tokenFor({ sub: 'leaver' })
    const before = await app.call('GET', '/v1/auth/me', { token })
    expect((await app.call('DELETE', '/v1/auth/delete-account', { token })).status).toBe(200)
    expect((await app.call('GET', '/v1/auth/me', { token })).status).toBe(401)
    app.clock.advance(61_000)
    const again = await me({ sub: 'leaver' })
    expect(again.status).toBe(200)
    expect(again.body.user_id).not.toBe(before.body.user_id)
  })

  it.each([
    ['for another audience', { aud: 'elsewhere' }],
    ['of an unknown issuer', { iss: 'https://unknown.example' }],
    [
      'of the local issuer, signed by the provider',
      { iss: 'http://localhost:8787', aud: 'touchstone' },
    ],
    ['without a subject', { sub: undefined }],
    ['that are valid for more than a day', { exp: 4_000_000_000 }],
    ['that have expired', { iat: 1_600_000_000, exp: 1_600_000_600 }],
  ])('401: %s', async (_what, claims) => {
    expect(await me(claims)).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
  })
})

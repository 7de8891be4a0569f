import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { TEST_PASSWORD, testApp } from '#harness/app.ts'

const app = await testApp()
const { call, clock } = app

const TOKENS = {
  access_token: expect.any(String),
  token_type: 'Bearer',
  expires_in: 900,
  refresh_token: expect.stringMatching(/^tsr_[A-Za-z0-9_-]{43}$/),
}

const signup = (email: string, more: object = {}) =>
  call('POST', '/v1/auth/signup', { body: { email, password: TEST_PASSWORD, ...more } })
const login = (email: string, password = TEST_PASSWORD) =>
  call('POST', '/v1/auth/login', { body: { email, password } })
const refresh = (token: string) =>
  call('POST', '/v1/auth/refresh', { body: { refresh_token: token } })
const me = (token?: string) => call('GET', '/v1/auth/me', { token })

async function mailedResetToken(email: string): Promise<string> {
  await app.settle()
  const outbox = join(app.dataDir, 'outbox')
  const mails = await Promise.all(
    (await readdir(outbox)).map((name) => readFile(join(outbox, name), 'utf8')),
  )
  const mail = mails.find((text) => text.includes(`To: ${email}`)) ?? ''
  // Mail servers may fold long lines (RFC 2045 §6.7).
  const found = /^(tsp_[\w-]{43})$/m.exec(mail)
  return found?.[1] ?? ''
}

describe('POST /v1/auth/signup', () => {
  it('201: creates an account and signs in', async () => {
    const answer = await signup(' New@Example.com ', { name: 'New' })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      ...TOKENS,
      user: { user_id: expect.stringMatching(/^user-/), email: 'new@example.com' },
    })
    expect(answer.headers['cache-control']).toBe('no-store')
    expect((await me(answer.body.access_token)).body).toEqual({
      user_id: answer.body.user.user_id,
      email: 'new@example.com',
      name: 'New',
      is_platform_admin: false,
      second_factor: false,
      orgs: [],
    })
  })

  it('201: accepts an invitation in the same request', async () => {
    const { org_id: orgId } = app.first
    const user = await app.newUser('invited@example.com', { orgId, role: 'auditor' })
    expect((await me(user.token)).body.orgs).toEqual([
      { org_id: orgId, name: 'Default', role: 'auditor', needs_second_factor: false },
    ])
  })

  it.each([
    ['no email', { password: TEST_PASSWORD }],
    ['a malformed address', { email: 'nobody', password: TEST_PASSWORD }],
    ['a password of 11 characters', { email: 'a@example.com', password: 'x'.repeat(11) }],
    ['a password of 129 characters', { email: 'a@example.com', password: 'x'.repeat(129) }],
    ['a common password', { email: 'a@example.com', password: 'Password1234' }],
    ['a name that is not a string', { email: 'a@example.com', password: TEST_PASSWORD, name: 7 }],
  ])('400: %s', async (_what, body) => {
    const answer = await call('POST', '/v1/auth/signup', { body })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(answer.text).not.toContain('xxxxx')
  })

  it('403: an invalid invitation', async () => {
    const answer = await signup('bad@example.com', { invitation_token: `tsi_${'x'.repeat(43)}` })
    expect(answer).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    expect((await login('bad@example.com')).status).toBe(401)
  })

  it('403: an invitation for another address', async () => {
    await call('POST', `/v1/orgs/${app.first.org_id}/invitations`, {
      token: await app.ownerToken(),
      body: { email: 'meant@example.com' },
    })
    const token = await app.mailedToken('meant@example.com')
    const answer = await signup('other@example.com', { invitation_token: token })
    expect(answer.status).toBe(403)
  })

  it('409: an address that already has an account', async () => {
    await signup('taken@example.com')
    expect(await signup('TAKEN@example.com')).toMatchObject({
      status: 409,
      body: { error: 'conflict' },
    })
  })
})

describe('POST /v1/auth/login', () => {
  it('200: returns tokens', async () => {
    const { userId } = await app.newUser('login@example.com')
    const answer = await login('Login@example.com')
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      ...TOKENS,
      user: { user_id: userId, email: 'login@example.com' },
    })
    expect(decodeJwt(answer.body.access_token)).toMatchObject({
      iss: app.config.baseUrl,
      aud: 'touchstone',
      sub: userId,
    })
  })

  it('400: a missing password', async () => {
    const answer = await call('POST', '/v1/auth/login', { body: { email: 'login@example.com' } })
    expect(answer.status).toBe(400)
  })

  it('401: the same message for a wrong password and for an unknown address', async () => {
    const wrong = await login('login@example.com', 'not the password')
    const unknown = await login('unknown@example.com')
    expect(wrong).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(wrong.headers['www-authenticate']).toBe('Bearer')
    expect(unknown.body).toEqual(wrong.body)
  })

  it('429: after five failures, even with RATE_LIMITS=off, and not where the owner signed in', async () => {
    const { email } = await app.newUser('lock@example.com')
    await login(email)
    for (let i = 0; i < 5; i += 1) await login('other@example.com', 'not the password')
    const answer = await login('other@example.com')
    expect(answer).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
    expect(answer.headers['retry-after']).toBe('1')
    for (let i = 0; i < 6; i += 1) await login(email, 'not the password')
    expect((await login(email)).status).toBe(200)
  })
})

describe('POST /v1/auth/refresh', () => {
  it('200: returns new tokens, and reusing the old refresh token revokes the family', async () => {
    const { refreshToken } = await app.newUser('refresh@example.com')
    const next = await refresh(refreshToken)
    expect(next.status).toBe(200)
    expect(next.body).toMatchObject(TOKENS)
    expect((await refresh(refreshToken)).status).toBe(401)
    expect((await refresh(next.body.refresh_token)).status).toBe(401)
  })

  it('400 without a token, 401 with an invalid one', async () => {
    expect((await call('POST', '/v1/auth/refresh', { body: {} })).status).toBe(400)
    expect(await refresh('nonsense')).toMatchObject({
      status: 401,
      body: { error: 'unauthorized' },
    })
  })
})

describe('POST /v1/auth/logout', () => {
  it('204: always; the session is revoked', async () => {
    const { refreshToken } = await app.newUser('logout@example.com')
    const body = { refresh_token: refreshToken }
    expect(await call('POST', '/v1/auth/logout', { body })).toMatchObject({ status: 204, text: '' })
    expect((await call('POST', '/v1/auth/logout', { body })).status).toBe(204)
    expect((await refresh(refreshToken)).status).toBe(401)
  })
})

describe('POST /v1/auth/password', () => {
  const change = (token: string | undefined, current: string, next: string) =>
    call('POST', '/v1/auth/password', {
      token,
      body: { current_password: current, new_password: next },
    })

  it('204: every session is revoked', async () => {
    const user = await app.newUser('password@example.com')
    expect((await change(user.token, TEST_PASSWORD, 'a different password')).status).toBe(204)
    expect((await refresh(user.refreshToken)).status).toBe(401)
    expect((await login(user.email)).status).toBe(401)
    expect((await login(user.email, 'a different password')).status).toBe(200)
  })

  it('400, 401, 403: too short, not signed in, wrong current password', async () => {
    const user = await app.newUser('password2@example.com')
    expect((await change(user.token, TEST_PASSWORD, 'short')).status).toBe(400)
    expect(await change(user.token, TEST_PASSWORD, 'qwertyqwerty1')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('new_password: is one of the commonest') },
    })
    expect((await change(undefined, TEST_PASSWORD, 'a different password')).status).toBe(401)
    const wrong = await change(user.token, 'not the password', 'a different password')
    expect(wrong).toMatchObject({ status: 403, body: { error: 'forbidden' } })
    const byKey = await change(app.first.api_key, TEST_PASSWORD, 'a different password')
    expect(byKey.status).toBe(403)
  })
})

describe('POST /v1/auth/password-reset', () => {
  const ask = (email: string) => call('POST', '/v1/auth/password-reset', { body: { email } })
  const confirm = (token: string, password: string) =>
    call('POST', '/v1/auth/password-reset/confirm', { body: { token, new_password: password } })

  it('202: the same response for every address; the mailed token works once', async () => {
    await app.newUser('forgot@example.com')
    const known = await ask('forgot@example.com')
    const unknown = await ask('never-seen@example.com')
    expect(known.status).toBe(202)
    expect(unknown).toMatchObject({ status: 202, body: known.body })
    const token = await mailedResetToken('forgot@example.com')
    expect(await confirm(token, 'short')).toMatchObject({ status: 400 })
    expect(await confirm(token, 'iloveyou2026')).toMatchObject({ status: 400 })
    expect(await confirm(token, 'a fresh password')).toMatchObject({ status: 204, text: '' })
    expect((await login('forgot@example.com', 'a fresh password')).status).toBe(200)
    expect(await confirm(token, 'another password')).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })

  it('400: a missing address or an invalid token', async () => {
    expect((await call('POST', '/v1/auth/password-reset', { body: {} })).status).toBe(400)
    expect((await confirm('nonsense', 'a fresh password')).status).toBe(400)
  })
})

describe('GET /v1/auth/me', () => {
  it('200: the first account is a platform administrator', async () => {
    const answer = await me(await app.ownerToken())
    expect(answer).toMatchObject({
      status: 200,
      body: {
        email: app.first.email,
        is_platform_admin: true,
        orgs: [{ org_id: app.first.org_id, role: 'owner' }],
      },
    })
  })

  it('401 without a token or with an invalid one, 403 with an API key', async () => {
    for (const token of [undefined, 'nonsense', 'a.b.c']) {
      const answer = await me(token)
      expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
      expect(answer.headers['www-authenticate']).toBe('Bearer')
    }
    expect((await me(app.first.api_key)).status).toBe(403)
  })

  it('401: an expired token', async () => {
    const { token } = await app.newUser('expires@example.com')
    clock.advance(16 * 60_000)
    expect((await me(token)).status).toBe(401)
  })
})

describe('DELETE /v1/auth/delete-account', () => {
  const remove = (token?: string) => call('DELETE', '/v1/auth/delete-account', { token })

  it('200: deletes the account, its tokens and its address', async () => {
    const { org_id: orgId } = app.first
    const user = await app.newUser('delete@example.com', { orgId, role: 'member' })
    expect(await remove(user.token)).toMatchObject({ status: 200, body: { success: true } })
    expect((await me(user.token)).status).toBe(401)
    expect((await refresh(user.refreshToken)).status).toBe(401)
    expect((await login(user.email)).status).toBe(401)
    const members = await call('GET', `/v1/orgs/${orgId}/members`, {
      token: await app.ownerToken(),
    })
    expect(members.text).not.toContain(user.userId)
    expect((await signup(user.email)).status).toBe(201)
  })

  it('401: without a token', async () => {
    expect((await remove()).status).toBe(401)
  })

  it('409: the last owner of an organisation', async () => {
    const token = await app.ownerToken()
    expect(await remove(token)).toMatchObject({ status: 409, body: { error: 'last_owner' } })
    expect((await me(token)).status).toBe(200)
  })
})

describe('/.well-known', () => {
  it('200: names the issuer and publishes only public keys', async () => {
    const discovery = await call('GET', '/.well-known/openid-configuration')
    expect(discovery).toMatchObject({ status: 200, body: { issuer: app.config.baseUrl } })
    expect(discovery.body.jwks_uri).toBe(`${app.config.baseUrl}/.well-known/jwks.json`)
    const keys = await call('GET', '/.well-known/jwks.json')
    expect(keys.headers['cache-control']).toBe('public, max-age=300')
    expect(keys.body.keys).toHaveLength(1)
    expect(keys.body.keys[0]).toMatchObject({ kty: 'OKP', alg: 'EdDSA', use: 'sig' })
    expect(keys.body.keys[0]).not.toHaveProperty('d')
  })
})

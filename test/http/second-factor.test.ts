import { describe, expect, it } from 'vitest'
import { TEST_PASSWORD, testApp } from '#harness/app.ts'
import { codeOf } from '#harness/authenticator.ts'

const app = await testApp()
const { call, clock } = app
const org = `/v1/orgs/${app.first.org_id}`

/** A code that was not shown before. */
function nextCode(secret: string): string {
  clock.advance(30_000)
  return codeOf(secret, clock.now())
}

const enrol = (token: string | undefined, password = TEST_PASSWORD) =>
  call('POST', '/v1/auth/second-factor', { token, body: { current_password: password } })
const confirm = (token: string | undefined, code: string) =>
  call('POST', '/v1/auth/second-factor/confirm', { token, body: { code } })
const state = (token?: string) => call('GET', '/v1/auth/second-factor', { token })
const login = (email: string) =>
  call('POST', '/v1/auth/login', { body: { email, password: TEST_PASSWORD } })
const answer = (challenge: string, code: string) =>
  call('POST', '/v1/auth/login/second-factor', { body: { challenge_token: challenge, code } })

async function protectedUser(email: string, invite?: { orgId: string; role: string }) {
  const user = await app.newUser(email, invite)
  const { secret } = (await enrol(user.token)).body
  const { recovery_codes: codes } = (await confirm(user.token, nextCode(secret))).body
  return { ...user, secret, codes }
}

async function signIn(user: { email: string; secret: string }): Promise<string> {
  const { challenge_token: challenge } = (await login(user.email)).body
  return (await answer(challenge, nextCode(user.secret))).body.access_token
}

describe('/v1/auth/second-factor', () => {
  it('200, 201: is enrolled with the password and confirmed with a code', async () => {
    const { token } = await app.newUser('enrol@example.com')
    expect((await state(token)).body).toEqual({
      enabled: false,
      confirmed_at: null,
      recovery_codes_left: 0,
    })
    const enrolled = await enrol(token)
    expect(enrolled.status).toBe(201)
    expect(enrolled.body.otpauth_uri).toMatch(
      /^otpauth:\/\/totp\/Touchstone:enrol%40example.com\?secret=[A-Z2-7]{32}&issuer=Touchstone&/,
    )
    const confirmed = await confirm(token, nextCode(enrolled.body.secret))
    expect(confirmed.status).toBe(200)
    expect(confirmed.body.recovery_codes).toHaveLength(10)
    expect(confirmed.headers['cache-control']).toBe('no-store')
    expect((await state(token)).body).toMatchObject({ enabled: true, recovery_codes_left: 10 })
    const me = await call('GET', '/v1/auth/me', { token })
    expect(me.body).toMatchObject({ second_factor: true })
  })

  it('400, 401, 403, 409: bad input, no session, a wrong password, nothing to confirm', async () => {
    const { token } = await app.newUser('refused@example.com')
    const bare = await call('POST', '/v1/auth/second-factor', { token, body: {} })
    expect(bare.status).toBe(400)
    expect((await enrol(undefined)).status).toBe(401)
    expect((await state()).status).toBe(401)
    expect((await state(app.first.api_key)).status).toBe(403)
    expect((await enrol(token, 'not the password')).status).toBe(403)
    expect((await confirm(token, '123456')).status).toBe(409)
    await enrol(token)
    expect(await confirm(token, '000000')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('code: ') },
    })
    expect((await confirm(token, '1')).status).toBe(400)
    expect((await confirm(undefined, '123456')).status).toBe(401)
  })

  it('200, 204: codes are replaced and the factor is switched off with password and code', async () => {
    const user = await protectedUser('change@example.com')
    const { token } = user
    expect((await enrol(token)).status).toBe(409)
    const send = (action: string, code: string, password = TEST_PASSWORD) =>
      call('POST', `/v1/auth/second-factor/${action}`, {
        token,
        body: { current_password: password, code },
      })
    for (const action of ['recovery-codes', 'disable']) {
      expect((await send(action, '000000')).status).toBe(400)
      expect((await send(action, nextCode(user.secret), 'not the password')).status).toBe(403)
      const anonymous = await call('POST', `/v1/auth/second-factor/${action}`, { body: {} })
      expect(anonymous.status).toBe(401)
    }
    const replaced = await send('recovery-codes', nextCode(user.secret))
    expect(replaced.status).toBe(200)
    expect(replaced.body.recovery_codes).not.toEqual(user.codes)
    const off = await send('disable', replaced.body.recovery_codes[0])
    expect(off).toMatchObject({ status: 204, text: '' })
    expect((await send('disable', '123456')).status).toBe(409)
    expect((await send('recovery-codes', '123456')).status).toBe(409)
  })
})

describe('POST /v1/auth/login/second-factor', () => {
  it('200: exchanges the challenge of a right password and a code for tokens', async () => {
    const user = await protectedUser('two@example.com')
    const first = await login(user.email)
    expect(first).toMatchObject({
      status: 200,
      body: {
        mfa_required: true,
        challenge_token: expect.stringMatching(/^tsm_[\w-]{43}$/),
        expires_in: 300,
      },
    })
    expect(first.body).not.toHaveProperty('access_token')
    const second = await answer(first.body.challenge_token, nextCode(user.secret))
    expect(second).toMatchObject({ status: 200, body: { token_type: 'Bearer' } })
    const again = await login(user.email)
    const recovered = await answer(again.body.challenge_token, user.codes[0])
    expect(recovered.status).toBe(200)
  })

  it('400, 401, 429: bad input, a wrong code or challenge, too many', async () => {
    const user = await protectedUser('wrong@example.com')
    const body = { challenge_token: 'tsm_x' }
    expect((await call('POST', '/v1/auth/login/second-factor', { body })).status).toBe(400)
    expect((await answer('tsm_x', '123456')).status).toBe(401)
    const { challenge_token: challenge } = (await login(user.email)).body
    for (let i = 0; i < 5; i += 1) {
      const wrong = await answer(challenge, '000000')
      expect(wrong).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    }
    expect((await answer(challenge, '000000')).status).toBe(429)
    expect((await answer(challenge, nextCode(user.secret))).status).toBe(401)
  })
})

describe('an organisation that requires a second factor', () => {
  const require = (token: string, value: boolean) =>
    call('PATCH', org, { token, body: { require_second_factor: value } })

  it('403 second_factor_required: refuses members without one until they enrol', async () => {
    const orgId = app.first.org_id
    const admin = await protectedUser('admin@example.com', { orgId, role: 'admin' })
    const member = await app.newUser('member@example.com', { orgId, role: 'member' })
    const owner = await app.ownerToken()
    // An owner without one would lock themselves out.
    expect(await require(owner, true)).toMatchObject({ status: 409 })
    expect(await require(admin.token, true)).toMatchObject({
      status: 200,
      body: { require_second_factor: true },
    })
    for (const token of [member.token, owner]) {
      const refused = await call('GET', org, { token })
      expect(refused).toMatchObject({ status: 403, body: { error: 'second_factor_required' } })
    }
    const me = await call('GET', '/v1/auth/me', { token: member.token })
    expect(me.body.orgs).toMatchObject([{ org_id: orgId, needs_second_factor: true }])
    // Keys are not people.
    expect((await call('GET', org, { token: app.first.api_key })).status).toBe(200)

    const { secret } = (await enrol(member.token)).body
    await confirm(member.token, nextCode(secret))
    expect((await call('GET', org, { token: member.token })).status).toBe(200)
    const fresh = await signIn({ email: member.email, secret })
    expect((await call('GET', org, { token: fresh })).status).toBe(200)

    const other = await signIn(admin)
    expect((await require(other, false)).status).toBe(200)
    expect((await call('GET', org, { token: owner })).status).toBe(200)
    const log = await call('GET', `${org}/audit-log?action=org.updated`, { token: owner })
    expect(log.body.entries[0].changes).toHaveProperty('requiresSecondFactor')
  })
})

import { describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'

const app = await testApp({ env: { BASE_URL: 'https://touchstone.example' } })
const { call } = app

const OWN_PAGE = { 'x-touchstone-dashboard': '1' }
const COOKIE = /^__Host-touchstone-session=(?<token>tsb_[\w-]{43}); /
const ANSWER = {
  access_token: expect.any(String),
  token_type: 'Bearer',
  expires_in: 900,
}

const me = (token: string) => call('GET', '/v1/auth/me', { token })
const start = (refreshToken: string, headers: Record<string, string> = OWN_PAGE) =>
  call('POST', '/v1/auth/browser-session', { body: { refresh_token: refreshToken }, headers })
const renew = (cookie: string, headers: Record<string, string> = OWN_PAGE) =>
  call('POST', '/v1/auth/browser-session/renew', { headers: { ...headers, cookie } })
const end = (cookie: string, headers: Record<string, string> = OWN_PAGE) =>
  call('DELETE', '/v1/auth/browser-session', { headers: { ...headers, cookie } })

const setCookie = ({ headers }: { headers: Record<string, unknown> }) =>
  String(headers['set-cookie'])
const cookieOf = (answer: Parameters<typeof setCookie>[0]) =>
  `__Host-touchstone-session=${COOKIE.exec(setCookie(answer))?.groups?.['token']}`

let count = 0
async function signedIn() {
  count += 1
  const user = await app.newUser(`browser-${count}@example.com`)
  const started = await start(user.refreshToken)
  return { user, started, cookie: cookieOf(started) }
}

describe('/v1/auth/browser-session', () => {
  it('200: moves a session into a cookie that scripts cannot read', async () => {
    const { user, started } = await signedIn()
    expect(started).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
    expect(started.body).toEqual({
      ...ANSWER,
      user: { user_id: user.userId, email: user.email },
    })
    expect(setCookie(started)).toMatch(COOKIE)
    expect(setCookie(started)).toContain(
      '; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure',
    )
    expect((await me(started.body.access_token)).status).toBe(200)
  })

  it('401: uses up the refresh token, and ends the session if it is used again', async () => {
    const { user, cookie } = await signedIn()
    expect((await start(user.refreshToken)).status).toBe(401)
    expect((await renew(cookie)).status).toBe(401)
  })

  it('200: ends the session that it replaces', async () => {
    const { started, cookie } = await signedIn()
    const next = await app.newUser('next@example.com')
    const answer = await start(next.refreshToken, { ...OWN_PAGE, cookie })
    expect(answer).toMatchObject({ status: 200, body: { user: { email: next.email } } })
    expect((await renew(cookie)).status).toBe(401)
    expect((await me(started.body.access_token)).status).toBe(401)
    expect((await renew(cookieOf(answer))).status).toBe(200)
  })

  it('200: renews for tabs at once, each with an access token, and extends the session', async () => {
    const { user, cookie } = await signedIn()
    app.clock.advance(29 * 86_400_000)
    const tabs = await Promise.all([renew(cookie), renew(cookie), renew(cookie)])
    for (const tab of tabs) {
      expect(tab).toMatchObject({ status: 200, body: ANSWER })
      expect(cookieOf(tab)).toBe(cookie)
      expect((await me(tab.body.access_token)).status).toBe(200)
    }
    app.clock.advance(29 * 86_400_000)
    const later = await renew(cookie)
    expect(later).toMatchObject({ status: 200, body: { user: { email: user.email } } })
    app.clock.advance(31 * 86_400_000)
    expect((await renew(cookie)).status).toBe(401)
  })

  it('401: renews neither without a cookie, nor with two, nor with a refresh token in it', async () => {
    const { cookie } = await signedIn()
    const other = await app.newUser('another@example.com')
    for (const wrong of [
      '',
      `${cookie}; ${cookie}`,
      'touchstone-session=tsb_1',
      `__Host-touchstone-session=${other.refreshToken}`,
    ]) {
      expect((await renew(wrong)).status).toBe(401)
    }
    const body = { refresh_token: cookie.split('=')[1] }
    expect((await call('POST', '/v1/auth/refresh', { body })).status).toBe(401)
    expect((await renew(cookie)).status).toBe(200)
  })

  it('204: ends the session in all tabs at once, and removes the cookie', async () => {
    const { started, cookie } = await signedIn()
    const tab = await renew(cookie)
    const ended = await end(cookie)
    expect(ended.status).toBe(204)
    expect(setCookie(ended)).toContain('__Host-touchstone-session=; Path=/; Max-Age=0; HttpOnly')
    for (const { body } of [started, tab]) expect((await me(body.access_token)).status).toBe(401)
    expect((await renew(cookie)).status).toBe(401)
    expect((await end(cookie)).status).toBe(204)
    expect((await end('')).status).toBe(204)
  })

  it('403: does nothing for pages of other sites', async () => {
    const { user, cookie } = await signedIn()
    const other = await app.newUser(`foreign-${user.userId}@example.com`)
    const foreign: Record<string, string>[] = [
      {},
      { 'x-touchstone-dashboard': '0' },
      { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' },
      { ...OWN_PAGE, 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign) {
      for (const refused of [
        await start(other.refreshToken, headers),
        await renew(cookie, headers),
        await end(cookie, headers),
      ]) {
        expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } })
        expect(refused.headers['set-cookie']).toBeUndefined()
      }
    }
    expect((await renew(cookie, { ...OWN_PAGE, 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await start(other.refreshToken)).status).toBe(200)
  })

  it('is not a header that other origins may send', async () => {
    const preflight = await call('OPTIONS', '/v1/auth/browser-session/renew', {
      headers: {
        origin: 'https://elsewhere.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-touchstone-dashboard',
      },
    })
    expect(preflight.headers['access-control-allow-headers']).toBeUndefined()
  })

  it('lists and ends the session as any other', async () => {
    const { started, cookie } = await signedIn()
    const token = started.body.access_token
    const { sessions } = (await call('GET', '/v1/auth/sessions', { token })).body
    const { session_id: id } = sessions.find(({ current }: { current: boolean }) => current)
    expect((await call('DELETE', `/v1/auth/sessions/${id}`, { token })).status).toBe(204)
    expect((await renew(cookie)).status).toBe(401)
  })
})

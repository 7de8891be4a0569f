import { describe, expect, it } from 'vitest'
import { TEST_PASSWORD, testApp } from '#harness/app.ts'

const app = await testApp()
const { call } = app

const list = (token?: string) => call('GET', '/v1/auth/sessions', { token })
const me = (token: string) => call('GET', '/v1/auth/me', { token })
const refresh = (token: string) =>
  call('POST', '/v1/auth/refresh', { body: { refresh_token: token } })

async function signIn(email: string, userAgent: string) {
  const body = { email, password: TEST_PASSWORD }
  const headers = { 'user-agent': userAgent }
  return (await call('POST', '/v1/auth/login', { body, headers })).body
}

describe('/v1/auth/sessions', () => {
  it('200: lists the sessions of the caller with their devices', async () => {
    const user = await app.newUser('list@example.com')
    const phone = await signIn(user.email, 'Phone/1.0')
    const { sessions } = (await list(phone.access_token)).body
    expect(sessions).toHaveLength(2)
    const current = sessions.filter((session: { current: boolean }) => session.current)
    expect(current).toEqual([
      {
        session_id: expect.stringMatching(/^ses-/),
        user_agent: 'Phone/1.0',
        address: '127.0.0.1',
        created_at: expect.any(String),
        last_used_at: expect.any(String),
        expires_at: expect.any(String),
        current: true,
      },
    ])
  })

  it('204, 404: ends one with all its tokens, once', async () => {
    const user = await app.newUser('end@example.com')
    const phone = await signIn(user.email, 'Phone/1.0')
    const { sessions } = (await list(user.token)).body
    const other = sessions.find((session: { current: boolean }) => !session.current)
    const end = (token: string | undefined) =>
      call('DELETE', `/v1/auth/sessions/${other.session_id}`, { token })
    const stranger = await app.newUser('stranger@example.com')
    expect((await end(stranger.token)).status).toBe(404)
    expect((await end(undefined)).status).toBe(401)
    expect(await end(user.token)).toMatchObject({ status: 204, text: '' })
    expect((await me(phone.access_token)).status).toBe(401)
    expect((await refresh(phone.refresh_token)).status).toBe(401)
    expect((await me(user.token)).status).toBe(200)
    expect((await end(user.token)).status).toBe(404)
  })

  it('200: signs out everywhere, here too', async () => {
    const user = await app.newUser('all@example.com')
    const phone = await signIn(user.email, 'Phone/1.0')
    const ended = await call('DELETE', '/v1/auth/sessions', { token: user.token })
    expect(ended).toMatchObject({ status: 200, body: { ended: 2 } })
    for (const token of [user.token, phone.access_token]) expect((await me(token)).status).toBe(401)
  })

  it('401, 403: without a session and with an API key', async () => {
    expect((await list()).status).toBe(401)
    expect((await list(app.first.api_key)).status).toBe(403)
    expect((await call('DELETE', '/v1/auth/sessions')).status).toBe(401)
  })
})

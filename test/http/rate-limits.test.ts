import { describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'

describe('rate limits', () => {
  it('count per caller and route, report the remaining requests, and reset with their window', async () => {
    const t = await testApp({ env: { RATE_LIMITS: 'on' } })
    const read = (token = t.first.api_key) =>
      t.call('GET', `/v1/orgs/${t.first.org_id}/members`, { token })
    const first = await read()
    expect(first.headers).toMatchObject({
      'ratelimit-limit': '60',
      'ratelimit-remaining': '59',
      'ratelimit-reset': '60',
      'ratelimit-policy': '60;w=60',
    })
    t.clock.advance(35_700)
    for (let n = 0; n < 59; n += 1) expect((await read()).status).toBe(200)
    const refused = await read()
    expect(refused).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
    expect(refused.headers['retry-after']).toBe('25')
    const other = await t.call('GET', `/v1/orgs/${t.first.org_id}`, { token: t.first.api_key })
    expect(other.status).toBe(200)
    t.clock.advance(24_300)
    expect((await read()).status).toBe(200)
  })

  it("limit a caller to the plan's requests per second", async () => {
    const t = await testApp({ env: { RATE_LIMITS: 'on', DEFAULT_PLAN: 'plan-free' } })
    const read = () => t.call('GET', `/v1/orgs/${t.first.org_id}`, { token: t.first.api_key })
    for (let n = 0; n < 10; n += 1) expect((await read()).status).toBe(200)
    const refused = await read()
    expect(refused.status).toBe(429)
    expect(refused.headers['retry-after']).toBe('1')
    t.clock.advance(1000)
    expect((await read()).status).toBe(200)
  })

  it('turn 401 into 429 after 30 failures a minute, but let valid credentials pass', async () => {
    const t = await testApp({ env: { RATE_LIMITS: 'on' } })
    const url = `/v1/orgs/${t.first.org_id}`
    for (let n = 0; n < 30; n += 1) {
      expect((await t.call('GET', url, { token: 'nonsense' })).status).toBe(401)
      t.clock.advance(100)
    }
    const refused = await t.call('GET', url, { token: 'nonsense' })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(50)
    expect((await t.call('GET', url, { token: t.first.api_key })).status).toBe(200)
    t.clock.advance(60_000)
    expect((await t.call('GET', url, { token: 'nonsense' })).status).toBe(401)
  })

  it('count sign-ins by client address, even with a credential', async () => {
    const t = await testApp({ env: { RATE_LIMITS: 'on', TRUSTED_HOPS: '1' } })
    const login = (address: string, token?: string) =>
      t.call('POST', '/v1/auth/login', {
        token,
        body: { email: t.first.email, password: t.first.password },
        headers: { 'x-forwarded-for': `6.6.6.6, ${address}` },
      })
    for (let n = 0; n < 10; n += 1) expect((await login('203.0.113.9')).status).toBe(200)
    expect((await login('203.0.113.9', t.first.api_key)).status).toBe(429)
    expect((await login('203.0.113.10')).status).toBe(200)
  })

  it('are disabled with RATE_LIMITS=off', async () => {
    const t = await testApp()
    const response = await t.call('GET', `/v1/orgs/${t.first.org_id}`, { token: t.first.api_key })
    expect(response.headers['ratelimit-limit']).toBeUndefined()
  })
})

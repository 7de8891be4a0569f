import type { AddressInfo } from 'node:net'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EXAMPLE_B, type ScoreWorld, scoreWorld } from '#harness/scores.ts'

let w: ScoreWorld
let origin = ''
let agentId = ''
beforeAll(async () => {
  w = await scoreWorld({ RATE_LIMITS: 'on' })
  await w.t.app.server.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(w.t.app.server.server.address() as AddressInfo).port}`
})
beforeEach(async () => {
  // Starts a new rate limit window.
  w.t.clock.advance(60_000)
  agentId = await w.agentWith(EXAMPLE_B)
  await w.recompute(agentId)
  await w.score(agentId)
  await w.badge(agentId)
})

const read = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${origin}${path}`, { headers })
  return {
    status: answer.status,
    text: await answer.text(),
    headers: Object.fromEntries(answer.headers),
  }
}
const PATHS = [
  ['score', ''],
  ['badge', '/badge.svg'],
] as const

describe.each(PATHS)('the cached %s', (what, suffix) => {
  const path = () => `/v1/reputation/${agentId}${suffix}`

  it('is the same bytes each time, with the headers of every response', async () => {
    const first = await read(path())
    const second = await read(path())
    expect(second.status).toBe(200)
    expect(second.text).toBe(first.text)
    expect(second.headers['etag']).toBe(first.headers['etag'])
    expect(second.headers).toMatchObject({
      'content-type':
        what === 'score' ? 'application/json; charset=utf-8' : 'image/svg+xml; charset=utf-8',
      'content-length': String(Buffer.byteLength(first.text)),
      'cache-control': `public, max-age=${what === 'score' ? 60 : 3600}`,
      'x-content-type-options': 'nosniff',
      'ratelimit-policy': `${what === 'score' ? 100 : 300};w=60`,
    })
    expect(second.headers['x-request-id']).toMatch(/^req-/)
    const named = await read(path(), { 'x-request-id': 'mine-1' })
    expect(named.headers['x-request-id']).toBe('mine-1')
  })

  it('counts against the rate limit, and is refused beyond it', async () => {
    const remaining = async () => Number((await read(path())).headers['ratelimit-remaining'])
    const before = await remaining()
    expect(await remaining()).toBe(before - 1)
    expect(await remaining()).toBe(before - 2)
    let last = await read(path())
    for (let n = 0; n < 10 && last.status === 200; n += 1) last = await read(path())
    expect(last.status).toBe(429)
    expect(last.headers).toHaveProperty('retry-after', '1')
    expect(JSON.parse(last.text)).toMatchObject({ error: 'rate_limited' })
  })

  it('is invalidated immediately when the agent becomes private', async () => {
    expect((await read(path())).text).toContain('875')
    const url = `/v1/agents/${agentId}`
    await w.t.call('PATCH', url, { token: w.key, body: { visibility: 'private' } })
    expect((await read(path())).text).not.toContain('875')
    const own = await read(path(), { authorization: `Bearer ${w.key}` })
    expect(own.text).toContain('875')
    expect(own.headers['cache-control']).toBe('private, no-store')
  })

  it('honours conditional requests, origins, methods and query parameters', async () => {
    const { headers } = await read(path())
    const known = await read(path(), { 'if-none-match': headers['etag'] ?? '' })
    expect(known).toMatchObject({ status: 304, text: '' })
    const elsewhere = await read(path(), { origin: 'https://pages.example' })
    expect(elsewhere.headers['access-control-allow-origin']).toBe('*')
    expect((await fetch(`${origin}${path()}`, { method: 'HEAD' })).status).toBe(200)
    expect((await read(`${path()}?variant=nothing`)).status).toBe(suffix === '' ? 200 : 400)
  })
})

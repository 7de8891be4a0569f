import type { AddressInfo } from 'node:net'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { EXAMPLE_B, type ScoreWorld, scoreWorld } from '#harness/scores.ts'

/** These belong to one request or one connection, not to the answer. */
const OWN = ['date', 'connection', 'keep-alive', 'x-request-id', 'ratelimit-remaining']

let w: ScoreWorld
let origin = ''
let agentId = ''
beforeAll(async () => {
  w = await scoreWorld({ RATE_LIMITS: 'on' })
  await w.t.app.server.listen({ host: '127.0.0.1', port: 0 })
  origin = `http://127.0.0.1:${(w.t.app.server.server.address() as AddressInfo).port}`
})
beforeEach(async () => {
  // Another window, and as many a second as anybody has.
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
const lasting = (headers: object) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.includes(name)))

const PATHS = [
  ['score', ''],
  ['badge', '/badge.svg'],
] as const

describe.each(PATHS)('the %s over the wire', (_, suffix) => {
  const path = () => `/v1/reputation/${agentId}${suffix}`

  it('is what the route answers, byte by byte and header by header', async () => {
    const usual = await w.t.call('GET', path())
    const hot = await read(path())
    expect(hot.status).toBe(200)
    expect(hot.text).toBe(usual.text)
    expect(lasting(hot.headers)).toEqual(lasting(usual.headers))
    expect(hot.headers['x-request-id']).toMatch(/^req-/)
    const named = await read(path(), { 'x-request-id': 'mine-1' })
    expect(named.headers['x-request-id']).toBe('mine-1')
  })

  it('counts in the same window as the route, which refuses', async () => {
    const remaining = async (answer: { headers: Record<string, unknown> }) =>
      Number(answer.headers['ratelimit-remaining'])
    const before = await remaining(await w.t.call('GET', path()))
    expect(await remaining(await read(path()))).toBe(before - 1)
    expect(await remaining(await w.t.call('GET', path()))).toBe(before - 2)
    let last = await read(path())
    for (let n = 0; n < 10 && last.status === 200; n += 1) last = await read(path())
    expect(last.status).toBe(429)
    expect(last.headers).toHaveProperty('retry-after', '1')
    expect(JSON.parse(last.text)).toMatchObject({ error: 'rate_limited' })
  })

  it('is gone at once when the agent is hidden', async () => {
    expect((await read(path())).text).toContain('875')
    const url = `/v1/agents/${agentId}`
    await w.t.call('PATCH', url, { token: w.key, body: { visibility: 'private' } })
    expect((await read(path())).text).not.toContain('875')
    const own = await read(path(), { authorization: `Bearer ${w.key}` })
    expect(own.text).toContain('875')
    expect(own.headers['cache-control']).toBe('private, no-store')
  })

  it('is for the route to answer when more than the plain read is asked', async () => {
    const { headers } = await read(path())
    const known = await read(path(), { 'if-none-match': headers['etag'] ?? '' })
    expect(known).toMatchObject({ status: 304, text: '' })
    const elsewhere = await read(path(), { origin: 'https://pages.example' })
    expect(elsewhere.headers['access-control-allow-origin']).toBe('*')
    expect((await fetch(`${origin}${path()}`, { method: 'HEAD' })).status).toBe(200)
    expect((await read(`${path()}?variant=nothing`)).status).toBe(suffix === '' ? 200 : 400)
  })
})

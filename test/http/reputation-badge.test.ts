import { sha256Hex } from '@touchstone/protocol/crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLE_B, type ScoreWorld, scoreWorld } from '#harness/scores.ts'

let w: ScoreWorld
/** An agent with a score of 875. */
let rated: string
beforeAll(async () => {
  w = await scoreWorld()
  rated = await w.agentWith(EXAMPLE_B)
  await w.recompute(rated)
})

const VARIANTS = ['score', 'score_tier', 'score_trend', 'compact']
const titleOf = (svg: string) => /<title>(.*)<\/title>/.exec(svg)?.[1]
const textsOf = (svg: string) => [...svg.matchAll(/<text [^>]*>([^<]*)</g)].map((found) => found[1])

/** The text that each variant shows. */
async function shown(agentId: string, call: { token?: string } = {}) {
  const badges = await Promise.all(
    VARIANTS.map((variant) => w.badge(agentId, `?variant=${variant}`, call)),
  )
  for (const { status } of badges) expect(status).toBe(200)
  return badges.map(({ text }) => textsOf(text))
}

const NOT_RATED = [
  ['Touchstone', 'Not Rated'],
  ['Touchstone', 'Not Rated'],
  ['Touchstone', 'Not Rated'],
  ['Not Rated'],
]

describe('a badge', () => {
  it('shows score, tier or trend of a rated agent; the compact variant only the score', async () => {
    expect(await shown(rated)).toEqual([
      ['Touchstone', '875'],
      ['Touchstone', '875 Established'],
      ['Touchstone', '875 →'],
      ['875'],
    ])
    const usual = await w.badge(rated)
    expect(usual.text).toBe((await w.badge(rated, '?variant=score')).text)
    const compact = await w.badge(rated, '?variant=compact')
    expect(titleOf(compact.text)).toBe('Touchstone: 875')
    expect(compact.text).toContain('fill="#2e7d32"')
  })

  it('shows the live progress of an agent that is building its record', async () => {
    const agentId = await w.newAgent()
    await w.sendCheckpoints(agentId, 23)
    const building = (progress: string) => [
      ['Touchstone', `Building ${progress}`],
      ['Touchstone', `Building ${progress}`],
      ['Touchstone', `Building ${progress}`],
      [progress],
    ]
    expect(await shown(agentId)).toEqual(building('23/50'))
    w.t.clock.advance(700_000)
    await w.sendCheckpoints(agentId, 1)
    expect(await shown(agentId)).toEqual(building('24/50'))
  })

  it('counts only the scoring set while an agent is building its record', async () => {
    const agentId = await w.agentWith({ clear: 7, excluded: 40 })
    expect((await shown(agentId))[3]).toEqual(['7/50'])
  })

  it('says Not Rated without evidence, and for private, unknown and archived agents', async () => {
    expect(await shown(await w.newAgent())).toEqual(NOT_RATED)
    expect(await shown('nobody-knows-it')).toEqual(NOT_RATED)
    const hidden = await w.agentWith(EXAMPLE_B, { visibility: 'private' })
    await w.recompute(hidden)
    expect(await shown(hidden)).toEqual(NOT_RATED)
    expect(await shown(hidden, { token: w.foreign })).toEqual(NOT_RATED)
    expect((await shown(hidden, { token: w.key }))[3]).toEqual(['875'])
    expect(await shown(hidden)).toEqual(NOT_RATED)
    const unlisted = await w.agentWith(EXAMPLE_B, { visibility: 'unlisted' })
    await w.recompute(unlisted)
    expect((await shown(unlisted))[3]).toEqual(['875'])
    const token = await w.t.ownerToken()
    await w.t.call('DELETE', `/v1/agents/${unlisted}`, { token })
    expect(await shown(unlisted)).toEqual(NOT_RATED)
    expect(await shown(unlisted, { token })).toEqual(NOT_RATED)
  })

  it('has the headers that a badge needs, and none that reveal a private agent', async () => {
    const { headers, text } = await w.badge(rated)
    const etag = `"${sha256Hex(text).slice(0, 16)}"`
    expect(headers).toMatchObject({
      'content-type': 'image/svg+xml; charset=utf-8',
      'cache-control': 'public, max-age=3600',
      'x-content-type-options': 'nosniff',
      etag,
    })
    const hidden = await w.agentWith(EXAMPLE_B, { visibility: 'private' })
    await w.recompute(hidden)
    const [unknown, others] = [await w.badge('nobody-knows-it'), await w.badge(hidden)]
    expect(others.text).toBe(unknown.text)
    expect(others.headers['cache-control']).toBe('public, max-age=3600')
    expect(Object.keys(others.headers)).toEqual(Object.keys(unknown.headers))
    const own = await w.badge(hidden, '', { token: w.key })
    expect(own.headers['cache-control']).toBe('private, no-store')
  })

  it('honours If-None-Match', async () => {
    const url = `/v1/reputation/${rated}/badge.svg?variant=score_tier`
    const { headers } = await w.t.call('GET', url)
    const etag = String(headers['etag'])
    for (const wanted of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await w.t.call('GET', url, { headers: { 'if-none-match': wanted } })
      expect([again.status, again.text], wanted).toEqual([304, ''])
      expect(again.headers).toMatchObject({ etag, 'cache-control': 'public, max-age=3600' })
    }
    const other = await w.t.call('GET', `/v1/reputation/${rated}/badge.svg`, {
      headers: { 'if-none-match': etag },
    })
    expect(other.status).toBe(200)
  })

  it('of an unknown variant is 404', async () => {
    for (const query of ['?variant=large', '?variant=', '?variant=score&variant=compact']) {
      const answer = await w.badge(rated, query)
      expect(answer, query).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
  })

  it("carries the operator's label, escaped", async () => {
    const own = await scoreWorld({ BADGE_LABEL: 'R & D <trust>' })
    const { text } = await own.badge('nobody-knows-it')
    expect(titleOf(text)).toBe('R &amp; D &lt;trust&gt;: Not Rated')
    expect(text).not.toMatch(/<script|href|url\(|<image/)
  })
})

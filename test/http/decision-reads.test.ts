import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

const DAY_MS = 86_400_000
const AGENT = 'read-agent'

let t: TestApp
let other: string
const ids: string[] = []

const decide = async (body: object) => {
  const url = '/v1/gateway/decide'
  const sent = { agent_id: AGENT, ...body }
  const answer = await t.call('POST', url, { token: t.first.api_key, body: sent })
  expect(answer.status).toBe(200)
  ids.push(answer.body.decision_id)
}

const read = (path: string, token = t.first.api_key) => t.call('GET', path, { token })

/** Two decisions of eight days ago, and three of now. */
beforeAll(async () => {
  t = await testApp()
  other = await otherOrgKey(t)
  const token = t.first.api_key
  await t.call('POST', '/v1/agents', { token, body: { agent_id: AGENT, name: 'Read' } })
  for (const tool of ['shop_a', 'shop_b']) await decide({ tool })
  t.clock.advance(8 * DAY_MS)
  for (const tool of ['shop_a', '=shop', 'shop_a']) await decide({ tool, session_id: 's-1' })
  t.clock.advance(1)
})

describe('GET /v1/decisions/stats', () => {
  it('counts by decision, tool, agent and source', async () => {
    const { status, body } = await read('/v1/decisions/stats?interval=day')
    expect(status).toBe(200)
    expect(body.interval).toBe('day')
    expect(body.totals).toEqual({ allow: 5 })
    expect(body.buckets).toHaveLength(31)
    expect(body.buckets.at(-1)).toMatchObject({
      start: '2026-03-09T00:00:00.000Z',
      counts: { allow: 3 },
      duration_ms: { p50: expect.any(Number), p99: expect.any(Number) },
    })
    const totals = async (by: string) =>
      (await read(`/v1/decisions/stats?interval=day&group_by=${by}`)).body.totals
    expect(await totals('tool')).toEqual({ shop_a: 3, shop_b: 1, '=shop': 1 })
    expect(await totals('agent')).toEqual({ [AGENT]: 5 })
    expect(await totals('source')).toEqual({ api: 5 })
    expect(body.duration_ms).toEqual({ p50: expect.any(Number), p99: expect.any(Number) })
  })

  it('counts only the decisions that are asked for', async () => {
    const totals = async (filter: string) =>
      (await read(`/v1/decisions/stats?interval=day&group_by=tool&${filter}`)).body.totals
    expect(await totals('decision=allow')).toEqual({ shop_a: 3, shop_b: 1, '=shop': 1 })
    expect(await totals('decision=block&decision=allow')).toEqual(await totals('decision=allow'))
    expect(await totals('decision=block')).toEqual({})
  })

  it('is the same after the counters are folded', async () => {
    const filtered = '/v1/decisions/stats?interval=day&group_by=tool&decision=allow'
    const before = (await read('/v1/decisions/stats?interval=day&group_by=tool')).body
    const beforeFiltered = (await read(filtered)).body
    await t.app.kernel.schedules.fireDue()
    t.clock.advance(60_000)
    await t.app.kernel.schedules.fireDue()
    await t.settle()
    expect((await read('/v1/decisions/stats?interval=day&group_by=tool')).body).toEqual(before)
    expect((await read(filtered)).body).toEqual(beforeFiltered)
  })

  it('rejects ranges and values out of bounds, and shows nothing of others', async () => {
    for (const bad of [
      'interval=week',
      'group_by=session',
      'from=2026-03-09T00:00:00Z&to=2026-03-08T00:00:00Z',
      'interval=day&from=2024-01-01T00:00:00Z&to=2026-03-01T00:00:00Z',
      'interval=minute&from=2026-03-01T00:00:00Z',
      'interval=hour&from=2025-11-01T00:00:00Z',
    ]) {
      const answer = await read(`/v1/decisions/stats?${bad}`)
      expect(answer, bad).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
    expect((await read('/v1/decisions/stats', other)).body.totals).toEqual({})
  })
})

describe('GET /v1/decisions/export', () => {
  it('is NDJSON with a header, the decisions newest first, and a trailer', async () => {
    const { status, text, headers } = await read('/v1/decisions/export')
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/x-ndjson')
    expect(headers['content-disposition']).toBe('attachment; filename="decisions-20260309.ndjson"')
    const lines = text.trimEnd().split('\n')
    const records = lines.map((line) => JSON.parse(line))
    expect(records[0]).toMatchObject({ record: 'header', org_id: t.first.org_id })
    expect(records.slice(1, -1).map((one) => one.decision_id)).toEqual([...ids].reverse())
    const { record, ...newest } = records[1]
    expect(record).toBe('decision')
    expect((await read(`/v1/decisions/${ids.at(-1)}`)).body).toEqual({ ...newest, log: null })
    const hashed = text.slice(0, text.length - (lines.at(-1) ?? '').length - 1)
    const sha256 = createHash('sha256').update(hashed).digest('hex')
    expect(records.at(-1)).toEqual({ record: 'trailer', counts: { decisions: 5 }, sha256 })
  })

  it('is CSV with a header row, and its figures as HTTP trailers', async () => {
    const answer = await t.app.server.inject({
      method: 'GET',
      url: '/v1/decisions/export?format=csv&session_id=s-1',
      headers: { authorization: `Bearer ${t.first.api_key}` },
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    const rows = answer.payload.split('\r\n')
    expect(rows).toHaveLength(5)
    expect(rows[0]?.startsWith('decision_id,org_id,agent_id,session_id,call_id,tool,')).toBe(true)
    expect(rows[2]).toContain(",'=shop,")
    expect(answer.trailers).toMatchObject({
      'x-touchstone-count': '3',
      'x-touchstone-sha256': createHash('sha256').update(answer.payload).digest('hex'),
    })
  })

  it('announces the HTTP trailers of a CSV file as a list, and sends these', async () => {
    const url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
    const request = get(`${url}/v1/decisions/export?format=csv`, {
      headers: { authorization: `Bearer ${t.first.api_key}` },
    })
    const [response]: IncomingMessage[] = await once(request, 'response')
    if (response === undefined) throw new Error('no response')
    const file = await textOf(response)
    const announced = response.headers.trailer?.split(',').map((name) => name.trim())
    expect(announced).toEqual(['X-Touchstone-Count', 'X-Touchstone-Sha256'])
    expect(response.headers).toMatchObject({ 'transfer-encoding': 'chunked' })
    expect(response.rawTrailers).toEqual([
      'X-Touchstone-Count',
      '5',
      'X-Touchstone-Sha256',
      createHash('sha256').update(file).digest('hex'),
    ])
  })

  it('is a whole CSV file without trailers for a client of HTTP/1.0', async () => {
    const { port } = t.app.server.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    const head = 'GET /v1/decisions/export?format=csv HTTP/1.0\r\nauthorization: Bearer '
    socket.write(`${head}${t.first.api_key}\r\n\r\n`)
    const [headers, file] = (await textOf(socket)).split('\r\n\r\n')
    expect(headers).toMatch(/^HTTP\/1.1 200 /)
    expect(headers).not.toMatch(/trailer|chunked/i)
    expect(file?.split('\r\n')).toHaveLength(7)
  })

  it('takes the filters of the list, and is for overseers only', async () => {
    const tools = (await read('/v1/decisions/export?tool=shop_b')).text.match(/"tool":"[^"]*"/g)
    expect(new Set(tools)).toEqual(new Set(['"tool":"shop_b"']))
    expect((await read('/v1/decisions/export?decision=maybe')).status).toBe(400)
    const invite = { orgId: t.first.org_id, role: 'member' }
    const member = await t.newUser('member@example.com', invite)
    const headers = { 'x-org-id': t.first.org_id }
    const refused = await t.call('GET', '/v1/decisions/export', { token: member.token, headers })
    expect(refused.status).toBe(403)
    expect((await read('/v1/decisions/export', other)).text).toContain('"decisions":0')
  })
})

describe('a plan with a short history', () => {
  it('hides older decisions everywhere', async () => {
    const plan = async (planId: string) => {
      const url = `/v1/admin/orgs/${t.first.org_id}/plan`
      const token = await t.ownerToken()
      expect((await t.call('PUT', url, { token, body: { plan_id: planId } })).status).toBe(200)
    }
    const seen = async () => [
      (await read('/v1/decisions')).body.decisions.length,
      (await read(`/v1/decisions/${ids[0]}`)).status,
      (await read('/v1/decisions/stats?interval=day')).body.totals.allow,
      (await read('/v1/decisions/export')).text.split('\n').length - 3,
    ]
    expect(await seen()).toEqual([5, 200, 5, 5])
    await plan('plan-free')
    expect(await seen()).toEqual([3, 404, 3, 3])
    await plan('plan-enterprise')
    expect(await seen()).toEqual([5, 200, 5, 5])
  })
})

describe('statistics of tools that are named like properties of objects', () => {
  it('count them as any other', async () => {
    const token = t.first.api_key
    await t.call('POST', '/v1/agents', { token, body: { agent_id: 'odd-agent', name: 'Odd' } })
    const tools = ['constructor', '__proto__', '__proto__', 'toString']
    for (const tool of tools) {
      const answer = await t.call('POST', '/v1/gateway/decide', {
        token,
        body: { agent_id: 'odd-agent', tool },
      })
      expect(answer.status).toBe(200)
    }
    const { text, body } = await read('/v1/decisions/stats?interval=day&group_by=tool')
    expect(body.totals).toMatchObject({ constructor: 1, toString: 1 })
    expect(text.match(/"__proto__":2/g)).toHaveLength(2)
  })
})

import { type AddressInfo, connect } from 'node:net'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { DecisionAnswer } from '../../packages/server/src/areas/governance/gateway/schema.ts'

const PATH = '/v1/gateway/decide'
const POLICY = {
  meta: { schema_version: '1.0', name: 'shop', scope: 'agent' },
  capability_mappings: { shop: { tools: ['search'], card_actions: ['serve'] } },
  forbidden: [{ pattern: 'shell*', reason: 'No shell', severity: 'critical' }],
  escalation_triggers: [{ condition: 'args.amount > 100', action: 'deny', reason: 'Too much' }],
  defaults: { enforcement_mode: 'enforce' },
}

let t: TestApp
let port = 0
let key = ''
let reader = ''

beforeAll(async () => {
  t = await testApp({ env: { RATE_LIMITS: 'on' } })
  await t.app.server.listen({ host: '127.0.0.1', port: 0 })
  port = (t.app.server.server.address() as AddressInfo).port
  key = t.first.api_key
  const created = await t.call('POST', `/v1/orgs/${t.first.org_id}/api-keys`, {
    token: await t.ownerToken(),
    body: { name: 'reader', scopes: ['read'] },
  })
  reader = created.body.key
  await t.call('POST', '/v1/agents', { token: key, body: { agent_id: 'hot-1' } })
  await t.call('POST', '/v1/agents', { token: key, body: { agent_id: 'hot-killed' } })
  await t.call('PUT', '/v1/agents/hot-1/policy', { token: key, body: POLICY })
  const killed = await t.call('POST', `/v1/orgs/${t.first.org_id}/agents/hot-killed/kill`, {
    token: await t.ownerToken(),
    body: { reason: 'Enough' },
  })
  expect(killed).toMatchObject({ status: 200 })
})
beforeEach(() => {
  // Starts a new rate limit window.
  t.clock.advance(60_000)
})

type Sent = { token?: string; body: string; headers?: Record<string, string> }

const headersOf = ({ token = key, headers = {} }: Sent) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
  ...headers,
})
const overTheWire = async (sent: Sent) => {
  const url = `http://127.0.0.1:${port}${PATH}`
  const answer = await fetch(url, { method: 'POST', headers: headersOf(sent), body: sent.body })
  return {
    status: answer.status,
    text: await answer.text(),
    headers: Object.fromEntries(answer.headers),
  }
}
const bodyWith = (more: object = {}) =>
  JSON.stringify({ agent_id: 'hot-1', tool: 'search', ...more })

describe('a decision over a real connection', () => {
  it.each<[string, () => Sent, number]>([
    ['that allows', () => ({ body: bodyWith({ session_id: 's', arguments: { order: 1 } }) }), 200],
    ['that blocks', () => ({ body: bodyWith({ tool: 'shell_run' }) }), 200],
    ['that a trigger denies', () => ({ body: bodyWith({ arguments: { amount: 101 } }) }), 200],
    ['about a contained agent', () => ({ body: bodyWith({ agent_id: 'hot-killed' }) }), 403],
    ['about an unknown agent', () => ({ body: bodyWith({ agent_id: 'nobody' }) }), 404],
    ['about an unknown transaction', () => ({ body: bodyWith({ transaction_id: 'txn-0' }) }), 404],
    ['without an agent', () => ({ body: '{"tool":"search"}' }), 400],
    ['for malformed JSON', () => ({ body: '{"agent_id":' }), 400],
    ['for a body with a duplicate key', () => ({ body: '{"tool":"a","tool":"b"}' }), 400],
    ['for an empty body', () => ({ body: '' }), 400],
    ['about a tool with a space', () => ({ body: bodyWith({ tool: 'a b' }) }), 400],
    ['for a read-only API key', () => ({ body: bodyWith(), token: reader }), 403],
    ['for an unknown API key', () => ({ body: bodyWith(), token: `${key.slice(0, -1)}_` }), 401],
    ['with a request id', () => ({ body: bodyWith(), headers: { 'x-request-id': 'mine-1' } }), 200],
    [
      'with a header that applies only to people',
      () => ({ body: bodyWith(), headers: { 'x-org-id': 'org-none' } }),
      200,
    ],
  ])('%s has its status and its own request id, and is not cached', async (_, sent, status) => {
    const answer = await overTheWire(sent())
    expect(answer.status).toBe(status)
    expect(() => JSON.parse(answer.text)).not.toThrow()
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.text)),
      'x-content-type-options': 'nosniff',
      'x-request-id': sent().headers?.['x-request-id'] ?? expect.stringMatching(/^req-/),
    })
    if (status !== 401) expect(answer.headers).toHaveProperty('ratelimit-remaining')
  })

  it('is JSON that matches the schema, and its receipt is the signed statement', async () => {
    const { text } = await overTheWire({ body: bodyWith({ arguments: { text: 'größer' } }) })
    const answer = JSON.parse(text)
    // `recorded` is present only while the database is down.
    const fields = Object.keys(DecisionAnswer.properties).filter((name) => name !== 'recorded')
    expect(Object.keys(answer)).toEqual(fields)
    expect(JSON.stringify(answer)).toBe(text)
    const { keys } = (await t.call('GET', '/v1/keys')).body
    expect(verifyDecisionReceipt(answer.receipt, keys)).toMatchObject({ valid: true })
  })

  it('is counted once per call', async () => {
    const remaining = async () =>
      Number((await overTheWire({ body: bodyWith() })).headers['ratelimit-remaining'])
    const first = await remaining()
    expect(await remaining()).toBe(first - 1)
    expect(await remaining()).toBe(first - 2)
  })

  it('is replayed for an idempotency key, limited in size, and refused in another media type', async () => {
    const headers = { 'idempotency-key': 'hot-1' }
    const first = await overTheWire({ body: bodyWith(), headers })
    const second = await overTheWire({ body: bodyWith(), headers })
    expect(second.text).toBe(first.text)
    const large = bodyWith({ arguments: { text: 'x'.repeat(1_100_000) } })
    expect((await overTheWire({ body: large })).text).toContain('1048576')
    const origin = { origin: 'https://app.example' }
    expect((await overTheWire({ body: bodyWith(), headers: origin })).status).toBe(200)
    const yaml = await overTheWire({ body: 'a: 1', headers: { 'content-type': 'text/yaml' } })
    expect(yaml.status).toBe(415)
  })

  it('handles a body in several chunks, and pipelined calls on one connection', async () => {
    const body = bodyWith()
    const head = `POST ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`
    const line = connect(port, '127.0.0.1')
    let heard = ''
    line.on('data', (chunk) => {
      heard += String(chunk)
    })
    line.write(head + body.slice(0, 10))
    await new Promise((resolve) => setTimeout(resolve, 30))
    line.write(body.slice(10) + head + body)
    await expect.poll(() => heard.match(/"decision":"allow"/g)?.length).toBe(4)
    line.destroy()
  })

  it('survives a client that disconnects, without affecting other clients', async () => {
    const line = connect(port, '127.0.0.1')
    line.write(
      `POST ${PATH} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
    )
    await new Promise((resolve) => setTimeout(resolve, 30))
    line.destroy()
    expect((await overTheWire({ body: bodyWith() })).status).toBe(200)
  })
})

import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

let t: TestApp
let other: string
const AGENT = 'ledger-agent'

const POLICY = {
  meta: { schema_version: '1.0', name: 'shop', scope: 'agent' },
  capability_mappings: { shop: { tools: ['shop_*'], card_actions: ['serve'] } },
  forbidden: [{ pattern: 'shop_wipe', reason: 'Nobody wipes', severity: 'critical' }],
  defaults: { enforcement_mode: 'enforce' },
}

const decide = (body: object, headers: Record<string, string> = {}) =>
  t.call('POST', '/v1/gateway/decide', {
    token: t.first.api_key,
    body: { agent_id: AGENT, ...body },
    headers,
  })

const read = (path: string, token = t.first.api_key) => t.call('GET', path, { token })

beforeAll(async () => {
  t = await testApp()
  other = await otherOrgKey(t)
  const token = t.first.api_key
  await t.call('POST', '/v1/agents', { token, body: { agent_id: AGENT, name: 'Ledger' } })
  await t.call('PUT', `/v1/agents/${AGENT}/policy`, { token, body: POLICY })
})

describe('a decision', () => {
  it('can be read as it was answered, with the same receipt', async () => {
    const asked = { tool: 'shop_wipe', arguments: { all: true }, session_id: 's-1', call_id: 'c-1' }
    const { status, body } = await decide(asked, { 'x-touchstone-client': 'claude-code/2.1' })
    expect(status).toBe(200)
    expect(body.decision).toBe('block')
    const stored = await read(`/v1/decisions/${body.decision_id}`)
    expect(stored.status).toBe(200)
    const { notices: _, ...answered } = body
    expect(stored.body).toMatchObject(answered)
    expect(JSON.stringify(stored.body.receipt)).toBe(JSON.stringify(body.receipt))
    expect(stored.body).toMatchObject({
      org_id: t.first.org_id,
      agent_id: AGENT,
      session_id: 's-1',
      call_id: 'c-1',
      source: 'api',
      enforced: true,
      client: 'claude-code/2.1',
      outcome: null,
    })
    const { body: keys } = await t.call('GET', '/v1/keys')
    expect(verifyDecisionReceipt(stored.body.receipt, keys.keys).valid).toBe(true)
  })

  it('of a contained agent is stored as a block', async () => {
    const token = t.first.api_key
    await t.call('POST', '/v1/agents', { token, body: { agent_id: 'contained', name: 'C' } })
    const pause = `/v1/orgs/${t.first.org_id}/agents/contained/pause`
    await t.call('POST', pause, { token, body: { reason: 'Look first' } })
    const refused = await decide({ agent_id: 'contained', tool: 'shop_read' })
    expect(refused).toMatchObject({ status: 403, body: { decision: 'block' } })
    expect(await read(`/v1/decisions/${refused.body.decision_id}`)).toMatchObject({
      status: 200,
      body: { decision: 'block', reasons: [{ code: 'agent_paused' }] },
    })
  })

  it('is unknown to other organisations, and so is a malformed id', async () => {
    const { body } = await decide({ tool: 'shop_read' })
    for (const [path, token] of [
      [`/v1/decisions/${body.decision_id}`, other],
      ['/v1/decisions/dec-00000000-0000-7000-8000-000000000000', t.first.api_key],
      ['/v1/decisions/nothing', t.first.api_key],
    ] as const) {
      expect(await read(path, token)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    }
  })
})

describe('the list of decisions', () => {
  it('is paged by a cursor, newest first, and filtered', async () => {
    const ids: string[] = []
    for (const tool of ['shop_a', 'shop_b', 'shop_a', 'shop_wipe']) {
      ids.push((await decide({ tool, session_id: 'listed' })).body.decision_id)
    }
    const page = async (query: string) =>
      (await read(`/v1/decisions?session_id=listed${query}`)).body
    const idsOf = (body: { decisions: { decision_id: string }[] }) =>
      body.decisions.map((one) => ids.indexOf(one.decision_id))
    expect(idsOf(await page(''))).toEqual([3, 2, 1, 0])
    expect(idsOf(await page('&tool=shop_a'))).toEqual([2, 0])
    expect(idsOf(await page('&decision=block&decision=escalate'))).toEqual([3])
    expect(idsOf(await page('&decision=block'))).toEqual([3])
    const first = await page('&limit=3')
    expect(idsOf(first)).toEqual([3, 2, 1])
    const second = await page(`&limit=3&cursor=${encodeURIComponent(first.next_cursor)}`)
    expect(idsOf(second)).toEqual([0])
    expect(second.next_cursor).toBeNull()
  })

  it('rejects bad limits, and cursors that are forged or of another organisation', async () => {
    await decide({ tool: 'shop_a' })
    const { body } = await read('/v1/decisions?limit=1')
    const cursor = encodeURIComponent(body.next_cursor)
    const forged = encodeURIComponent(`${body.next_cursor.slice(0, -6)}AAAAA=`)
    for (const [query, token] of [
      ['limit=0', t.first.api_key],
      ['limit=201', t.first.api_key],
      ['decision=maybe', t.first.api_key],
      ['tool=shop_a&tool=shop_b', t.first.api_key],
      ['outcome=unknown', t.first.api_key],
      ['from=yesterday', t.first.api_key],
      [`cursor=${forged}`, t.first.api_key],
      ['cursor=x', t.first.api_key],
      [`cursor=${cursor}`, other],
    ] as const) {
      expect(await read(`/v1/decisions?${query}`, token), query).toMatchObject({
        status: 400,
        body: { error: 'invalid_request' },
      })
    }
  })
})

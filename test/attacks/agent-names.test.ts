import { describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { otherOrgKey } from '#harness/other-org-key.ts'

/** A stranger takes names that look like a trusted agent's, or reads which names exist. */
const t = await testApp({ env: { RATE_LIMITS: 'on' } })
const stranger = await otherOrgKey(t)

const register = (agentId: string, token = stranger) =>
  t.call('POST', '/v1/agents', { token, body: { agent_id: agentId } })

describe('a stranger who registers agents', () => {
  it('gets no name that passes for another organisation’s', async () => {
    const made = await t.call('POST', '/v1/agents', {
      token: t.first.api_key,
      body: { agent_id: 'billing-oracle.1', visibility: 'private' },
    })
    expect(made.status).toBe(201)
    for (const name of ['Billing-Oracle.1', 'b1lling-oracle.l', 'billing_0racle-1']) {
      const refused = await register(name)
      expect(refused).toMatchObject({ status: 409, body: { error: 'similar_id' } })
      expect(refused.text).not.toContain('billing-oracle.1')
      t.clock.advance(60_000)
    }
  })

  it('finds at most six of the names in use a minute', async () => {
    t.clock.advance(60_000)
    const statuses: number[] = []
    for (let n = 0; n < 20; n += 1) statuses.push((await register('billing-oracle.1')).status)
    expect(statuses.filter((status) => status === 409)).toHaveLength(6)
    expect(statuses.slice(6)).toEqual(Array.from({ length: 14 }, () => 429))
    t.clock.advance(60_000)
    expect((await register('stranger-own-name')).status).toBe(201)
  })

  it('pays for a repeated refusal with an Idempotency-Key as for a new one', async () => {
    t.clock.advance(60_000)
    const statuses: number[] = []
    for (let n = 0; n < 8; n += 1) {
      const answer = await t.call('POST', '/v1/agents', {
        token: stranger,
        body: { agent_id: 'billing-oracle.1' },
        headers: { 'idempotency-key': 'probe' },
      })
      statuses.push(answer.status)
    }
    expect(statuses.filter((status) => status === 409)).toHaveLength(6)
  })

  it('learns nothing by an invalid card: the card is judged before the name', async () => {
    t.clock.advance(60_000)
    const body = { card: { principal: {} } }
    const answers = await Promise.all(
      ['billing-oracle.1', 'free-name'].map((name) =>
        t.call('POST', '/v1/agents', { token: stranger, body: { ...body, agent_id: name } }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([400, 400])
    expect(answers[0]?.body).toEqual(answers[1]?.body)
  })

  it('does not learn of traces by their ids', async () => {
    const action = { type: 'execute', name: 'search', category: 'bounded' }
    const decision = { selected: 'a', selection_reasoning: 'It fits.', values_applied: [] }
    const send = (agentId: string, token: string) =>
      t.call('POST', '/v1/traces', {
        token,
        body: { agent_id: agentId, trace_id: 'order-1182', action, decision },
      })
    expect((await send('billing-oracle.1', t.first.api_key)).status).toBe(201)
    const get = () => t.call('GET', '/v1/traces/order-1182', { token: stranger })
    expect((await get()).status).toBe(404)
    expect((await send('stranger-own-name', stranger)).status).toBe(201)
    expect((await get()).body.agent_id).toBe('stranger-own-name')
  })
})

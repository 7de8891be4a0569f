import { type Certificate, verifyCertificate } from '@touchstone/protocol/evidence'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkpointWorld, textOf, type World } from '#harness/checkpoints.ts'

/**
 * An agent's own side tries to look as if somebody had watched it. Before records had an origin,
 * every one of its claims looked like evidence that a guard had sent.
 */
let w: World
let agentId: string
let guard: string
let keys: { key_id: string; public_key: string }[]

beforeAll(async () => {
  w = await checkpointWorld()
  agentId = await w.newAgent()
  guard = await newKey({ client: 'mcp_guard', agent_id: agentId })
  keys = (await w.t.call('GET', '/v1/keys')).body.keys
})

async function newKey(changes: object): Promise<string> {
  const body = { scopes: ['read', 'ingest', 'decide'], ...changes }
  return (await w.t.call('POST', '/v1/api-keys', { token: await w.t.ownerToken(), body })).body.key
}

async function decide(agent = agentId, token = guard): Promise<string> {
  const body = { agent_id: agent, tool: 'search', session_id: 's' }
  return (await w.t.call('POST', '/v1/gateway/decide', { token, body })).body.decision_id
}

let number = 0
const submit = (token: string, body: object) => {
  number += 1
  return w.post(agentId, { thinking: textOf(number), session_id: 's', ...body }, token)
}

const relayedCount = async () =>
  (await w.get(`/v1/agents/${agentId}/checkpoints?provenance=relayed`)).body.total

describe('an agent that wants to look watched', () => {
  it('gains nothing by saying so, in any spelling', async () => {
    for (const claim of [
      { provenance: 'observed' },
      { provenance: 'relayed' },
      { received_at: '2026-01-01T00:00:00.000Z' },
    ]) {
      expect((await submit(guard, claim)).status).toBe(400)
    }
    const headers = { 'x-touchstone-client': 'mcp_guard', 'x-touchstone-provenance': 'observed' }
    const answer = await w.t.call('POST', `/v1/agents/${agentId}/checkpoints`, {
      token: w.key,
      headers,
      body: { thinking: textOf(900), Provenance: 'observed', source: 'model_gateway' },
    })
    expect(answer.body.checkpoint.provenance).toBe('reported')
  })

  it('cannot make a hundred claims from one decision, one by one, in batches or at once', async () => {
    const decisionId = await decide()
    const items = Array.from({ length: 50 }, (_, i) => ({
      agent_id: agentId,
      session_id: 's',
      thinking: textOf(1000 + i),
      decision_ids: [decisionId],
    }))
    await Promise.all([
      w.batch(items, guard),
      w.batch(items.toReversed(), guard),
      ...items.slice(0, 10).map((item) => w.post(agentId, item, guard)),
    ])
    expect(await relayedCount()).toBe(1)
  })

  it('cannot borrow decisions of another agent, session or organisation', async () => {
    const before = await relayedCount()
    const sibling = await w.newAgent()
    const foreign = await w.newAgent({ agent_id: 'borrowed-from' }, w.foreign)
    const own = await decide()
    for (const decision_ids of [
      [await decide(sibling, w.key)],
      [own, await decide(sibling, w.key)],
      [await decide(foreign, w.foreign)],
    ]) {
      expect((await submit(guard, { decision_ids })).status).toBe(400)
    }
    expect((await submit(guard, { decision_ids: [own], session_id: 'other' })).status).toBe(400)
    expect(await relayedCount()).toBe(before)
  })

  it('cannot relay with a key of the whole organisation or of another client', async () => {
    const before = await relayedCount()
    const tokens = [
      await newKey({ client: 'mcp_guard' }),
      await newKey({ client: 'api', agent_id: agentId }),
      w.key,
    ]
    for (const token of tokens) {
      expect((await submit(token, { decision_ids: [await decide()] })).status).toBe(201)
    }
    expect(await relayedCount()).toBe(before)
  })

  it('cannot change what a certificate says about it, nor where to get the keys', async () => {
    const { body } = await submit(w.key, {})
    const url = `/v1/checkpoints/${body.checkpoint.checkpoint_id}/certificate`
    const certificate: Certificate = (await w.get(url)).body
    const { subject, verification } = certificate
    const forged = [
      { ...certificate, subject: { ...subject, provenance: 'observed' } },
      { ...certificate, subject: { ...subject, decision_ids: [await decide()] } },
      { ...certificate, verification: { ...verification, keys_url: 'https://evil.example/keys' } },
      { ...certificate, version: '1.0.0' },
    ]
    for (const document of forged) {
      const outcome = verifyCertificate(document, keys)
      expect(outcome.wellFormed && outcome.verification.valid).toBe(false)
    }
  })
})

import { hexToBytes } from '@touchstone/protocol/base'
import {
  opensLogEntry,
  parseTlogPolicy,
  parseTlogProof,
  verifyByPolicy,
  verifyTlogProof,
  writeLogEntry,
} from '@touchstone/protocol/log'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf, VIOLATION } from '#harness/checkpoints.ts'

let t: TestApp

const JSON_ACCEPTED = { accept: 'application/json' }

const ok = async (method: string, url: string, body?: unknown, token = t.first.api_key) => {
  const answer = await t.call(method, url, { token, ...(body === undefined ? {} : { body }) })
  expect(answer.status, `${method} ${url}: ${answer.text}`).toBeLessThan(300)
  return answer.body
}

const policyOf = async () => {
  const { text } = await t.call('GET', '/v1/log/policy')
  const policy = parseTlogPolicy(text)
  if (!policy.ok) throw new Error(policy.reason)
  return policy.value
}

/** Reads the proof of a record and verifies it, and everything that came with it. */
const proofOf = async (
  recordId: string,
  type?: string,
  token: string | undefined = t.first.api_key,
) => {
  const query = type === undefined ? '' : `?type=${type}`
  const url = `/v1/log/proof/${encodeURIComponent(recordId)}${query}`
  const { status, body, text } = await t.call('GET', url, { token, headers: JSON_ACCEPTED })
  expect(status, text).toBe(200)
  const proof = parseTlogProof(body.proof)
  if (!proof.ok) throw new Error(proof.reason)
  const entry = writeLogEntry(body.entry)
  const verified = verifyTlogProof(proof.value, { entry, policy: await policyOf() })
  expect(verified).toMatchObject({ ok: true })
  const opening = { nonce: hexToBytes(body.nonce), record: body.record }
  expect(opensLogEntry(body.entry, opening)).toBe(true)
  expect(body.index).toBe(proof.value.index)
  return body
}

beforeAll(async () => {
  t = await testApp()
  await ok('POST', '/v1/agents', { agent_id: 'clerk', card: CARD })
})

describe('the checkpoint of the log', () => {
  it('is a signed note that the policy verifies', async () => {
    await t.app.sequenceLog()
    const answer = await t.call('GET', '/log/checkpoint')
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8')
    expect(answer.headers['cache-control']).toBe('no-store')
    const trusted = verifyByPolicy(answer.text, await policyOf())
    expect(trusted).toMatchObject({ ok: true, value: { origin: 'localhost:8787/log' } })
  })

  it('can be read by pages of other origins', async () => {
    const headers = { origin: 'https://verifier.example' }
    const answer = await t.call('GET', '/log/checkpoint', { headers })
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  })

  it('is signed by a key of its own, published with its use', async () => {
    const { keys } = (await t.call('GET', '/v1/keys')).body
    const [own] = keys.filter(({ use }: { use: string }) => use === 'log')
    const [log] = (await policyOf()).logs
    expect(own.public_key).toBe(Buffer.from(log?.key.publicKey ?? []).toString('hex'))
    expect(keys.filter(({ use }: { use: string }) => use === 'sig')).toHaveLength(1)
  })
})

describe('records in the log', () => {
  let decisionId: string
  let checkpointId: string

  beforeAll(async () => {
    const decided = await ok('POST', '/v1/gateway/decide', { agent_id: 'clerk', tool: 'search' })
    decisionId = decided.decision_id
    const checkpoints = Array.from({ length: 3 }, (_, n) => ({
      agent_id: 'clerk',
      session_id: 's1',
      thinking: textOf(n, n === 1 ? VIOLATION : ''),
    }))
    const { results } = await ok('POST', '/v1/checkpoints/batch', { checkpoints })
    checkpointId = results[1].checkpoint_id
  })

  it('are not proven before the next round', async () => {
    const url = `/v1/log/proof/${checkpointId}`
    const answer = await t.call('GET', url, { token: t.first.api_key })
    expect(answer.status).toBe(409)
    expect(answer.body).toMatchObject({ error: 'not_yet_logged', age_ms: 0 })
  })

  it('are entered and proven', async () => {
    await t.app.sequenceLog()
    const { record, entry } = await proofOf(checkpointId)
    expect(record).toMatchObject({ checkpoint_id: checkpointId, agent_id: 'clerk', position: 1 })
    expect(entry.type).toBe('checkpoint')
  })

  it('are proven for a decision by the head of its batch', async () => {
    const decision = await ok('GET', `/v1/decisions/${decisionId}`)
    const { record, index } = await proofOf(decisionId)
    expect(record.root).toBe(decision.receipt.batch.root)
    expect(decision.log_index).toBe(index)
    const listed = await ok('GET', '/v1/decisions')
    expect(listed.decisions[0].log_index).toBe(index)
  })
})

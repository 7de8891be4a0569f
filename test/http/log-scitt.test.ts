import { createPublicKey } from 'node:crypto'
import { Sign1 } from '@auth0/cose'
import { base64ToBytes } from '@touchstone/protocol/base'
import { parseTlogProof } from '@touchstone/protocol/log'
import { receipt as receipts } from '@transmute/cose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD } from '#harness/checkpoints.ts'

let t: TestApp
let decisionId: string

/** COSE messages are read by libraries of others: the receipt by one, signatures by another. */
type Answer = { statement: Uint8Array; receipt: Uint8Array }

const scittOf = async (recordId: string): Promise<Answer> => {
  const { status, body, text } = await t.call('GET', `/v1/log/scitt/${recordId}`, {
    token: t.first.api_key,
  })
  expect(status, text).toBe(200)
  const [statement, receipt] = [base64ToBytes(body.statement), base64ToBytes(body.receipt)]
  if (statement === undefined || receipt === undefined) throw new Error('not base64')
  return { statement, receipt }
}

const logKey = async () => {
  const { keys } = (await t.call('GET', '/v1/keys')).body
  const { kty, crv, x } = keys.find(({ use }: { use: string }) => use === 'log')
  return createPublicKey({ key: { kty, crv, x }, format: 'jwk' })
}

const bufferOf = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer

/** Computes the root from the path, and verifies the signature over it. */
const verifyReceipt = async (entry: Uint8Array, receipt: Uint8Array) => {
  const key = await logKey()
  await receipts.inclusion.verify({
    entry: await receipts.leaf(entry),
    receipt: bufferOf(receipt),
    verifier: {
      async verify({ coseSign1, payload }) {
        const detachedPayload = new Uint8Array(payload)
        await Sign1.decode(new Uint8Array(coseSign1)).verify(key, { detachedPayload })
        return payload
      },
    },
  })
}

const changed = (bytes: Uint8Array, at: number): Uint8Array =>
  bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))

beforeAll(async () => {
  t = await testApp()
  const token = t.first.api_key
  await t.call('POST', '/v1/agents', { token, body: { agent_id: 'clerk', card: CARD } })
  for (let n = 0; n < 5; n++) {
    const body = { agent_id: 'clerk', tool: `search-${n}` }
    decisionId = (await t.call('POST', '/v1/gateway/decide', { token, body })).body.decision_id
  }
  await t.app.sequenceLog()
})

describe('a SCITT statement and its receipt', () => {
  it('are verified by COSE libraries of others', async () => {
    const { statement, receipt } = await scittOf(decisionId)
    const signed = Sign1.decode(statement)
    await signed.verify(await logKey())
    await verifyReceipt(signed.payload, receipt)
  })

  it('have the entry itself as payload', async () => {
    const { statement } = await scittOf(decisionId)
    const { text } = await t.call('GET', `/v1/log/proof/${decisionId}`, { token: t.first.api_key })
    const proof = parseTlogProof(text)
    if (!proof.ok) throw new Error(proof.reason)
    expect(Buffer.from(Sign1.decode(statement).payload)).toEqual(
      Buffer.from(proof.value.extra ?? []),
    )
  })

  it('are refused with another entry, another path or another root', async () => {
    const { statement, receipt } = await scittOf(decisionId)
    const { payload } = Sign1.decode(statement)
    await expect(verifyReceipt(changed(payload, 10), receipt)).rejects.toThrow()
    const last = receipt.length - 1
    await expect(verifyReceipt(payload, changed(receipt, last))).rejects.toThrow()
    const inPath = receipt.length - 64 - 10
    await expect(verifyReceipt(payload, changed(receipt, inPath))).rejects.toThrow()
  })

  it('are given to nobody who cannot read the record, and not before it is logged', async () => {
    const url = `/v1/log/scitt/${decisionId}`
    const stranger = await t.newUser('stranger@example.com')
    expect((await t.call('GET', url, { token: stranger.token })).status).toBe(404)
    const token = t.first.api_key
    const body = { agent_id: 'clerk', tool: 'late' }
    const { decision_id } = (await t.call('POST', '/v1/gateway/decide', { token, body })).body
    const answer = await t.call('GET', `/v1/log/scitt/${decision_id}`, { token })
    expect(answer.body).toMatchObject({ error: 'not_yet_logged' })
  })
})

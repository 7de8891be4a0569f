import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { headersOf, hmacSignature } from './signature.ts'

const SECRET = `whsec_${'0123456789abcdef'.repeat(4)}`

const delivery = {
  deliveryId: 'whd-1',
  eventId: 'evt-1',
  eventType: 'drift.resolved',
  body: '{"id":"evt-1"}',
  attempt: 2,
}
const signing = { timestamp: 1772323200, secret: SECRET, previous: undefined, ed25519: 'c2ln' }

describe('the signature', () => {
  it.each([
    {
      timestamp: 1772323200,
      body: '{"id":"evt-1","type":"drift.resolved","created_at":"2026-03-01T00:00:00.000Z","account_id":"ba-1","data":{"alert_id":"ida-1","agent_id":"agent-1","org_id":"org-1","resolution":"acknowledged","acknowledged_by":"user-1"}}',
      signature: 'v1=2126eca41910d6825d4dc1c203fb0a758b3b60931a35277f167d1adb52918db9',
    },
    {
      timestamp: 1772323201,
      body: '{"id":"evt-2","text":"é"}',
      signature: 'v1=5e8569dde45282ecc7e6234680f0bb76184b7a97df2c6a5727250e060216194c',
    },
  ])('matches the example of the specification at $timestamp', ({ timestamp, body, signature }) => {
    expect(hmacSignature(SECRET, timestamp, body)).toBe(signature)
  })
})

describe('the headers of an attempt', () => {
  const key = (secret: string) => Buffer.from(secret.slice(6), 'base64')
  const standard = (secret: string) =>
    createHmac('sha256', key(secret)).update('evt-1.1772323200.{"id":"evt-1"}').digest('base64')

  it('identify the delivery and carry the same value in every signature header', () => {
    const signature = hmacSignature(SECRET, 1772323200, delivery.body)
    expect(headersOf(delivery, signing)).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Touchstone-Webhooks/1.0',
      'x-webhook-id': 'evt-1',
      'x-webhook-timestamp': '1772323200',
      'x-webhook-signature': signature,
      'x-webhook-delivery': 'whd-1',
      'x-webhook-attempt': '2',
      'x-aip-signature': signature,
      'x-aip-version': '1.0.0',
      'webhook-id': 'evt-1',
      'webhook-timestamp': '1772323200',
      'webhook-signature': `v1,${standard(SECRET)} v1a,c2ln`,
    })
  })

  it('of a trace event are the AAP headers', () => {
    for (const eventType of ['trace.failed', 'policy.violation']) {
      const headers = headersOf({ ...delivery, eventType }, signing)
      expect(headers['x-aap-signature']).toBe(headers['x-webhook-signature'])
      expect(headers['x-aap-version']).toBe('1.0')
      expect(headers).not.toHaveProperty('x-aip-signature')
    }
  })

  it('during a rotation contain signatures with both secrets, our own header only the new one', () => {
    const previous = `whsec_${'ab'.repeat(32)}`
    const headers = headersOf(delivery, { ...signing, previous })
    expect(headers['webhook-signature']).toBe(
      `v1,${standard(SECRET)} v1,${standard(previous)} v1a,c2ln`,
    )
    expect(headers['x-webhook-signature']).toBe(hmacSignature(SECRET, 1772323200, delivery.body))
  })
})

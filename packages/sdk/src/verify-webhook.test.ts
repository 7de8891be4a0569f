import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { verifyWebhook, type WebhookCheck } from './verify-webhook.ts'

const SECRET = `whsec_${'0123456789abcdef'.repeat(4)}`
const OTHER = `whsec_${'f'.repeat(64)}`

/** Test vectors of spec: platform §5.4. */
const VECTORS = [
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
]
const [FIRST] = VECTORS
const at = (timestamp: number) => new Date(timestamp * 1000)

const ours = ({ timestamp, body, signature } = FIRST ?? VECTORS[0] ?? never()): WebhookCheck => ({
  body,
  headers: { 'x-webhook-timestamp': String(timestamp), 'x-webhook-signature': signature },
  secret: SECRET,
  now: at(timestamp),
})

function never(): never {
  throw new Error('VECTORS is empty')
}

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const whpk = `whpk_${publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')}`

function standard(secrets: readonly string[], body = '{"id":"evt-3"}'): WebhookCheck {
  const timestamp = 1772323200
  const content = `evt-3.${timestamp}.${body}`
  const hmacs = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  })
  const v1a = `v1a,${sign(null, Buffer.from(content), privateKey).toString('base64')}`
  const headers = {
    'webhook-id': 'evt-3',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': [...hmacs, v1a].join(' '),
  }
  return { body, headers, secret: SECRET, now: at(timestamp) }
}

describe('a genuine delivery', () => {
  it.each(VECTORS)('is accepted by its X-Webhook-Signature ($timestamp)', async (vector) => {
    const { event, scheme, signedAt } = await verifyWebhook(ours(vector))
    expect(event).toEqual(JSON.parse(vector.body))
    expect(scheme).toBe('touchstone')
    expect(signedAt).toEqual(at(vector.timestamp))
  })

  it('is accepted as bytes and with Fetch headers', async () => {
    const check = ours()
    const headers = new Headers(check.headers as Record<string, string>)
    const body = new TextEncoder().encode(String(check.body))
    expect((await verifyWebhook({ ...check, headers, body })).event.id).toBe('evt-1')
  })

  it('is accepted by its Standard Webhooks signature with any of several secrets', async () => {
    for (const signedBy of [[SECRET], [OTHER, SECRET]]) {
      expect((await verifyWebhook(standard(signedBy))).scheme).toBe('standard')
    }
    const both = { ...standard([OTHER]), secret: [SECRET, OTHER] }
    expect((await verifyWebhook(both)).event.id).toBe('evt-3')
  })

  it('is accepted with the public key alone', async () => {
    const { secret: _, ...check } = standard([])
    expect((await verifyWebhook({ ...check, publicKeys: [whpk] })).event.id).toBe('evt-3')
  })

  it('is accepted if the official Standard Webhooks library signed it', async () => {
    const now = new Date()
    const body = '{"id":"evt-4"}'
    const library = new Webhook(SECRET)
    const headers = {
      'webhook-id': 'evt-4',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': library.sign('evt-4', now, body),
    }
    expect(library.verify(body, headers)).toEqual({ id: 'evt-4' })
    expect((await verifyWebhook({ body, headers, secret: SECRET })).event.id).toBe('evt-4')
  })
})

describe('a delivery is refused', () => {
  const code = (wanted: string) => expect.objectContaining({ name: 'WebhookError', code: wanted })

  it('from 301 seconds of clock difference, in either direction', async () => {
    for (const sign of [-1, 1]) {
      const check = ours()
      const edge = new Date((check.now?.getTime() ?? 0) + sign * 300_000)
      expect((await verifyWebhook({ ...check, now: edge })).event.id).toBe('evt-1')
      const late = new Date((check.now?.getTime() ?? 0) + sign * 301_000)
      await expect(verifyWebhook({ ...check, now: late })).rejects.toEqual(code('expired'))
    }
  })

  it('without signature headers, or with malformed ones', async () => {
    const check = ours()
    for (const headers of [
      {},
      { ...check.headers, 'x-webhook-timestamp': '1772323200.0' },
      { ...check.headers, 'x-webhook-timestamp': '01772323200' },
      { ...check.headers, 'x-webhook-signature': 'v2=00' },
      { ...check.headers, 'x-webhook-signature': ['a', 'b'] },
    ]) {
      await expect(verifyWebhook({ ...check, headers })).rejects.toEqual(code('unsigned'))
    }
  })

  it('if the secret or the public key does not match', async () => {
    await expect(verifyWebhook({ ...ours(), secret: OTHER })).rejects.toEqual(code('forged'))
    const { secret: _, ...check } = standard([SECRET])
    const stranger = generateKeyPairSync('ed25519').publicKey.export({
      format: 'der',
      type: 'spki',
    })
    const publicKeys = [`whpk_${stranger.subarray(-32).toString('base64')}`]
    await expect(verifyWebhook({ ...check, publicKeys })).rejects.toEqual(code('forged'))
  })

  it('if any bit of the body or the signature was changed', async () => {
    for (const genuine of [ours(), standard([SECRET])]) {
      const body = new TextEncoder().encode(String(genuine.body))
      await fc.assert(
        fc.asyncProperty(fc.nat(body.length * 8 - 1), async (bit) => {
          const changed = body.slice()
          changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
          await expect(verifyWebhook({ ...genuine, body: changed })).rejects.toEqual(code('forged'))
        }),
        { numRuns: 50 },
      )
    }
    const check = ours()
    const signature = FIRST?.signature.replace(/.$/, (last) => (last === '9' ? '8' : '9')) ?? ''
    const headers = { ...check.headers, 'x-webhook-signature': signature }
    await expect(verifyWebhook({ ...check, headers })).rejects.toEqual(code('forged'))
  })

  it('if the signed body is not an event', async () => {
    for (const body of ['not json', '[]', '{"id":1}', 'null']) {
      await expect(verifyWebhook(standard([SECRET], body))).rejects.toEqual(code('unreadable'))
    }
  })
})

describe('a receiver without a usable key', () => {
  it('gets a TypeError instead of a WebhookError', async () => {
    const { secret: _, ...check } = ours()
    await expect(verifyWebhook(check)).rejects.toThrow(TypeError)
    await expect(verifyWebhook({ ...check, secret: 'hunter2' })).rejects.toThrow(TypeError)
    await expect(verifyWebhook({ ...check, publicKeys: ['whpk_!'] })).rejects.toThrow(TypeError)
  })
})

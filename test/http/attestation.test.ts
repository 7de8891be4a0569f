import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

const file = new URL('../../vectors/attestation/certificate.json', import.meta.url)
const vectors = JSON.parse(readFileSync(file, 'utf8'))
const certificates = vectors.checkpoints.map(
  (vector: { certificate: object }) => vector.certificate,
)

let t: TestApp

beforeAll(async () => {
  t = await testApp({
    env: { SIGNING_KEY_SEED: Buffer.from(vectors.seed, 'hex').toString('base64') },
  })
})

const verify = (body: unknown, headers = {}) => t.call('POST', '/v1/verify', { body, headers })

describe('the certificate keys', () => {
  it('are published before the first request, to everybody, and may be cached for an hour', async () => {
    const { rows } = await sql`select key_id from attestation_key`.execute(t.app.kernel.db)
    expect(rows).toEqual([{ key_id: 'key-21fe31dfa154a261' }])
    const answer = await t.call('GET', '/v1/keys', { headers: { origin: 'https://any.example' } })
    expect(answer.headers['cache-control']).toBe('public, max-age=3600')
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.body.keys).toMatchObject([
      {
        ...vectors.keys[0],
        created_at: t.clock.now().toISOString(),
        whpk: 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
      },
      { use: 'log', is_active: true },
    ])
  })

  it('stay the same after a start without the seed, because the key is stored', async () => {
    const again = await testApp({ databaseUrl: t.databaseUrl })
    const { body } = await again.call('GET', '/v1/keys')
    expect(body.keys).toMatchObject([
      { kid: 'key-21fe31dfa154a261', is_active: true },
      { use: 'log', is_active: true },
    ])
  })
})

describe('verification', () => {
  it('is open to everybody, even with an invalid credential', async () => {
    for (const certificate of certificates) {
      expect((await verify({ certificate })).body.valid).toBe(true)
    }
    const wrong = { authorization: 'Bearer wrong' }
    expect((await verify({ certificate: certificates[0] }, wrong)).status).toBe(200)
  })

  it('returns false with the reason for an altered certificate', async () => {
    const certificate = { ...certificates[0], issued_at: '2026-03-02T00:00:00.000Z' }
    const { status, body } = await verify({ certificate })
    expect(status).toBe(200)
    expect(body).toMatchObject({ valid: false, checks: { signature: { valid: false } } })
    expect(body.details).toMatch(
      /^signature: signed_payload does not match .*; record: ok; chain: ok;/,
    )
  })

  it('refuses a body without a certificate or with a malformed one', async () => {
    const missing = await verify({})
    expect(missing.status).toBe(400)
    const partial = await verify({ certificate: { ...certificates[0], claims: undefined } })
    expect(partial.status).toBe(400)
    expect(partial.body).toMatchObject({
      error: 'invalid_request',
      details: [{ path: '/certificate/claims', code: 'required' }],
    })
  })

  it('refuses a body over 1 MiB', async () => {
    expect((await verify({ certificate: 'x'.repeat(1024 * 1024) })).status).toBe(413)
  })
})

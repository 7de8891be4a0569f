import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { SYSTEM_ACTOR } from '../../../audit.ts'
import type { Server } from '../../../http/server.ts'
import {
  changedCertificate,
  createNode,
  LOG_KEY,
  removeKeys,
  serve,
  TEST_KEY_ID,
  TEST_SEED,
  vectors,
} from './attestation.fixture.ts'

const clock = testClock()
const database = await testDatabase()
const place = { db: database.db, clock, notices: await testNotices(database) }
const numbered = vectors.checkpoints.map(({ certificate }, i) => ({ i, certificate }))
let server: Server

async function verify(body: object) {
  const answer = await server.inject({ method: 'POST', url: '/v1/verify', payload: body })
  return { status: answer.statusCode, body: answer.json() }
}

beforeAll(() => {
  server = serve(createNode(place, { seed: TEST_SEED }))
})

describe('GET /v1/keys', () => {
  beforeEach(() => removeKeys(database.db))

  it('returns the key of the test seed as in the specification, and that of the log', async () => {
    const answer = await serve(createNode(place, { seed: TEST_SEED })).inject('/v1/keys')
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['cache-control']).toBe('public, max-age=3600')
    expect(answer.json()).toMatchObject({
      keys: [
        {
          ...vectors.keys[0],
          created_at: clock.now().toISOString(),
          whpk: 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
        },
        LOG_KEY,
      ],
    })
    expect(answer.payload).not.toContain(vectors.seed)
  })

  it('answers 304 if the ETag matches', async () => {
    const app = serve(createNode(place))
    const { etag } = (await app.inject('/v1/keys')).headers
    const headers = { 'if-none-match': String(etag) }
    expect((await app.inject({ url: '/v1/keys', headers })).statusCode).toBe(304)
  })

  it('keeps listing retired keys', async () => {
    const feature = createNode(place)
    const { keyId: before } = await feature.service.signer()
    const after = await feature.service.rotate(SYSTEM_ACTOR)
    const { keys } = (await serve(feature).inject('/v1/keys')).json()
    expect(keys).toMatchObject([
      { kid: after, is_active: true },
      { kid: before, is_active: false },
      { kid: LOG_KEY.kid, use: 'log' },
    ])
  })
})

describe('POST /v1/verify', () => {
  beforeAll(async () => {
    await removeKeys(database.db)
    await createNode(place, { seed: TEST_SEED }).service.prepare()
  })

  it.each(numbered)(
    'finds every check of a right certificate passed: number $i',
    async (vector) => {
      const { proofs, input_commitments: inputs } = vector.certificate
      const { chain, merkle } = proofs
      const walked = merkle === null ? '' : 'merkle: ok; '
      expect(await verify({ certificate: vector.certificate })).toEqual({
        status: 200,
        body: {
          valid: true,
          checks: {
            signature: { valid: true, key_id: TEST_KEY_ID },
            record: { valid: true, record_hash: chain.record_hash },
            chain: { valid: true, chain_hash: chain.chain_hash },
            merkle: merkle && { valid: true, root: merkle.root },
            input_commitment: { valid: true, commitment: inputs.combined_commitment },
            verdict_derivation: null,
          },
          details: `signature: ok; record: ok; chain: ok; ${walked}input_commitment: ok`,
        },
      })
    },
  )

  it.each(vectors.tampered)('detects a tampered certificate: $name', async (change) => {
    const { status, body } = await verify({ certificate: changedCertificate(change) })
    expect(status).toBe(200)
    expect(body.valid).toBe(change.failed.length === 0)
    const failed = Object.keys(body.checks).filter((name) => body.checks[name]?.valid === false)
    expect(failed).toEqual(change.failed)
  })

  it.each(vectors.malformed)('rejects a malformed certificate: $name', async (change) => {
    const { status, body } = await verify({ certificate: changedCertificate(change) })
    expect(status).toBe(400)
    expect(body.error).toBe('invalid_request')
    expect(body.message).toContain(`certificate${change.pointer}: `)
    expect(body.details).toMatchObject([
      { path: `/certificate${change.pointer}`, code: change.code },
    ])
  })

  it.each([
    [{}, '/certificate', 'required'],
    [{ certificate: null }, '/certificate', 'type'],
    [{ certificate: [] }, '/certificate', 'type'],
    [{ certificate: {} }, '/certificate/@context', 'required'],
  ])('rejects %j with path and code', async (body, path, code) => {
    const answer = await verify(body)
    expect(answer.status).toBe(400)
    expect(answer.body.details[0]).toMatchObject({ path, code })
  })

  it('verifies certificates of retired keys, but not of unknown ones', async () => {
    const certificate = vectors.checkpoints[0]?.certificate
    await createNode(place).service.rotate(SYSTEM_ACTOR)
    expect((await verify({ certificate })).body.valid).toBe(true)
    await removeKeys(database.db)
    await createNode(place).service.prepare()
    const { body } = await verify({ certificate })
    expect(body).toMatchObject({ valid: false, checks: { signature: { valid: false } } })
    expect(body.details).toContain('signature: the key is not among the published keys; record: ok')
  })
})

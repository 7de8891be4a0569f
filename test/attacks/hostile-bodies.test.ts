import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { type Service, startSharedService, type TestResponse } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

/**
 * Small requests that are expensive to read. Each used to hold the event loop for up to 1.4 s: the
 * body was decompressed before any limit applied, and JSON.parse built the whole value before its
 * depth was checked.
 */
const AT_ONCE = 10
const MIB = 1024 * 1024

let service: Service

beforeAll(async () => {
  service = await startSharedService({
    DATA_DIR: await temporaryDir(),
  })
})

const JSON_TYPE = { 'content-type': 'application/json' }
const GZIP = { ...JSON_TYPE, 'content-encoding': 'gzip' }

async function post(
  path: string,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<TestResponse> {
  const answer = await fetch(`${service.url}${path}`, { method: 'POST', headers, body })
  return { status: answer.status, body: await answer.json() }
}

const together = <T>(send: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, send))

const brackets = (bytes: number): string => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`

describe('an anonymous caller', () => {
  it('cannot make the service decompress a body beyond 64 KiB', async () => {
    const bomb = gzipSync(brackets(8 * MIB))
    expect(bomb.length).toBeLessThan(16 * 1024)
    for (const answer of await together(() => post('/v1/verify', bomb, GZIP))) {
      expect(answer).toMatchObject({
        status: 413,
        body: { error: 'payload_too_large', message: expect.stringContaining('64 KiB') },
      })
    }
  })

  it('cannot make the service build a deep value, even from a text that is not JSON', async () => {
    for (const answer of await together(() => post('/v1/verify', '['.repeat(MIB / 2), JSON_TYPE))) {
      expect(answer.status).toBe(400)
      expect(answer.body.message).toContain('nested deeper than 32 levels')
    }
  })

  it('cannot make the service build a value of many parts', async () => {
    const many = `{"certificate":[${'{},'.repeat(300_000)}0]}`
    for (const answer of await together(() => post('/v1/verify', many, JSON_TYPE))) {
      expect(answer.status).toBe(400)
      expect(answer.body.message).toContain('more than 10000 values')
    }
  })

  it('is refused without a credential before the body is decompressed', async () => {
    const bomb = gzipSync(brackets(8 * MIB))
    for (const answer of await together(() => post('/v1/checkpoints/batch', bomb, GZIP))) {
      expect(answer.status).toBe(401)
    }
  })

  it('is limited before the body is decompressed', async () => {
    const limited = await testApp({ env: { RATE_LIMITS: 'on' } })
    const junk = () => limited.call('POST', '/v1/verify-proof', { body: 'no gzip', headers: GZIP })
    const answers = [...(await together(junk)), await junk()]
    expect(answers.map(({ status }) => status)).toEqual([...Array(AT_ONCE).fill(422), 429])
  })

  it('leaves the service answering', async () => {
    const health = await fetch(`${service.url}/health/ready`)
    expect(health.status).toBe(200)
  })
})

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { newCheckpointId, textOf } from '#harness/checkpoints.ts'
import { runCommand, startService } from '#harness/process.ts'
import { type ReplicaPair, startReplicaPair, urlOfBoth } from '#harness/replica.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const DATABASE = 'touchstone'
const APART = 'touchstone_apart'
let pair: ReplicaPair

beforeAll(async () => {
  pair = await startReplicaPair()
  const admin = new pg.Client({ connectionString: pair.primary.url() })
  await admin.connect()
  for (const name of [DATABASE, APART]) await admin.query(`create database ${name}`)
  await admin.end()
})

const envOf = async (url: string) => ({
  DATABASE_URL: url,
  SECRET_KEY: randomBytes(32).toString('base64'),
  DATA_DIR: await temporaryDir(),
})

describe('a primary with a replica', () => {
  it('refuses to start on the replica alone, and says why', async () => {
    const env = { METRICS_ADDR: 'off', PORT: '0', ...(await envOf(pair.replica.url())) }
    const { code, output } = await runCommand(['serve', '--empty'], env)
    expect(code).toBe(1)
    expect(output).toContain('DATABASE_URL')
    expect(output).toContain('is a replica, which accepts no writes')
  })

  it('is migrated apart from serving', async () => {
    const env = { MIGRATE_AT_START: 'off', ...(await envOf(urlOfBoth(pair, APART))) }
    const { code, output } = await runCommand(['serve', '--empty'], {
      METRICS_ADDR: 'off',
      PORT: '0',
      ...env,
    })
    expect({ code, output }).toEqual({
      code: 1,
      output: expect.stringContaining('Run touchstone db migrate first'),
    })
    expect((await runCommand(['db', 'migrate'], env)).code).toBe(0)
    expect((await runCommand(['db', 'migrate'], env)).output).toMatch(/^The database is ready/)
    const service = await startService(env)
    expect((await service.call('GET', '/health/ready')).status).toBe(200)
    await service.end()
  })

  it('is followed to the new primary after a failover, and keeps what was acknowledged', async () => {
    const env = await envOf(urlOfBoth(pair, DATABASE))
    const service = await startService(env)
    const credentials = JSON.parse(await readFile(join(env.DATA_DIR, 'credentials.json'), 'utf8'))
    const token = credentials.api_key
    const call = (method: string, path: string, body?: unknown) =>
      service.call(method, path, { token, body })
    expect((await call('POST', '/v1/agents', { agent_id: 'steady' })).status).toBe(201)
    const acknowledged: string[] = []
    let sent = 0
    const post = async (): Promise<number> => {
      sent += 1
      const id = newCheckpointId()
      const body = { checkpoint_id: id, thinking: textOf(sent), session_id: 's' }
      const { status } = await call('POST', '/v1/agents/steady/checkpoints', body)
      if (status === 201) acknowledged.push(id)
      return status
    }
    for (let n = 0; n < 20; n += 1) expect(await post()).toBe(201)
    await pair.primary.stop()
    await expect.poll(post).toBe(503)
    expect((await call('GET', '/health/writable')).status).toBe(503)
    await pair.promote()
    await expect.poll(post).toBe(201)
    await expect.poll(async () => (await call('GET', '/health/writable')).status).toBe(200)
    await expect.poll(async () => (await call('GET', '/health/ready')).body.status).toBe('ready')
    for (const id of acknowledged) {
      expect((await call('GET', `/v1/checkpoints/${id}`)).status).toBe(200)
    }
  })
})

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { newCheckpointId, textOf } from '#harness/checkpoints.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { freePort } from '#harness/port.ts'
import { runCommand, type Service, startSharedService } from '#harness/process.ts'
import { type ReplicaPair, startReplicaPair } from '#harness/replica.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const DATABASE = 'touchstone'
const AGENT = 'mirrored'

let pair: ReplicaPair
let primary: pg.Client
let replica: pg.Client
let service: Service
let token: string
let metricsUrl: string
let newest: string

const get = (path: string) => service.call('GET', path, { token })
const idsOf = async (): Promise<string[]> => {
  const { status, body } = await get(`/v1/agents/${AGENT}/checkpoints?per_page=100`)
  expect(status).toBe(200)
  return body.checkpoints.map((one: { checkpoint_id: string }) => one.checkpoint_id)
}

let sent = 0
async function post(): Promise<string> {
  sent += 1
  newest = newCheckpointId()
  const body = { checkpoint_id: newest, thinking: textOf(sent), session_id: 's' }
  const answer = await service.call('POST', `/v1/agents/${AGENT}/checkpoints`, { token, body })
  expect(answer.status).toBe(201)
  return newest
}

/** How often the checkpoints were read on a server, according to its statistics. */
async function readsOn(server: pg.Client): Promise<number> {
  const { rows } = await server.query(`select sum(seq_scan + idx_scan)::int as reads
    from pg_stat_user_tables where relname like 'checkpoint%'`)
  return rows[0]?.reads
}

async function lagSeconds(): Promise<number> {
  const text = await (await fetch(metricsUrl)).text()
  return Number(/^touchstone_replica_lag_seconds (\S+)$/m.exec(text)?.[1])
}

async function open(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  onFileFinished(() => client.end())
  return client
}

beforeAll(async () => {
  pair = await startReplicaPair()
  const admin = new pg.Client({ connectionString: pair.primary.url() })
  await admin.connect()
  await admin.query(`create database ${DATABASE}`)
  await admin.end()
  const metricsPort = await freePort()
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  const env = {
    DATABASE_URL: pair.primary.url(DATABASE),
    DATABASE_REPLICA_URLS: pair.replica.url(DATABASE),
    METRICS_ADDR: `127.0.0.1:${metricsPort}`,
    SECRET_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: await temporaryDir(),
  }
  service = await startSharedService(env)
  token = JSON.parse(await readFile(join(env.DATA_DIR, 'credentials.json'), 'utf8')).api_key
  const body = { agent_id: AGENT }
  expect((await service.call('POST', '/v1/agents', { token, body })).status).toBe(201)
  primary = await open(pair.primary.url(DATABASE))
  replica = await open(pair.replica.url(DATABASE))
})

describe('a service with a read replica', () => {
  it('refuses addresses that are none, or several in one', async () => {
    for (const url of ['mysql://db', 'postgres://db1,db2/name']) {
      const env = { DATABASE_URL: 'postgres://db/name', DATABASE_REPLICA_URLS: url }
      const { code, output } = await runCommand(['serve'], env)
      expect(code).toBe(1)
      expect(output).toContain('DATABASE_REPLICA_URLS')
    }
  })

  it('takes at least nine of ten reads off the primary', async () => {
    const before = { primary: await readsOn(primary), replica: await readsOn(replica) }
    const total = 200
    for (let n = 0; n < total; n += 1) await idsOf()
    // Sessions report what they counted at most every second.
    await expect.poll(() => readsOn(replica)).toBeGreaterThanOrEqual(before.replica + 0.9 * total)
    expect(await readsOn(primary)).toBeLessThanOrEqual(before.primary + 0.1 * total)
    expect(await lagSeconds()).toBeLessThan(2)
  })

  it('reads lists from it, and always shows what was written before', async () => {
    for (let n = 0; n < 20; n += 1) {
      const id = await post()
      expect(await idsOf()).toContain(id)
    }
  })

  it('asks the primary while the replica is behind', async () => {
    await replica.query('select pg_wal_replay_pause()')
    const id = await post()
    expect(await idsOf()).toContain(id)
    await expect.poll(lagSeconds).toBeGreaterThan(2)
    expect(await idsOf()).toContain(id)
    await replica.query('select pg_wal_replay_resume()')
    await expect.poll(lagSeconds).toBeLessThan(2)
  })

  it('does not send what writes to it', async () => {
    expect((await get(`/v1/reputation/${AGENT}/verify`)).status).toBeLessThan(500)
    expect((await get(`/v1/reputation/${AGENT}/bundle`)).status).toBeLessThan(500)
    expect((await get('/v1/decisions/stats?group_by=agent')).status).toBeLessThan(500)
  })

  it('answers public reads from it while there is no primary, and says how old they are', async () => {
    const shown = await get(`/v1/checkpoints/${newest}/certificate`)
    expect(shown.status).toBe(200)
    await pair.primary.stop()
    const paths = [
      `/v1/reputation/${AGENT}`,
      `/v1/reputation/${AGENT}/badge.svg`,
      `/v1/reputation/${AGENT}/history`,
      `/v1/checkpoints/${newest}/certificate`,
      `/v1/agents/${AGENT}/merkle-root`,
      '/v1/directory',
      '/v1/keys',
      '/v1/log/policy',
      '/log/checkpoint',
    ]
    await expect
      .poll(async () => (await fetch(`${service.url}/v1/keys`)).headers.get('warning'))
      .not.toBeNull()
    for (const path of paths) {
      const answer = await fetch(service.url + path)
      expect(answer.status, path).toBe(200)
      expect(answer.headers.get('warning'), path).toBe('110 - "Response is Stale"')
      expect(Number(answer.headers.get('x-touchstone-stale')), path).toBeLessThan(60)
    }
    const answer = await get(`/v1/agents/${AGENT}/checkpoints`)
    expect(answer.status).toBe(503)
    const body = { agent_id: 'late' }
    expect((await service.call('POST', '/v1/agents', { token, body })).status).toBe(503)
  })
})

import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabaseUrl } from '#harness/database.ts'
import { freePort } from '#harness/port.ts'
import { type Service, startService, temporaryDir } from '#harness/process.ts'
import { hasRedis, startRedis, stopRedis } from '#harness/redis.ts'

async function shared() {
  const env = {
    DATABASE_URL: await freshDatabaseUrl(),
    SECRET_KEY: randomBytes(32).toString('base64'),
    BASE_URL: 'http://touchstone.test',
  }
  const start = async (role: string) => {
    const dir = await temporaryDir()
    return { dir, service: await startService({ ...env, DATA_DIR: dir }, ['--role', role]) }
  }
  return { env, start }
}

const filesIn = (dir: string): Promise<string[]> => readdir(dir).catch(() => [])

describe('several processes on one PostgreSQL', () => {
  it('create the first account once, on the node that tells of it', async () => {
    const { start } = await shared()
    const nodes = await Promise.all([start('all'), start('all'), start('api')])
    const told = nodes.filter((node) => node.service.output().includes('First start'))
    expect(told).toHaveLength(1)
    const [teller] = told
    const file = join(teller?.dir ?? '', 'credentials.json')
    const { email, password } = JSON.parse(await readFile(file, 'utf8'))
    for (const { service } of nodes) {
      const login = await service.call('POST', '/v1/auth/login', { body: { email, password } })
      expect(login.status).toBe(200)
      const token = login.body.access_token
      for (const other of nodes) {
        expect((await other.service.call('GET', '/v1/auth/me', { token })).status).toBe(200)
      }
    }
  })

  it('split API and work by role: what one accepts, another does', async () => {
    const { start, env } = await shared()
    const api = await start('api')
    const worker = await start('worker')
    const made = JSON.parse(await readFile(join(api.dir, 'credentials.json'), 'utf8'))
    const { email, password, org_id: org } = made
    const login = await api.service.call('POST', '/v1/auth/login', { body: { email, password } })
    const token = login.body.access_token
    const invited = await api.service.call('POST', `/v1/orgs/${org}/invitations`, {
      token,
      body: { email: 'guest@example.com' },
    })
    expect(invited.status).toBe(201)
    const outbox = join(worker.dir, 'outbox')
    await expect.poll(() => filesIn(outbox), { timeout: 10_000 }).toHaveLength(1)
    expect(await filesIn(join(api.dir, 'outbox'))).toEqual([])
    const db = new pg.Client({ connectionString: env.DATABASE_URL })
    await db.connect()
    // The file is there a moment before the job is struck off.
    const queued = async () =>
      (await db.query("select 1 from job where kind = 'mail.send'")).rowCount
    await expect.poll(queued, { timeout: 10_000 }).toBe(0)
    await db.end()
    expect(await worker.service.end()).toBe(0)
  })

  it('hear of a revoked key within five seconds', async () => {
    const { start } = await shared()
    const a = await start('api')
    const b = await start('api')
    const dirs = await Promise.all(
      [a.dir, b.dir].map(async (dir) => ({ dir, f: await filesIn(dir) })),
    )
    const dir = dirs.find((d) => d.f.includes('credentials.json'))?.dir ?? ''
    const made = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
    const login = await a.service.call('POST', '/v1/auth/login', {
      body: { email: made.email, password: made.password },
    })
    const token = login.body.access_token
    const key = await a.service.call('POST', '/v1/api-keys', { token, body: {} })
    const read = (on: Service) => on.call('GET', `/v1/orgs/${made.org_id}`, { token: key.body.key })
    expect((await read(b.service)).status).toBe(200)
    await a.service.call('DELETE', `/v1/api-keys/${key.body.key_id}`, { token })
    const revokedAt = Date.now()
    await expect.poll(async () => (await read(b.service)).status, { timeout: 5000 }).toBe(401)
    expect(Date.now() - revokedAt).toBeLessThan(5000)
  })

  it('warn when rate limits are counted by each of them alone', async () => {
    const { env } = await shared()
    const start = async () =>
      startService({ ...env, DATA_DIR: await temporaryDir(), RATE_LIMITS: 'on' }, ['--role', 'api'])
    const first = await start()
    const second = await start()
    expect(first.output()).not.toContain('REDIS_URL')
    await expect.poll(() => second.output()).toContain('without REDIS_URL')
  })
})

/** Without Redis on this machine the suite of rate-limit-redis.test.ts says so; one word is enough. */
if (hasRedis) {
  describe('several processes with one Redis', () => {
    it('hold a caller to the limit together', async () => {
      const port = await freePort()
      const redis = await startRedis(port, await temporaryDir())
      onTestFinished(() => stopRedis(redis))
      const { env } = await shared()
      const extra = { RATE_LIMITS: 'on', REDIS_URL: `redis://127.0.0.1:${port}` }
      const dirs = [await temporaryDir(), await temporaryDir()]
      const nodes: Service[] = []
      for (const dir of dirs) {
        nodes.push(await startService({ ...env, ...extra, DATA_DIR: dir }, ['--role', 'api']))
      }
      const file = join(dirs[0] ?? '', 'credentials.json')
      const made = JSON.parse(await readFile(file, 'utf8'))
      const path = `/v1/orgs/${made.org_id}/members`
      const statuses: number[] = []
      // A few at a time: a request that waits too long for Redis passes uncounted.
      while (statuses.length < 80) {
        const call = (on: Service) => on.call('GET', path, { token: made.api_key })
        const answers = await Promise.all([...nodes, ...nodes].map(call))
        statuses.push(...answers.map((answer) => answer.status))
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(60)
      expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    })
  })
}

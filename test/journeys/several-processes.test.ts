import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabaseUrl } from '#harness/database.ts'
import { freePort } from '#harness/port.ts'
import { type Service, startService } from '#harness/process.ts'
import { hasRedis, startRedis, stopRedis } from '#harness/redis.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

/** Settings for processes that share one database, and a function that starts one. */
async function createCluster() {
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

/** The credentials of the first account, which one of the processes wrote. */
async function firstCredentials(dirs: readonly string[]) {
  const found = await Promise.all(dirs.map(async (dir) => ({ dir, files: await filesIn(dir) })))
  const dir = found.find(({ files }) => files.includes('credentials.json'))?.dir ?? ''
  return JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
}

describe('several processes on one PostgreSQL', () => {
  it('create the first account once, and print it on one node only', async () => {
    const { start } = await createCluster()
    const nodes = await Promise.all([start('all'), start('all'), start('api')])
    const printing = nodes.filter((node) => node.service.output().includes('First start'))
    expect(printing).toHaveLength(1)
    const file = join(printing[0]?.dir ?? '', 'credentials.json')
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

  it('split by role: a worker runs the job that an API process enqueued', async () => {
    const { start, env } = await createCluster()
    const api = await start('api')
    const worker = await start('worker')
    const credentials = JSON.parse(await readFile(join(api.dir, 'credentials.json'), 'utf8'))
    const { email, password, org_id: org } = credentials
    const login = await api.service.call('POST', '/v1/auth/login', { body: { email, password } })
    const token = login.body.access_token
    const invited = await api.service.call('POST', `/v1/orgs/${org}/invitations`, {
      token,
      body: { email: 'guest@example.com' },
    })
    expect(invited.status).toBe(201)
    const outbox = join(worker.dir, 'outbox')
    await expect.poll(() => filesIn(outbox)).toHaveLength(1)
    expect(await filesIn(join(api.dir, 'outbox'))).toEqual([])
    const db = new pg.Client({ connectionString: env.DATABASE_URL })
    await db.connect()
    // The file appears shortly before the job is deleted.
    const queued = async () =>
      (await db.query("select 1 from job where kind = 'mail.send'")).rowCount
    await expect.poll(queued).toBe(0)
    await db.end()
    expect(await worker.service.end()).toBe(0)
  })

  it('reject a revoked key soon, in every process', async () => {
    const { start } = await createCluster()
    const a = await start('api')
    const b = await start('api')
    const credentials = await firstCredentials([a.dir, b.dir])
    const login = await a.service.call('POST', '/v1/auth/login', {
      body: { email: credentials.email, password: credentials.password },
    })
    const token = login.body.access_token
    const key = await a.service.call('POST', '/v1/api-keys', { token, body: {} })
    const read = (on: Service) =>
      on.call('GET', `/v1/orgs/${credentials.org_id}`, { token: key.body.key })
    expect((await read(b.service)).status).toBe(200)
    await a.service.call('DELETE', `/v1/api-keys/${key.body.key_id}`, { token })
    const revokedAt = Date.now()
    await expect.poll(async () => (await read(b.service)).status).toBe(401)
    expect(Date.now() - revokedAt).toBeLessThan(30_000)
  })

  it('use an approval once, and let exactly as many calls through as a limit says', async () => {
    const { start } = await createCluster()
    const a = await start('all')
    const b = await start('api')
    const { email, password, api_key } = await firstCredentials([a.dir, b.dir])
    const must = async (method: string, path: string, body: object, token = api_key) => {
      const answer = await a.service.call(method, path, { token, body })
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
      return answer.body
    }
    await must('POST', '/v1/agents', { agent_id: 'shared' })
    await must('PUT', '/v1/agents/shared/policy', {
      meta: { schema_version: '1.1', name: 'Shared', scope: 'agent' },
      limits: [{ name: 'few', tools: ['search'], max: 3, per: 'session', reason: 'Few' }],
      escalation_triggers: [
        { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
      ],
      defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
    })
    const refund = {
      agent_id: 'shared',
      tool: 'refund',
      session_id: 's',
      arguments: { amount: 60 },
    }
    const { escalation_id } = await must('POST', '/v1/gateway/decide', refund)
    const login = await must('POST', '/v1/auth/login', { email, password })
    const path = `/v1/escalations/${escalation_id}/resolve`
    await must('POST', path, { outcome: 'approve' }, login.access_token)
    /** The decisions of equal calls that both processes get at once. */
    const atOnce = async (call: object, count: number) => {
      const calls = Array.from({ length: count }, (_, at) =>
        (at % 2 === 0 ? a : b).service.call('POST', '/v1/gateway/decide', {
          token: api_key,
          body: call,
        }),
      )
      return (await Promise.all(calls)).map(({ body }) => body.decision).sort()
    }
    expect(await atOnce({ ...refund, escalation_id }, 2)).toEqual(['allow', 'block'])
    const search = { agent_id: 'shared', tool: 'search', session_id: 's' }
    const searched = await atOnce(search, 8)
    expect(searched.filter((decision) => decision === 'allow')).toHaveLength(3)
  })

  it('warn if each of them counts rate limits on its own', async () => {
    const { env } = await createCluster()
    const start = async () =>
      startService({ ...env, DATA_DIR: await temporaryDir(), RATE_LIMITS: 'on' }, ['--role', 'api'])
    const first = await start()
    const second = await start()
    expect(first.output()).not.toContain('REDIS_URL')
    await expect.poll(() => second.output()).toContain('without REDIS_URL')
  })
})

/** Without Redis the suite of rate-limit-redis.test.ts reports that; reporting it once is enough. */
if (hasRedis) {
  describe('several processes with one Redis', () => {
    it('share the rate limit of a caller', async () => {
      const port = await freePort()
      const redis = await startRedis(port, await temporaryDir())
      onTestFinished(() => stopRedis(redis))
      const { env } = await createCluster()
      const extra = { RATE_LIMITS: 'on', REDIS_URL: `redis://127.0.0.1:${port}` }
      const dirs = [await temporaryDir(), await temporaryDir()]
      const nodes: Service[] = []
      for (const dir of dirs) {
        nodes.push(await startService({ ...env, ...extra, DATA_DIR: dir }, ['--role', 'api']))
      }
      const file = join(dirs[0] ?? '', 'credentials.json')
      const credentials = JSON.parse(await readFile(file, 'utf8'))
      const path = `/v1/orgs/${credentials.org_id}/members`
      const statuses: number[] = []
      // Few concurrent requests: one that waits too long for Redis is let through uncounted.
      while (statuses.length < 80) {
        const call = (on: Service) => on.call('GET', path, { token: credentials.api_key })
        const answers = await Promise.all([...nodes, ...nodes].map(call))
        statuses.push(...answers.map((answer) => answer.status))
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(60)
      expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    })
  })
}

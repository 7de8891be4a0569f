import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { emptyDatabaseUrl } from '#harness/database.ts'
import { hasPgbouncer, startPgbouncer } from '#harness/pgbouncer.ts'
import { runCommand, startService } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

/** Two nodes on an empty database, which both migrate, behind a pooler in transaction mode. */
async function startNodes(env: Record<string, string>) {
  const shared = {
    SECRET_KEY: randomBytes(32).toString('base64'),
    BASE_URL: 'http://touchstone.test',
    // PgBouncer has them from 1.21 on.
    PREPARED_STATEMENTS: 'off',
    ...env,
  }
  const dirs = [await temporaryDir(), await temporaryDir()] as const
  const [a, b] = await Promise.all(
    dirs.map((dir) => startService({ ...shared, DATA_DIR: dir }, ['--role', 'api'])),
  )
  if (a === undefined || b === undefined) throw new Error('two nodes were to start')
  const files = dirs.map((dir) => readFile(join(dir, 'credentials.json'), 'utf8'))
  const { email, password, api_key: key, org_id: org } = JSON.parse(await Promise.any(files))
  const login = await a.call('POST', '/v1/auth/login', { body: { email, password } })
  return { a, b, key, org, token: login.body.access_token }
}

/** Asks one node while the other pauses and resumes the agent. */
async function expectPausesToBind(nodes: Awaited<ReturnType<typeof startNodes>>): Promise<void> {
  const { a, b, key, org, token } = nodes
  await a.call('POST', '/v1/agents', { token: key, body: { agent_id: 'bound' } })
  const decide = async () => {
    const body = { agent_id: 'bound', tool: 'search' }
    return (await b.call('POST', '/v1/gateway/decide', { token: key, body })).body.decision
  }
  const change = (to: string) =>
    a.call('POST', `/v1/orgs/${org}/agents/bound/${to}`, { token, body: { reason: 'Test' } })
  for (let round = 0; round < 3; round += 1) {
    await expect.poll(decide).not.toBe('block')
    expect((await change('pause')).status).toBe(200)
    await expect.poll(decide).toBe('block')
    expect((await change('resume')).status).toBe(200)
  }
}

if (hasPgbouncer) {
  describe('behind PgBouncer in transaction mode', () => {
    it('a start without the direct address says what is missing', async () => {
      const DATABASE_URL = await startPgbouncer(await emptyDatabaseUrl())
      const { code, output } = await runCommand(['serve', '--empty'], {
        DATABASE_URL,
        SECRET_KEY: randomBytes(32).toString('base64'),
        METRICS_ADDR: 'off',
        PORT: '0',
      })
      expect(code).toBe(1)
      expect(output).toContain('Set DATABASE_DIRECT_URL')
    })

    it('nodes migrate, start and are notified of changes with the direct address', async () => {
      const direct = await emptyDatabaseUrl()
      const nodes = await startNodes({
        DATABASE_URL: await startPgbouncer(direct),
        DATABASE_DIRECT_URL: direct,
      })
      const ready = () => nodes.b.call('GET', '/health/ready')
      await expect.poll(async () => (await ready()).body.status).toBe('ready')
      await expectPausesToBind(nodes)
    })

    it('decisions read the database if nothing is heard of changes', async () => {
      const ignored = 'statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options'
      const nodes = await startNodes({
        DATABASE_URL: await startPgbouncer(
          await emptyDatabaseUrl(),
          `ignore_startup_parameters = ${ignored}`,
        ),
      })
      const { status, body } = await nodes.b.call('GET', '/health/ready')
      expect(status).toBe(200)
      expect(body).toMatchObject({
        status: 'degraded',
        checks: { notices: { status: 'degraded' } },
      })
      await expectPausesToBind(nodes)
    })
  })
} else {
  it('runs the tests behind PgBouncer, or reports that it did not', () => {
    process.stdout.write('PgBouncer suite did not run: no pgbouncer was found on the PATH.\n')
    expect(process.env['REQUIRE_PGBOUNCER'], 'REQUIRE_PGBOUNCER=1 but no pgbouncer').not.toBe('1')
  })
}

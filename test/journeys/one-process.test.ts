import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { freePort } from '#harness/port.ts'
import { runCommand, startService, startWithDemoData } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const credentialsOf = async (dir: string) =>
  JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))

const databasePid = async (dir: string) =>
  Number((await readFile(join(dir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

/** PostgreSQL removes its pid file last when it stops. */
const isDatabaseRunning = (dir: string) => existsSync(join(dir, 'postgres', 'postmaster.pid'))

describe('touchstone serve', () => {
  it('prints the first credentials once, stops cleanly, and keeps its data', async () => {
    const dir = await temporaryDir()
    const first = await startWithDemoData({ DATA_DIR: dir }, ['--empty'])
    const credentials = await credentialsOf(dir)
    expect((await stat(join(dir, 'credentials.json'))).mode & 0o777).toBe(0o600)
    expect(Object.keys(credentials)).toEqual(['base_url', 'org_id', 'email', 'password', 'api_key'])
    for (const value of [
      credentials.base_url,
      credentials.email,
      credentials.password,
      credentials.api_key,
    ]) {
      expect(first.output()).toContain(value)
    }
    const token = credentials.api_key
    const read = await first.call('GET', `/v1/orgs/${credentials.org_id}`, { token })
    expect(read).toMatchObject({ status: 200, body: { slug: 'default' } })
    expect(isDatabaseRunning(dir)).toBe(true)
    expect(await first.end('SIGTERM')).toBe(0)
    expect(isDatabaseRunning(dir)).toBe(false)

    const second = await startService({ DATA_DIR: dir })
    expect(second.output()).not.toContain(credentials.password)
    expect((await second.call('GET', `/v1/orgs/${credentials.org_id}`, { token })).status).toBe(200)
    expect(await second.end('SIGINT')).toBe(0)
  })

  it('creates the first account from BOOTSTRAP_EMAIL and BOOTSTRAP_PASSWORD', async () => {
    const dir = await temporaryDir()
    const account = { email: 'me@example.com', password: 'a long enough password' }
    const service = await startService({
      DATA_DIR: dir,
      BOOTSTRAP_EMAIL: account.email,
      BOOTSTRAP_PASSWORD: account.password,
    })
    const login = await service.call('POST', '/v1/auth/login', { body: account })
    expect(login).toMatchObject({ status: 200, body: { user: { email: account.email } } })
    expect(await service.end()).toBe(0)
  })

  it('refuses a data folder in use, and names the process that uses it', async () => {
    const dir = await temporaryDir()
    const holder = await startService({ DATA_DIR: dir })
    const refused = await runCommand(['serve'], { DATA_DIR: dir, PORT: '0', METRICS_ADDR: 'off' })
    expect(refused.code).toBe(1)
    expect(refused.output).toContain(`process ${holder.child.pid}`)
    expect((await holder.call('GET', '/health/ready')).status).toBe(200)
  })

  it('reuses the database that is still running after kill -9', async () => {
    const dir = await temporaryDir()
    const killed = await startService({ DATA_DIR: dir })
    const credentials = await credentialsOf(dir)
    const pid = await databasePid(dir)
    await killed.end('SIGKILL')
    expect(isDatabaseRunning(dir)).toBe(true)
    const next = await startService({ DATA_DIR: dir })
    expect(await databasePid(dir)).toBe(pid)
    const read = await next.call('GET', `/v1/orgs/${credentials.org_id}`, {
      token: credentials.api_key,
    })
    expect(read.status).toBe(200)
    expect(await next.end()).toBe(0)
    expect(isDatabaseRunning(dir)).toBe(false)
  })

  it('survives kill -9 of its database', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir })
    const credentials = await credentialsOf(dir)
    const read = () =>
      service.call('GET', `/v1/orgs/${credentials.org_id}/members`, { token: credentials.api_key })
    expect((await read()).status).toBe(200)
    process.kill(await databasePid(dir), 'SIGKILL')
    await expect.poll(async () => (await read()).status).toBe(200)
    const ready = async () => (await service.call('GET', '/health/ready')).status
    await expect.poll(ready).toBe(200)
    expect(await service.end()).toBe(0)
  })

  it('completes requests in flight before it stops', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir })
    const { email, password } = await credentialsOf(dir)
    const logins = Array.from({ length: 20 }, () =>
      service.call('POST', '/v1/auth/login', { body: { email, password } }),
    )
    await Promise.race(logins)
    const ended = service.end('SIGTERM')
    const answers = await Promise.allSettled(logins)
    const statuses = answers.map((a) => (a.status === 'fulfilled' ? a.value.status : 'cut off'))
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(await ended).toBe(0)
  })

  it.each([
    [{ PORT: 'eighty' }, 'PORT must be a whole number'],
    [{ SIGNUP_MODE: 'maybe' }, 'SIGNUP_MODE must be one of'],
    [{ DATABASE_URL: 'postgresql://127.0.0.1:1/x' }, 'DATABASE_URL needs SECRET_KEY'],
    [{ OIDC_ISSUERS: '{' }, 'OIDC_ISSUERS must be a JSON list'],
    [{ EGRESS_ALLOW_CIDRS: '10.0.0.0/99' }, 'EGRESS_ALLOW_CIDRS'],
  ])('exits with one line that names the invalid setting: %j', async (env, line) => {
    const dir = await temporaryDir()
    const run = await runCommand(['serve'], { DATA_DIR: dir, METRICS_ADDR: 'off', ...env })
    expect(run.code).toBe(1)
    expect(run.output).toContain(line)
    expect(run.output.trim().split('\n')).toHaveLength(1)
  })

  it('names the port that is in use', async () => {
    const dir = await temporaryDir()
    const holder = await startService({ DATA_DIR: dir })
    const port = new URL(holder.url).port
    const env = { DATA_DIR: await temporaryDir(), PORT: port, METRICS_ADDR: 'off' }
    const run = await runCommand(['serve'], env)
    expect(run.code).toBe(1)
    expect(run.output).toContain(`Port ${port} is in use`)
  })
})

describe('a data folder without its secret.key', () => {
  it('is refused, and no new key is created', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir })
    expect(await service.end()).toBe(0)
    const file = join(dir, 'secret.key')
    const key = await readFile(file, 'utf8')
    await rm(file)
    const run = await runCommand(['serve'], { DATA_DIR: dir, PORT: '0', METRICS_ADDR: 'off' })
    expect(run.code).toBe(1)
    expect(run.output).toContain(`${file} is missing`)
    await expect(stat(file)).rejects.toThrow('ENOENT')
    await writeFile(file, key)
    expect(await (await startService({ DATA_DIR: dir })).end()).toBe(0)
  })
})

describe('touchstone backup and restore', () => {
  it('copy all data from a running installation to a new one', async () => {
    const [from, to, files] = [await temporaryDir(), await temporaryDir(), await temporaryDir()]
    const source = await startService({ DATA_DIR: from })
    const credentials = await credentialsOf(from)
    const file = join(files, 'all.backup')
    const written = await runCommand(['backup', file], { DATA_DIR: from })
    expect(written.output).toContain('written to')
    expect(written.code).toBe(0)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await source.end()).toBe(0)

    const keyless = await runCommand(['restore', file], { DATA_DIR: to })
    expect(keyless.code).toBe(1)
    expect(keyless.output).toContain('secret.key')
    const SECRET_KEY = (await readFile(join(from, 'secret.key'), 'utf8')).trim()
    const restored = await runCommand(['restore', file], { DATA_DIR: to, SECRET_KEY })
    expect(restored.output).toContain('Restored')
    expect(restored.code).toBe(0)
    const again = await runCommand(['restore', file], { DATA_DIR: to, SECRET_KEY })
    expect(again.code).toBe(1)

    const target = await startService({ DATA_DIR: to, SECRET_KEY })
    expect(target.output()).not.toContain('First start')
    const { email, password } = credentials
    const login = await target.call('POST', '/v1/auth/login', { body: { email, password } })
    expect(login.status).toBe(200)
    const read = await target.call('GET', `/v1/orgs/${credentials.org_id}`, {
      token: credentials.api_key,
    })
    expect(read.status).toBe(200)
  })
})

describe('npm start', () => {
  it('stops the service if npm is stopped, even if only npm receives the signal', async () => {
    const dir = await temporaryDir()
    const port = await freePort()
    const root = fileURLToPath(new URL('../..', import.meta.url))
    const npm = spawn('npm', ['start'], {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        DATA_DIR: dir,
        PORT: String(port),
        METRICS_ADDR: 'off',
      },
      stdio: 'ignore',
    })
    const ready = () =>
      fetch(`http://127.0.0.1:${port}/health/ready`).then(
        (answer) => answer.status,
        () => 0,
      )
    await expect.poll(ready).toBe(200)
    npm.kill('SIGTERM')
    await expect.poll(ready).toBe(0)
    await expect.poll(() => isDatabaseRunning(dir)).toBe(false)
  })
})

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { freePort } from '#harness/port.ts'
import { runCommand, startService, startServing, temporaryDir } from '#harness/process.ts'

const credentialsOf = async (dir: string) =>
  JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))

const databasePid = async (dir: string) =>
  Number((await readFile(join(dir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])

/** The server removes its pid file as the last thing it does. */
const databaseRuns = (dir: string) => existsSync(join(dir, 'postgres', 'postmaster.pid'))

describe('touchstone serve', () => {
  it('tells the first credentials once, stops cleanly, and finds its data again', async () => {
    const dir = await temporaryDir()
    const first = await startServing({ DATA_DIR: dir }, ['--empty'])
    const made = await credentialsOf(dir)
    expect((await stat(join(dir, 'credentials.json'))).mode & 0o777).toBe(0o600)
    expect(Object.keys(made)).toEqual(['base_url', 'org_id', 'email', 'password', 'api_key'])
    for (const value of [made.base_url, made.email, made.password, made.api_key]) {
      expect(first.output()).toContain(value)
    }
    const token = made.api_key
    const read = await first.call('GET', `/v1/orgs/${made.org_id}`, { token })
    expect(read).toMatchObject({ status: 200, body: { slug: 'default' } })
    expect(databaseRuns(dir)).toBe(true)
    expect(await first.end('SIGTERM')).toBe(0)
    expect(databaseRuns(dir)).toBe(false)

    const second = await startService({ DATA_DIR: dir })
    expect(second.output()).not.toContain(made.password)
    expect((await second.call('GET', `/v1/orgs/${made.org_id}`, { token })).status).toBe(200)
    expect(await second.end('SIGINT')).toBe(0)
  })

  it('takes the account from BOOTSTRAP_EMAIL and BOOTSTRAP_PASSWORD', async () => {
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

  it('refuses a folder that a live server uses, and names it', async () => {
    const dir = await temporaryDir()
    const holder = await startService({ DATA_DIR: dir })
    const refused = await runCommand(['serve'], { DATA_DIR: dir, PORT: '0', METRICS_ADDR: 'off' })
    expect(refused.code).toBe(1)
    expect(refused.output).toContain(`process ${holder.child.pid}`)
    expect((await holder.call('GET', '/health/ready')).status).toBe(200)
  })

  it('goes on after kill -9 with the database its predecessor left behind', async () => {
    const dir = await temporaryDir()
    const killed = await startService({ DATA_DIR: dir })
    const made = await credentialsOf(dir)
    const pid = await databasePid(dir)
    await killed.end('SIGKILL')
    expect(databaseRuns(dir)).toBe(true)
    const next = await startService({ DATA_DIR: dir })
    expect(await databasePid(dir)).toBe(pid)
    const read = await next.call('GET', `/v1/orgs/${made.org_id}`, { token: made.api_key })
    expect(read.status).toBe(200)
    expect(await next.end()).toBe(0)
    expect(databaseRuns(dir)).toBe(false)
  })

  it('survives kill -9 of its database', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir })
    const made = await credentialsOf(dir)
    const read = () =>
      service.call('GET', `/v1/orgs/${made.org_id}/members`, { token: made.api_key })
    expect((await read()).status).toBe(200)
    process.kill(await databasePid(dir), 'SIGKILL')
    await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toBe(200)
    const ready = async () => (await service.call('GET', '/health/ready')).status
    await expect.poll(ready, { timeout: 30_000 }).toBe(200)
    expect(await service.end()).toBe(0)
  })

  it('finishes requests that are under way when it is told to stop', async () => {
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
  ])('stops with one line naming the setting for %j', async (env, line) => {
    const dir = await temporaryDir()
    const run = await runCommand(['serve'], { DATA_DIR: dir, METRICS_ADDR: 'off', ...env })
    expect(run.code).toBe(1)
    expect(run.output).toContain(line)
    expect(run.output.trim().split('\n')).toHaveLength(1)
  })

  it('says which port is taken', async () => {
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
  it('is refused, and the file not made anew', async () => {
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
  it('carry everything over to a new installation, from a running one', async () => {
    const [from, to, files] = [await temporaryDir(), await temporaryDir(), await temporaryDir()]
    const source = await startService({ DATA_DIR: from })
    const made = await credentialsOf(from)
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
    const { email, password } = made
    const login = await target.call('POST', '/v1/auth/login', { body: { email, password } })
    expect(login.status).toBe(200)
    const read = await target.call('GET', `/v1/orgs/${made.org_id}`, { token: made.api_key })
    expect(read.status).toBe(200)
  })
})

describe('npm start', () => {
  it('ends the service when npm is told to stop, whoever the signal reaches', async () => {
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
    await expect.poll(ready, { timeout: 60_000 }).toBe(200)
    npm.kill('SIGTERM')
    await expect.poll(ready, { timeout: 15_000 }).toBe(0)
    await expect.poll(() => databaseRuns(dir), { timeout: 15_000 }).toBe(false)
  })
})

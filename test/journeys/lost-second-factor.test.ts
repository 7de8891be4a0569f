import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { codeOf } from '#harness/authenticator.ts'
import { eventually } from '#harness/eventually.ts'
import { runCommand, type Service, startService } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

type Account = { email: string; password: string; org_id: string }

async function credentialsOf(dir: string): Promise<Account> {
  return JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
}

const login = ({ email, password }: Account, service: Service) =>
  service.call('POST', '/v1/auth/login', { body: { email, password } })

/** Signs in, enrols a second factor, and returns the access token. */
async function enrol(account: Account, service: Service): Promise<string> {
  const token = (await login(account, service)).body.access_token
  const { body } = await service.call('POST', '/v1/auth/second-factor', {
    token,
    body: { current_password: account.password },
  })
  const confirmed = await service.call('POST', '/v1/auth/second-factor/confirm', {
    token,
    body: { code: codeOf(body.secret, new Date()) },
  })
  expect(confirmed.status).toBe(200)
  expect((await login(account, service)).body).toMatchObject({ mfa_required: true })
  return token
}

const reset = (dir: string, email: string) =>
  runCommand(['accounts', 'reset-second-factor', email], { DATA_DIR: dir })

async function outboxOf(dir: string): Promise<string> {
  const folder = join(dir, 'outbox')
  const names = await readdir(folder).catch(() => [])
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n')
}

describe('a person who lost app and recovery codes', () => {
  it('gets in again once the operator has reset the second factor, service running or not', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir })
    const account = await credentialsOf(dir)
    const lost = await enrol(account, service)

    const done = await reset(dir, account.email.toUpperCase())
    expect(done.output).toContain(`The second factor of ${account.email} was reset`)
    expect(done.code).toBe(0)
    await eventually(async () => {
      expect((await service.call('GET', '/v1/auth/me', { token: lost })).status).toBe(401)
    })
    const token = (await login(account, service)).body.access_token
    const log = `/v1/orgs/${account.org_id}/audit-log?action=second_factor.reset`
    const { entries } = (await service.call('GET', log, { token })).body
    expect(entries).toMatchObject([{ actor: { type: 'system', id: 'operator' } }])
    await eventually(async () => {
      expect(await outboxOf(dir)).toContain('Your Touchstone second factor was reset')
    })

    await enrol(account, service)
    expect(await service.end()).toBe(0)
    expect((await reset(dir, account.email)).code).toBe(0)
    const again = await startService({ DATA_DIR: dir })
    expect((await login(account, again)).body.access_token).toEqual(expect.any(String))
    expect(await again.end()).toBe(0)
  })

  it('is told apart from one who has none, from strangers, and from a wrong folder', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir })
    const { email } = await credentialsOf(dir)
    const none = await reset(dir, email)
    expect(none).toMatchObject({ code: 1, output: expect.stringContaining('no second factor') })
    const stranger = await reset(dir, 'nobody@example.com')
    expect(stranger).toMatchObject({ code: 1, output: expect.stringContaining('no account') })
    const nowhere = await reset(join(dir, 'nowhere'), email)
    expect(nowhere).toMatchObject({ code: 1, output: expect.stringContaining('contains no data') })
    const help = await runCommand(['accounts', 'forget', email], { DATA_DIR: dir })
    expect(help.code).not.toBe(0)
    expect(await service.end()).toBe(0)
  })
})

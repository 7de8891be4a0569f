import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Environment } from './io.ts'
import { isAccessibleByOthers, readLogin, removeLogin, saveLogin } from './login-file.ts'
import { connect, findAccess } from './service.ts'

const LOGIN = { url: 'https://trust.example', apiKey: 'tsk_1', orgId: 'org-1' }

let dir: string
let file: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'touchstone-config-'))
  file = join(dir, 'new', 'config.json')
})

afterAll(() => rm(dir, { recursive: true }))

describe('the saved login', () => {
  it('is readable by its owner only', async () => {
    await saveLogin(file, LOGIN)
    expect(await readLogin(file)).toEqual(LOGIN)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(dir, 'new'))).mode & 0o777).toBe(0o700)
    expect(await isAccessibleByOthers(file)).toBe(false)
    await chmod(file, 0o644)
    expect(await isAccessibleByOthers(file)).toBe(true)
    await saveLogin(file, LOGIN)
    expect(await isAccessibleByOthers(file)).toBe(false)
  })

  it('is gone after logout', async () => {
    const other = join(dir, 'other.json')
    await saveLogin(other, LOGIN)
    expect(await removeLogin(other)).toBe(true)
    expect(await removeLogin(other)).toBe(false)
    expect(await readLogin(other)).toBeUndefined()
  })

  it('is rejected if the file is malformed', async () => {
    const other = join(dir, 'wrong.json')
    for (const text of ['', '{}', '[]', '{"url": 1, "api_key": "k"}']) {
      await writeFile(other, text)
      await expect(readLogin(other)).rejects.toThrow('Log in again')
    }
  })
})

describe('the effective address and key', () => {
  const env = (changes: Partial<Environment> = {}) => ({
    env: { ...NOTHING, configFile: file, ...changes },
    url: undefined,
  })
  const NOTHING: Environment = {
    url: undefined,
    apiKey: undefined,
    orgId: undefined,
    agent: undefined,
    dataDir: undefined,
    configFile: '',
    version: '0',
    cwd: '/',
    all: {},
  }

  it('come from the environment first, then from the saved login', async () => {
    expect(await findAccess(env())).toMatchObject({ ...LOGIN, from: { url: file, apiKey: file } })
    const set = { url: 'http://localhost:1/', apiKey: 'tsk_2' }
    expect(await findAccess(env(set))).toEqual({
      url: 'http://localhost:1',
      apiKey: 'tsk_2',
      orgId: undefined,
      from: { url: 'TOUCHSTONE_URL', apiKey: 'TOUCHSTONE_API_KEY' },
    })
  })

  it('never combine a saved key with a different address', async () => {
    const elsewhere = { ...env(), url: 'https://trust.example.evil' }
    expect(await findAccess(elsewhere)).toMatchObject({ apiKey: undefined, orgId: undefined })
    await expect(connect(elsewhere)).rejects.toThrow('There is no API key for')
    expect(await findAccess({ ...env(), url: 'https://trust.example/' })).toMatchObject(LOGIN)
  })

  it.each(['tsk_2\r', 'tsk_2\n', 'tsk 2', 'tsk_\u2028'])(
    'are rejected without printing the key if it is %j',
    async (apiKey) => {
      const given = env({ url: 'http://localhost:1', apiKey })
      const refused = connect(given)
      await expect(refused).rejects.toThrow('The API key from TOUCHSTONE_API_KEY contains')
      await expect(refused).rejects.not.toThrow('tsk')
    },
  )

  it('are reported as missing if neither is configured', async () => {
    const none = env({ configFile: join(dir, 'none.json') })
    expect(await findAccess(none)).toBeUndefined()
    await expect(connect(none)).rejects.toThrow('No service is configured.')
  })
})

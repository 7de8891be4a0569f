import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isOpenToOthers, readLogin, removeLogin, saveLogin } from './config-file.ts'
import type { Environment } from './io.ts'
import { connect, findAccess } from './service.ts'

const LOGIN = { url: 'https://trust.example', apiKey: 'tsk_1', orgId: 'org-1' }

let dir: string
let file: string

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'touchstone-config-'))
  file = join(dir, 'new', 'config.json')
})

afterAll(() => rm(dir, { recursive: true }))

describe('what login saved', () => {
  it('is for its owner alone', async () => {
    await saveLogin(file, LOGIN)
    expect(await readLogin(file)).toEqual(LOGIN)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(join(dir, 'new'))).mode & 0o777).toBe(0o700)
    expect(await isOpenToOthers(file)).toBe(false)
    await chmod(file, 0o644)
    expect(await isOpenToOthers(file)).toBe(true)
    await saveLogin(file, LOGIN)
    expect(await isOpenToOthers(file)).toBe(false)
  })

  it('is gone after logout', async () => {
    const other = join(dir, 'other.json')
    await saveLogin(other, LOGIN)
    expect(await removeLogin(other)).toBe(true)
    expect(await removeLogin(other)).toBe(false)
    expect(await readLogin(other)).toBeUndefined()
  })

  it('is refused when it is something else', async () => {
    const other = join(dir, 'wrong.json')
    for (const text of ['', '{}', '[]', '{"url": 1, "api_key": "k"}']) {
      await writeFile(other, text)
      await expect(readLogin(other)).rejects.toThrow('Log in again')
    }
  })
})

describe('the address and the key that count', () => {
  const env = (changes: Partial<Environment> = {}) => ({
    env: { ...NOTHING, configFile: file, ...changes },
    url: undefined,
  })
  const NOTHING: Environment = {
    ...{ url: undefined, apiKey: undefined, orgId: undefined, agent: undefined },
    ...{ dataDir: undefined, configFile: '', version: '0', cwd: '/', all: {} },
  }

  it('are those of the environment, then those that were saved', async () => {
    expect(await findAccess(env())).toMatchObject({ ...LOGIN, from: { url: file, apiKey: file } })
    const set = { url: 'http://localhost:1/', apiKey: 'tsk_2' }
    expect(await findAccess(env(set))).toEqual({
      ...{ url: 'http://localhost:1', apiKey: 'tsk_2', orgId: undefined },
      from: { url: 'TOUCHSTONE_URL', apiKey: 'TOUCHSTONE_API_KEY' },
    })
  })

  it('belong together: a saved key goes to no other address', async () => {
    const elsewhere = { ...env(), url: 'https://trust.example.evil' }
    expect(await findAccess(elsewhere)).toMatchObject({ apiKey: undefined, orgId: undefined })
    await expect(connect(elsewhere)).rejects.toThrow('There is no API key for')
    expect(await findAccess({ ...env(), url: 'https://trust.example/' })).toMatchObject(LOGIN)
  })

  it.each(['tsk_2\r', 'tsk_2\n', 'tsk 2', 'tsk_\u2028'])(
    'are not used, nor shown, when the key is %j',
    async (apiKey) => {
      const given = env({ url: 'http://localhost:1', apiKey })
      const refused = connect(given)
      await expect(refused).rejects.toThrow('The API key of TOUCHSTONE_API_KEY holds')
      await expect(refused).rejects.not.toThrow('tsk')
    },
  )

  it('are asked for when nothing says them', async () => {
    const none = env({ configFile: join(dir, 'none.json') })
    expect(await findAccess(none)).toBeUndefined()
    await expect(connect(none)).rejects.toThrow('Which service?')
  })
})

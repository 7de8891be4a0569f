import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { validatePolicy } from '@touchstone/protocol/policy'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { commandLine } from '#harness/cli.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { POLICY_PACKS, packFile } from './policy-packs.ts'

let dir: string
const { touchstone } = commandLine(() => ({ url: 'http://127.0.0.1:9', apiKey: 'none', dir }))

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'touchstone-packs-'))
  onFileFinished(() => rm(dir, { recursive: true, force: true }))
})

describe('policy packs', () => {
  it('are all listed, in the order of their names', async () => {
    const folders = await readdir(fileURLToPath(new URL('../../../packs', import.meta.url)))
    const names = POLICY_PACKS.map(({ name }) => name)
    expect(names).toEqual(folders.filter((name) => name !== 'README.md').sort())
    const { code, out } = await touchstone('policy init')
    expect(code).toBe(0)
    for (const name of names) expect(out).toContain(name)
  })

  it.each(POLICY_PACKS)('$name is valid without warnings, and passes its tests', async (pack) => {
    const policy = parse(await readFile(packFile(pack.name, 'policy.yaml'), 'utf8'))
    expect(validatePolicy(policy)).toMatchObject({ valid: true, errors: [], warnings: [] })
    const folder = join(dir, pack.name)
    expect((await touchstone(`policy init --pack ${pack.name} --dir ${folder}`)).code).toBe(0)
    const tested = await touchstone(`policy test ${join(folder, 'tests.yaml')}`)
    expect(tested).toMatchObject({ code: 0, err: '' })
    expect(tested.out).toMatch(/[1-9]\d* passed, 0 failed$/m)
  })

  it('never overwrite a file', async () => {
    const folder = join(dir, 'mine')
    const init = () => touchstone(`policy init --pack research --dir ${folder}`)
    expect((await init()).code).toBe(0)
    await rm(join(folder, 'policy.yaml'))
    const again = await init()
    expect(again).toMatchObject({ code: 2, out: '' })
    expect(again.err).toContain('tests.yaml exists already')
    expect(await readdir(folder)).toEqual(['tests.yaml'])
  })
})

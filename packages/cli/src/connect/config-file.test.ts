import { chmod, mkdtemp, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { keepCopy, readConfig, withLock, writeConfig } from './config-file.ts'

let file: string

beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'touchstone-config-')), 'settings.json')
})

describe('readConfig', () => {
  it('reads text, and says what cannot be written', async () => {
    expect(await readConfig(file)).toBeUndefined()
    await writeFile(file, '{}')
    expect(await readConfig(file)).toBe('{}')
    await symlink(file, `${file}.link`)
    await expect(readConfig(`${file}.link`)).rejects.toThrow('symbolic link')
    await chmod(file, 0o444)
    await expect(readConfig(file)).rejects.toThrow('read-only')
    await writeFile(`${file}.bin`, Buffer.from([0xff, 0xfe]))
    await expect(readConfig(`${file}.bin`)).rejects.toThrow('UTF-8')
  })
})

describe('keepCopy', () => {
  it('never overwrites an older copy', async () => {
    const first = await keepCopy(file, 'one')
    const second = await keepCopy(file, 'two')
    expect(await keepCopy(file, 'one')).toBe(first)
    expect(await readFile(first, 'utf8')).toBe('one')
    expect(await readFile(second, 'utf8')).toBe('two')
  })
})

describe('writeConfig', () => {
  it('keeps the mode of the file', async () => {
    await writeFile(file, 'a', { mode: 0o640 })
    await writeConfig(file, 'b')
    expect(await readFile(file, 'utf8')).toBe('b')
  })
})

describe('withLock', () => {
  it('runs one at a time, and takes over a lock that a dead process left', async () => {
    const order: string[] = []
    const work = (name: string) => async () => {
      order.push(`${name} begins`)
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.push(`${name} ends`)
    }
    await Promise.all([withLock(file, work('a')), withLock(file, work('b'))])
    expect(order[1]).toBe(order[0]?.replace('begins', 'ends'))
    await writeFile(`${file}.lock`, '')
    await utimes(`${file}.lock`, 1, 1)
    expect(await withLock(file, async () => 'ran')).toBe('ran')
  })
})

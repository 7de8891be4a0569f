import { describe, expect, it } from 'vitest'
import { growLog } from './growth-service.ts'
import { createPatrol } from './patrol-service.ts'

const SIZE = 65_536 + 300
const LOOKS = 80

const utf8 = new TextEncoder()

/** A log in memory, grown in rounds of 10,000 entries. */
async function logOf(size: number) {
  const files = new Map<string, Uint8Array>()
  const store = { get: async (path: string) => files.get(path) }
  for (let from = 0; from < size; from += 10_000) {
    const count = Math.min(10_000, size - from)
    const entries = Array.from({ length: count }, (_, i) => utf8.encode(`entry ${from + i}`))
    const grown = await growLog(from, entries, store)
    for (const { path, bytes } of grown.files) files.set(path, bytes)
    for (const path of grown.completed) {
      for (const one of files.keys()) if (one.startsWith(`${path}.p/`)) files.delete(one)
    }
  }
  return { files, store }
}

describe('the patrol over full tiles', () => {
  it('finds a changed byte in any full tile or bundle of any level, within one pass', async () => {
    const { files, store } = await logOf(SIZE)
    const whole = createPatrol(store)
    for (let n = 0; n < LOOKS; n += 1) await whole.look(SIZE)
    const full = [...files.keys()].filter((path) => !path.includes('.p/'))
    expect(full).toContain('tile/1/000')
    const chosen = [
      'tile/1/000',
      'tile/0/000',
      'tile/0/255',
      'tile/entries/000',
      'tile/entries/256',
    ]
    for (const path of chosen) {
      const bytes = files.get(path) ?? new Uint8Array()
      const changed = Uint8Array.from(bytes)
      const at = Math.floor(changed.length / 3)
      changed[at] = (changed[at] ?? 0) ^ 1
      files.set(path, changed)
      const patrol = createPatrol(store)
      const pass = async () => {
        for (let n = 0; n < LOOKS; n += 1) await patrol.look(SIZE)
      }
      await expect(pass(), path).rejects.toThrow()
      // It does not go on before the tile is whole again.
      await expect(patrol.look(SIZE), path).rejects.toThrow()
      files.set(path, bytes)
      await pass()
    }
  })

  it('has nothing to do before the first full tile', async () => {
    const { store } = await logOf(200)
    await createPatrol(store).look(0)
    await createPatrol(store).look(200)
  })
})

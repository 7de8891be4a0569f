import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readYaml } from './documents.ts'

const read = (text: string) => readYaml('-', { stdin: Readable.from([text]) as never })

describe('a YAML document', () => {
  it('is read, JSON too', async () => {
    expect(await read('a: [1, b]')).toEqual({ a: [1, 'b'] })
    expect(await read('{"a": null}')).toEqual({ a: null })
  })

  it.each([
    ['the same key twice', 'forbidden: [a]\nforbidden: [b]'],
    ['a list without end', 'a: ['],
    ['a text without end', 'a: "b'],
    ['an item out of line', 'a:\n  - b: 1\n   - c: 2'],
    ['an alias of nothing', 'a: *b'],
  ])('is refused for %s, and not read as far as it goes', async (_what, text) => {
    await expect(read(text)).rejects.toThrow('-: ')
  })
})

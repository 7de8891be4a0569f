import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { readYaml } from './documents.ts'

const read = (text: string) => readYaml('-', { stdin: Readable.from([text]) as never })

describe('a YAML document', () => {
  it('may be YAML or JSON', async () => {
    expect(await read('a: [1, b]')).toEqual({ a: [1, 'b'] })
    expect(await read('{"a": null}')).toEqual({ a: null })
  })

  it.each([
    ['a duplicate key', 'forbidden: [a]\nforbidden: [b]'],
    ['an unclosed list', 'a: ['],
    ['an unclosed string', 'a: "b'],
    ['a wrongly indented item', 'a:\n  - b: 1\n   - c: 2'],
    ['an undefined alias', 'a: *b'],
  ])('is rejected for %s instead of being read partially', async (_fault, text) => {
    await expect(read(text)).rejects.toThrow('-: ')
  })
})

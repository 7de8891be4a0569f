import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256Hex } from './hash.ts'
import type { Sha256Heads } from './sha256-heads.ts'
import { sha256Heads as block } from './sha256-heads-block.ts'
import { sha256Heads as wasm } from './sha256-heads-wasm.ts'

function headsOf(implementation: Sha256Heads, messages: readonly Uint8Array[]): string[] {
  const ends = Int32Array.from(messages.map(({ length }) => length))
  for (let i = 1; i < ends.length; i += 1) ends[i] = (ends[i] ?? 0) + (ends[i - 1] ?? 0)
  const starts = Int32Array.from([0, ...ends.slice(0, -1)])
  const bytes = Uint8Array.from(messages.flatMap((message) => [...message]))
  const heads = new BigUint64Array(messages.length)
  implementation.hash({ bytes, starts, ends }, { from: 0, to: messages.length }, heads)
  return Array.from(heads, (head) => head.toString(16).padStart(16, '0'))
}

describe.each([
  ['WebAssembly', wasm],
  ['plain JavaScript', block],
])('sha256Heads in %s', (_, implementation) => {
  it('gives the first eight bytes of the hash for every length around a block', () => {
    const messages = Array.from({ length: 70 }, (_, length) => new Uint8Array(length).fill(length))
    const expected = messages.map((message) => sha256Hex(message).slice(0, 16))
    expect(headsOf(implementation, messages)).toEqual(expected)
  })

  it('gives them for more messages, and longer ones, than fit into its memory at once', () => {
    const lengths = [20, 60_000, 30, ...Array.from({ length: 1500 }, (_, i) => i % 60), 50_000, 3]
    const messages = lengths.map((length, i) => new Uint8Array(length).fill(i))
    const expected = messages.map((message) => sha256Hex(message).slice(0, 16))
    expect(headsOf(implementation, messages)).toEqual(expected)
  })

  it('gives them for any messages', () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 80 }), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(messages, (given) => {
        const expected = given.map((message) => sha256Hex(message).slice(0, 16))
        expect(headsOf(implementation, given)).toEqual(expected)
      }),
    )
  })
})

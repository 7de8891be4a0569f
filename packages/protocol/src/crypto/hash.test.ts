import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashCanonical, sha256Bytes, sha256Hex } from './hash.ts'
import { sha256 as noble } from './sha256-noble.ts'
import { sha256 as node } from './sha256-node.ts'

describe('hashCanonical', () => {
  it('gives the published hashes', () => {
    expect(hashCanonical({ a: 1 })).toBe(
      '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862',
    )
    expect(hashCanonical([])).toBe(
      '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
    )
  })

  it('hashes UTF-8, not UTF-16', () => {
    expect(hashCanonical('é')).toBe(sha256Hex(Uint8Array.of(0x22, 0xc3, 0xa9, 0x22)))
  })
})

describe('sha256', () => {
  it('gives the digests of FIPS 180-2 in both implementations', () => {
    const abc = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    for (const { hex } of [node, noble, { hex: sha256Hex }]) {
      expect(hex('abc')).toBe(abc)
      expect(hex(new Uint8Array())).toBe(empty)
    }
  })

  it('is the same in Node and in a browser for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(noble.bytes(bytes)).toEqual(node.bytes(bytes))
        expect(noble.hex(bytes)).toBe(node.hex(bytes))
        expect(noble.hex(bytes)).toBe(Buffer.from(sha256Bytes(bytes)).toString('hex'))
      }),
    )
  })

  it('is the same in Node and in a browser for any string, lone surrogates included', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 100 }), (text) => {
        expect(noble.hex(text)).toBe(node.hex(text))
        expect(noble.hex(text)).toBe(node.hex(new TextEncoder().encode(text)))
      }),
    )
  })
})

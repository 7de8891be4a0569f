import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../base/encoding.ts'
import { sha256Hex } from '../crypto/hash.ts'
import { leafHash, merkleRoot } from '../merkle/merkle.ts'
import { type ChainLink, chainHash, walkChain } from './hash-chain.ts'

type VectorLink = {
  position: number
  previous: string | null
  record_hash: string
  input: string
  chain_hash: string
}
type ChainVectors = { links: VectorLink[]; far: VectorLink; root_of_first_two: string }
const file = new URL('../../../../vectors/attestation/chain.json', import.meta.url)
const vectors: ChainVectors = JSON.parse(readFileSync(file, 'utf8'))

const toLink = ({ position, previous, record_hash, chain_hash }: VectorLink): ChainLink => {
  return { position, previous, recordHash: record_hash, chainHash: chain_hash }
}

/** A valid chain over these records. */
function chainOf(records: readonly string[]): ChainLink[] {
  const links: ChainLink[] = []
  for (const [position, record] of records.entries()) {
    const input = {
      previous: links.at(-1)?.chainHash ?? null,
      position,
      recordHash: sha256Hex(record),
    }
    links.push({ ...input, chainHash: chainHash(input) })
  }
  return links
}

describe('chainHash', () => {
  it.each([...vectors.links, vectors.far])('gives the published link at $position', (link) => {
    expect(chainHash(toLink(link))).toBe(link.chain_hash)
    expect(hexToBytes(link.input)).toHaveLength(76)
    expect(sha256Hex(hexToBytes(link.input))).toBe(link.chain_hash)
  })

  it('gives the links of the specification', () => {
    const [first, second] = vectors.links
    expect(first?.chain_hash).toMatch(/^20172093a8f15764/)
    expect(second?.chain_hash).toMatch(/^6c2f1485d08912f0/)
    const leaves = [first, second].map((link) => leafHash(hexToBytes(link?.chain_hash ?? '')))
    expect(bytesToHex(merkleRoot(leaves))).toBe(
      'c97cd33ec04abd5f25f7521515a0c22cd78b934d387b2c93db238c306a94f132',
    )
  })

  it.each([
    { previous: '0'.repeat(64), position: 0 },
    { previous: null, position: 1 },
    { previous: 'A'.repeat(64), position: 1 },
    { previous: '0'.repeat(62), position: 1 },
    { previous: '0'.repeat(64), position: 1.5 },
    { previous: '0'.repeat(64), position: -1 },
    { previous: '0'.repeat(64), position: 2 ** 53 },
  ])('rejects position $position after $previous', (start) => {
    expect(() => chainHash({ ...start, recordHash: '0'.repeat(64) })).toThrow(TypeError)
  })
})

describe('walkChain', () => {
  const links = vectors.links.map(toLink)

  it('verifies the published chain, whole or in slices', () => {
    const last = links.at(-1)
    const head = { position: last?.position, chainHash: last?.chainHash }
    expect(walkChain(links)).toEqual({ valid: true, head })
    const first = walkChain(links.slice(0, 2))
    expect(walkChain(links.slice(2), first.head)).toEqual({ valid: true, head })
    expect(walkChain([])).toEqual({ valid: true, head: null })
  })

  it('detects an omitted, duplicated or moved link at its position', () => {
    expect(walkChain(links.toSpliced(2, 1))).toMatchObject({ valid: false, reason: 'gap' })
    expect(walkChain(links.slice(1))).toMatchObject({ position: 1, reason: 'gap', head: null })
    const [a, b, c] = links
    if (!a || !b || !c) throw new Error('the vectors have three links')
    expect(walkChain([a, b, b, c])).toMatchObject({ valid: false, position: 1, reason: 'gap' })
    expect(walkChain([a, c, b])).toMatchObject({ valid: false, position: 2, reason: 'gap' })
  })

  it('detects any single changed field of any link', () => {
    const change = fc.constantFrom<(link: ChainLink) => ChainLink>(
      (link) => ({ ...link, position: link.position + 1 }),
      (link) => ({ ...link, position: -link.position - 1 }),
      (link) => ({ ...link, previous: link.previous === null ? '0'.repeat(64) : null }),
      (link) => ({ ...link, previous: sha256Hex(`${link.previous}`) }),
      (link) => ({ ...link, recordHash: sha256Hex(link.recordHash) }),
      (link) => ({ ...link, recordHash: link.recordHash.toUpperCase() }),
      (link) => ({ ...link, chainHash: sha256Hex(link.chainHash) }),
    )
    const records = fc.array(fc.string(), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(records, fc.nat(19), change, (texts, at, apply) => {
        const chain = chainOf(texts)
        const link = chain[at]
        fc.pre(link !== undefined)
        expect(walkChain(chain).valid).toBe(true)
        const changed = apply(link)
        // A hash without letters has no upper-case form.
        fc.pre(JSON.stringify(changed) !== JSON.stringify(link))
        expect(walkChain(chain.with(at, changed))).toMatchObject({ valid: false })
      }),
    )
  })

  it('detects a changed record even if its own link is recomputed', () => {
    const chain = chainOf(['a', 'b', 'c'])
    const forged = chainOf(['a', 'x', 'c'])
    const [a, , c] = chain
    const x = forged[1]
    if (!a || !c || !x) throw new Error('both chains have three links')
    expect(walkChain([a, x, c])).toMatchObject({ valid: false, position: 2, reason: 'previous' })
  })
})

import { type AttestedRecord, rebuildCertificate } from '@touchstone/protocol/evidence'
import { type MerkleNode, nodeLookup } from '@touchstone/protocol/merkle'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyChain, entryOf } from '../attestation/attestation.fixture.ts'
import { type Sealer, sealAll } from '../attestation/seal.fixture.ts'
import {
  checkCertificates,
  checkHead,
  checkNodes,
  firstOf,
  type SoundLink,
  START,
  type StoredLink,
  type Walk,
  walkLinks,
} from './chain-walk.ts'

const AGENT = 'agent-walked'
const ISSUED_AT = new Date('2026-03-01T00:00:00.000Z')
const SEALER: Sealer = {
  keyId: 'key-1',
  sign: () => Buffer.alloc(64, 1).toString('base64'),
  issuedAt: ISSUED_AT.toISOString(),
  baseUrl: 'https://trust.example',
}

/** A chain as it would be stored, of analysed and synthetic checkpoints. */
function chainOf(analysed: readonly boolean[]) {
  const entries = analysed.map((kind, i) => entryOf(AGENT, i, kind))
  const made = sealAll(emptyChain(AGENT), entries, SEALER)
  const links = made.sealed.map((sealed, i): SoundLink => {
    const record = entries[i]?.record
    if (record === undefined) throw new Error('a link without its record')
    return { ...sealed, record, owned: true }
  })
  const readNode = nodeLookup(made.nodes)
  const rebuilt = made.certificates.map((own, i) => {
    const link = links[i]
    if (link === undefined) throw new Error('a certificate without its link')
    const { keyId, baseUrl } = SEALER
    const stored = { ...own, keyId, issuedAt: ISSUED_AT, baseUrl }
    const { certificateHash } = own
    return { certificate: rebuildCertificate(link, stored, readNode), certificateHash }
  })
  const { length: position, chainHash, leafCount, edge } = made.state
  const head: Walk = { position, chainHash, leafCount, edge }
  return { links, nodes: made.nodes, rebuilt, head }
}

const kinds = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 })
const someChain = kinds.map(chainOf)
/** A chain and one of its positions. */
const somewhere = someChain.chain((chain) =>
  fc.record({ chain: fc.constant(chain), at: fc.nat(chain.links.length - 1) }),
)

const MIXED = chainOf([true, false, true, true, false, true, true, true, true, false, true])

describe('an intact chain', () => {
  it('is walked to its end in slices of any size', () => {
    fc.assert(
      fc.property(someChain, fc.integer({ min: 1, max: 50 }), (chain, rows) => {
        let walk = START
        const nodes: MerkleNode[] = []
        while (walk.position < chain.links.length) {
          const slice = chain.links.slice(walk.position, walk.position + rows)
          const joined = walkLinks(walk, slice)
          expect(joined.fault).toBeUndefined()
          expect(joined.sound).toEqual(slice)
          expect(checkNodes(joined.nodes, chain.nodes)).toBeUndefined()
          nodes.push(...joined.nodes.map(({ position: _, ...node }) => node))
          walk = joined.walk
        }
        expect(nodes).toEqual(chain.nodes)
        expect(checkHead(walk, chain.head)).toBeUndefined()
        expect(checkCertificates(chain.links, chain.rebuilt)).toBeUndefined()
      }),
    )
  })

  it('can be empty', () => {
    expect(walkLinks(START, [])).toEqual({ walk: START, sound: [], nodes: [], fault: undefined })
    expect(checkHead(START, chainOf([]).head)).toBeUndefined()
  })
})

const flipHex = (hash: string, at: number) =>
  hash.slice(0, at) + (hash[at] === '0' ? '1' : '0') + hash.slice(at + 1)

type Tree = { [key: string]: unknown }

/** Every scalar of the record by its path. */
function leavesOf(value: unknown, path: readonly string[] = []): string[][] {
  if (value === null || typeof value !== 'object') return [[...path]]
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]))
}

function changed(value: unknown): unknown {
  if (typeof value === 'string') return `${value}!`
  if (typeof value === 'number') return value + 1
  return typeof value === 'boolean' ? !value : 'was null'
}

function withChange(record: AttestedRecord, path: readonly string[]): AttestedRecord {
  const copy = structuredClone(record)
  const last = path.at(-1) ?? ''
  const parent = path.slice(0, -1).reduce((at, key) => at[key] as Tree, copy as unknown as Tree)
  parent[last] = changed(parent[last])
  return copy
}

function faultAfter(links: readonly StoredLink[]) {
  return walkLinks(START, links).fault
}

const replaced = (links: readonly StoredLink[], at: number, link: Partial<StoredLink>) =>
  links.map((one, i) => (i === at ? { ...one, ...link } : one))

describe('a changed checkpoint', () => {
  it('is found, whichever value of its record was changed', () => {
    const paths = leavesOf(MIXED.links[0]?.record)
    expect(paths.length).toBeGreaterThan(18)
    for (const [at, link] of MIXED.links.entries()) {
      for (const path of paths) {
        const links = replaced(MIXED.links, at, { record: withChange(link.record, path) })
        expect(faultAfter(links), path.join('.')).toEqual({ position: at, what: 'record_hash' })
      }
    }
  })

  it('is found if no record can be built from its columns', () => {
    const record = MIXED.links[3]?.record
    if (record === undefined) throw new Error('no record')
    const claims = { ...record.claims, confidence: Number.NaN }
    const wrong = { position: 3, what: 'record_hash' }
    expect(faultAfter(replaced(MIXED.links, 3, { record: { ...record, claims } }))).toEqual(wrong)
    expect(faultAfter(replaced(MIXED.links, 3, { record: undefined }))).toEqual(wrong)
  })

  it('is found, whichever digit of a hash was changed', () => {
    fc.assert(
      fc.property(somewhere, fc.nat(63), ({ chain: { links }, at }, digit) => {
        const link = links[at]
        if (link === undefined) throw new Error('no link')
        const record = { recordHash: flipHex(link.recordHash, digit) }
        expect(faultAfter(replaced(links, at, record))).toMatchObject({ position: at })
        const chain = { chainHash: flipHex(link.chainHash, digit) }
        expect(faultAfter(replaced(links, at, chain))).toEqual({ position: at, what: 'chain_hash' })
        const previous = link.previous === null ? '0'.repeat(64) : flipHex(link.previous, digit)
        expect(faultAfter(replaced(links, at, { previous }))).toEqual({
          position: at,
          what: 'previous_hash',
        })
      }),
    )
  })

  it('is found if its leaf index is wrong, missing or unexpected', () => {
    for (const [at, { leafIndex }] of MIXED.links.entries()) {
      const others = leafIndex === null ? [0, at] : [null, leafIndex - 1, leafIndex + 1]
      for (const other of others) {
        expect(faultAfter(replaced(MIXED.links, at, { leafIndex: other }))).toEqual({
          position: at,
          what: 'leaf_index',
        })
      }
    }
  })

  it('is found if the index by id does not point to it', () => {
    expect(faultAfter(replaced(MIXED.links, 6, { owned: false }))).toEqual({
      position: 6,
      what: 'owner',
    })
  })
})

describe('a checkpoint that was', () => {
  it('removed, moved, duplicated or inserted is found at its position', () => {
    fc.assert(
      fc.property(somewhere, ({ chain: { links, head }, at }) => {
        const link = links[at]
        if (link === undefined) throw new Error('no link')
        const last = at === links.length - 1
        const without = links.filter((_, i) => i !== at)
        const gap = { position: at, what: 'position' }
        expect(faultAfter(without)).toEqual(last ? undefined : gap)
        expect(checkHead(walkLinks(START, without).walk, head)).toBeDefined()
        const twice = links.toSpliced(at + 1, 0, link)
        expect(faultAfter(twice)).toEqual({ position: at + 1, what: 'position' })
        const forged = links.toSpliced(at, 0, { ...link, position: at, owned: false })
        expect(faultAfter(forged)?.position).toBe(at)
        const early = links.toSpliced(0, 0, { ...link, position: -1 })
        expect(faultAfter(early)).toEqual({ position: 0, what: 'position' })
      }),
    )
  })

  it('swapped with another is found, even with its position', () => {
    const [one, other] = [MIXED.links[2], MIXED.links[5]]
    if (one === undefined || other === undefined) throw new Error('no links')
    const links = replaced(
      replaced(MIXED.links, 2, { ...other, position: 2, previous: one.previous }),
      5,
      { ...one, position: 5, previous: other.previous },
    )
    expect(faultAfter(links)).toEqual({ position: 2, what: 'chain_hash' })
  })
})

describe('a stored node', () => {
  it('that differs or is missing is attributed to the checkpoint that completed it', () => {
    const { nodes: expected } = walkLinks(START, MIXED.links)
    for (const [at, node] of expected.entries()) {
      const wrong = { position: node.position, what: 'merkle_node' }
      for (let byte = 0; byte < 32; byte += 1) {
        const hash = Uint8Array.from(node.hash)
        hash[byte] = (hash[byte] ?? 0) ^ 1
        expect(checkNodes(expected, MIXED.nodes.with(at, { ...node, hash }))).toEqual(wrong)
      }
      expect(checkNodes(expected, MIXED.nodes.toSpliced(at, 1))).toEqual(wrong)
    }
  })
})

describe('a certificate', () => {
  it('that is missing or has a different hash is found', () => {
    for (const [at, held] of MIXED.rebuilt.entries()) {
      const wrong = { position: at, what: 'certificate' }
      const missing = MIXED.rebuilt.map((one, i) => (i === at ? undefined : one))
      expect(checkCertificates(MIXED.links, missing)).toEqual(wrong)
      const certificateHash = flipHex(held.certificateHash, at)
      const other = MIXED.rebuilt.with(at, { ...held, certificateHash })
      expect(checkCertificates(MIXED.links, other)).toEqual(wrong)
    }
  })
})

describe('a head', () => {
  it('that differs or is missing is a fault after the last checkpoint', () => {
    const { head, links } = MIXED
    const { walk } = walkLinks(START, links)
    const edge = head.edge.map((hash) => Uint8Array.from(hash))
    edge[0]?.set([0, 0], 7)
    const wrong: (Walk | undefined)[] = [
      undefined,
      { ...head, position: head.position - 1 },
      { ...head, chainHash: flipHex(head.chainHash ?? '', 5) },
      { ...head, chainHash: null },
      { ...head, leafCount: head.leafCount + 1 },
      { ...head, edge },
      { ...head, edge: head.edge.slice(1) },
      { ...head, edge: [...head.edge, new Uint8Array(32)] },
    ]
    for (const other of wrong) {
      expect(checkHead(walk, other)).toEqual({ position: links.length, what: 'head' })
    }
  })
})

describe('several faults', () => {
  it('are reported as the first one in the chain', () => {
    const early = { position: 3, what: 'certificate' } as const
    const late = { position: 9, what: 'record_hash' } as const
    expect(firstOf([late, undefined, early])).toBe(early)
    expect(firstOf([undefined, undefined])).toBeUndefined()
  })
})

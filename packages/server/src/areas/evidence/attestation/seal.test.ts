import { bytesToBase64, bytesToHex } from '@touchstone/protocol/base'
import { ed25519Signer } from '@touchstone/protocol/crypto'
import {
  buildRecord,
  type Certificate,
  certificateHash,
  rebuildCertificate,
  verifyCertificate,
  walkChain,
} from '@touchstone/protocol/evidence'
import {
  createMerkleTree,
  leafHash,
  type MerkleNode,
  nodeLookup,
  nodesForRoot,
  rootFromNodes,
} from '@touchstone/protocol/merkle'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  emptyChain,
  entryOf,
  recordOf,
  TEST_KEY_ID,
  TEST_SEED,
  vectors,
} from './attestation.fixture.ts'
import { type Sealer, sealAll } from './seal.fixture.ts'
import type { ChainState, SealEntry } from './seal.ts'

const AGENT = 'agent-demo'
const sign = ed25519Signer(TEST_SEED)
const sealerAt = (issuedAt: string): Sealer => ({
  keyId: TEST_KEY_ID,
  sign: (payload) => bytesToBase64(sign(payload)),
  issuedAt,
  baseUrl: vectors.base_url,
})
const SEALER = sealerAt('2026-03-01T00:00:00.000Z')

/** Seals batch after batch, each from the state the last one left. */
function sealInParts(parts: readonly (readonly SealEntry[])[], sealer = SEALER) {
  let state: ChainState = emptyChain(AGENT)
  const made = parts.map((entries) => {
    const sealing = sealAll(state, entries, sealer)
    state = sealing.state
    return sealing
  })
  return {
    state,
    sealed: made.flatMap((one) => one.sealed),
    nodes: made.flatMap((one) => one.nodes),
    certificates: made.flatMap((one) => one.certificates),
  }
}

type Made = ReturnType<typeof sealInParts>

/** Rebuilds certificates from records, stored nodes and stored rows. */
function rebuildAll(entries: readonly SealEntry[], made: Made, sealer = SEALER): Certificate[] {
  const readNode = nodeLookup(made.nodes)
  const { keyId, baseUrl } = sealer
  const issuedAt = new Date(sealer.issuedAt)
  return made.certificates.map((row, i) => {
    const [entry, sealed] = [entries[i], made.sealed[i]]
    if (entry === undefined || sealed === undefined) throw new Error(`nothing sealed at ${i}`)
    const checkpoint = { ...sealed, record: entry.record }
    return rebuildCertificate(checkpoint, { ...row, keyId, baseUrl, issuedAt }, readNode)
  })
}

const plain = ({ level, index, hash }: MerkleNode) => `${level}/${index} ${bytesToHex(hash)}`

describe('sealing the checkpoints of the vectors', () => {
  it('yields their hashes and, rebuilt, the same certificates', () => {
    let state = emptyChain(AGENT)
    const nodes: MerkleNode[] = []
    for (const { parts, certificate, certificate_hash } of vectors.checkpoints) {
      const record = buildRecord(parts)
      const sealer = sealerAt(parts.issued_at)
      const made = sealAll(state, [{ record, analysed: !parts.claims.synthetic }], sealer)
      nodes.push(...made.nodes)
      expect(made.sealed).toEqual([
        {
          position: certificate.proofs.chain.position,
          previous: certificate.proofs.chain.prev_chain_hash,
          recordHash: certificate.proofs.chain.record_hash,
          chainHash: certificate.proofs.chain.chain_hash,
          leafIndex: certificate.proofs.merkle?.leaf_index ?? null,
          certificateId: certificate.certificate_id,
        },
      ])
      expect(made.certificates[0]?.certificateHash).toBe(certificate_hash)
      const entries = [{ record, analysed: true }]
      expect(rebuildAll(entries, { ...made, nodes }, sealer)).toEqual([certificate])
      state = made.state
    }
    expect(state).toMatchObject({ length: 5, leafCount: 4 })
  })
})

describe('sealAll', () => {
  const kinds = fc.array(fc.boolean(), { maxLength: 40 })

  it('yields certificates that verify and match the stored hash, for any mix and batching', () => {
    fc.assert(
      fc.property(kinds, fc.nat(40), (analysed, cut) => {
        const entries = analysed.map((kind, i) => entryOf(AGENT, i, kind))
        const made = sealInParts([entries.slice(0, cut), entries.slice(cut)])
        const certificates = rebuildAll(entries, made)
        expect(certificates).toHaveLength(entries.length)
        for (const [i, certificate] of certificates.entries()) {
          const outcome = verifyCertificate(certificate, vectors.keys)
          expect(outcome).toMatchObject({ wellFormed: true, verification: { valid: true } })
          expect(certificateHash(certificate)).toBe(made.certificates[i]?.certificateHash)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('yields the same in one batch and one by one', () => {
    const entries = Array.from({ length: 70 }, (_, i) => entryOf(AGENT, i, i % 5 !== 2))
    const atOnce = sealInParts([entries])
    const single = sealInParts(entries.map((entry) => [entry]))
    expect(atOnce.sealed).toEqual(single.sealed)
    expect(atOnce.state).toEqual(single.state)
    expect(atOnce.certificates).toEqual(single.certificates)
    expect(atOnce.nodes.map(plain)).toEqual(single.nodes.map(plain))
  })

  it('builds a gapless chain over all and the tree over the analysed records', () => {
    fc.assert(
      fc.property(kinds, (analysed) => {
        const entries = analysed.map((kind, i) => entryOf(AGENT, i, kind))
        const { sealed, nodes, state } = sealInParts([entries])
        expect(walkChain(sealed).valid).toBe(true)
        const tree = createMerkleTree()
        for (const one of sealed) {
          if (one.leafIndex === null) continue
          expect(tree.append(leafHash(Buffer.from(one.chainHash, 'hex')))).toBe(one.leafIndex)
        }
        const readNode = nodeLookup(nodes)
        expect(state.leafCount).toBe(tree.size)
        expect(bytesToHex(rootFromNodes(tree.size, readNode))).toBe(bytesToHex(tree.root()))
        expect(state.edge.map(bytesToHex)).toEqual(
          nodesForRoot(tree.size).map(({ level, index }) => bytesToHex(readNode(level, index))),
        )
        expect(new Set(nodes.map(({ level, index }) => `${level}/${index}`)).size).toBe(
          nodes.length,
        )
      }),
      { numRuns: 50 },
    )
  })

  it('leaves chain and tree unchanged for an empty batch', () => {
    const { state } = sealInParts([[entryOf(AGENT, 0), entryOf(AGENT, 1), entryOf(AGENT, 2)]])
    expect(sealAll(state, [], SEALER)).toEqual({ state, sealed: [], nodes: [], certificates: [] })
  })

  it.each([
    ['of another agent', { record: recordOf('agent-other', 0), analysed: true }],
    ['that was not analysed but says so', { record: recordOf(AGENT, 0), analysed: false }],
    ['that was analysed but says not', { record: recordOf(AGENT, 0, true), analysed: true }],
  ])('signs nothing for a record %s', (_what, entry) => {
    expect(() => sealAll(emptyChain(AGENT), [entry], SEALER)).toThrow(TypeError)
  })

  it('signs nothing if the edge does not match the tree', () => {
    const { state } = sealInParts([[entryOf(AGENT, 0), entryOf(AGENT, 1), entryOf(AGENT, 2)]])
    const wrong = { ...state, edge: state.edge.slice(1) }
    expect(() => sealAll(wrong, [entryOf(AGENT, 3)], SEALER)).toThrow(RangeError)
  })
})

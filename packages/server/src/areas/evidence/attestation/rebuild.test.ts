import { bytesToBase64 } from '@touchstone/protocol/base'
import { ed25519Signer } from '@touchstone/protocol/crypto'
import {
  certificateHash,
  nodesForCertificate,
  rebuildCertificate,
  type SealedRecord,
  type StoredCertificate,
  verifyCertificate,
} from '@touchstone/protocol/evidence'
import { type MerkleNode, nodeLookup } from '@touchstone/protocol/merkle'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyChain, entryOf, TEST_KEY_ID, TEST_SEED, vectors } from './attestation.fixture.ts'
import { sealAll } from './seal.fixture.ts'

const AGENT = 'agent-demo'
const ISSUED_AT = '2026-03-01T00:00:00.000Z'
const sign = ed25519Signer(TEST_SEED)
const issue = { keyId: TEST_KEY_ID, baseUrl: vectors.base_url }
const entries = Array.from({ length: 14 }, (_, i) => entryOf(AGENT, i, i % 5 !== 1))
const made = sealAll(emptyChain(AGENT), entries, {
  ...issue,
  issuedAt: ISSUED_AT,
  sign: (payload) => bytesToBase64(sign(payload)),
})

type Parts = { checkpoint: SealedRecord; stored: StoredCertificate; nodes: MerkleNode[] }

/** Exactly the data that is read for the certificate at a position. */
function partsAt(position: number): Parts {
  const [entry, sealed] = [entries[position], made.sealed[position]]
  const row = made.certificates[position]
  if (entry === undefined || sealed === undefined || row === undefined) {
    throw new Error(`nothing was sealed at ${position}`)
  }
  const readNode = nodeLookup(made.nodes)
  const nodes = nodesForCertificate(sealed.leafIndex).map(({ level, index }) => ({
    level,
    index,
    hash: Uint8Array.from(readNode(level, index)),
  }))
  const stored = { ...row, ...issue, issuedAt: new Date(ISSUED_AT) }
  return { checkpoint: { ...sealed, record: structuredClone(entry.record) }, stored, nodes }
}

type Look = { verifies: boolean; hashes: boolean }

function lookAt({ checkpoint, stored, nodes }: Parts): Look {
  const certificate = rebuildCertificate(checkpoint, stored, nodeLookup(nodes))
  const outcome = verifyCertificate(certificate, vectors.keys)
  return {
    verifies: outcome.wellFormed && outcome.verification.valid,
    hashes: certificateHash(certificate) === stored.certificateHash,
  }
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.map((byte, i) => (i === at ? byte ^ 1 : byte))
}

/** One change for every number, string and boolean in an object. */
function changesOf(value: object): { name: string; change(): void }[] {
  const place = value as Record<string, unknown>
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    if (typeof member === 'object' && member !== null) {
      return changesOf(member).map((inner) => ({ ...inner, name: `${name}.${inner.name}` }))
    }
    return [{ name, change: () => Object.assign(place, { [name]: another(member) }) }]
  })
}

function another(value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number') return value + 1
  return typeof value === 'string' ? `${value}0` : 'something'
}

const positions = fc.nat(entries.length - 1)

describe('a rebuilt certificate', () => {
  it('verifies and has the issued hash if nothing changed', () => {
    for (const position of entries.keys()) {
      expect(lookAt(partsAt(position))).toEqual({ verifies: true, hashes: true })
    }
  })

  it.each(changesOf(partsAt(4).checkpoint.record))(
    'neither verifies nor hashes as issued after a change of the record: $name',
    ({ name }) => {
      const parts = partsAt(4)
      changesOf(parts.checkpoint.record)
        .find((one) => one.name === name)
        ?.change()
      expect(lookAt(parts)).toEqual({ verifies: false, hashes: false })
    },
  )

  it.each(['previous', 'recordHash', 'chainHash'] as const)(
    'neither verifies nor hashes as issued with another %s',
    (name) => {
      for (const position of entries.keys()) {
        const parts = partsAt(position)
        const checkpoint = { ...parts.checkpoint, [name]: 'ab'.repeat(32) }
        expect(lookAt({ ...parts, checkpoint })).toEqual({ verifies: false, hashes: false })
      }
    },
  )

  it('is detected if any byte of the signature changed', () => {
    const parts = partsAt(5)
    for (const at of parts.stored.signature.keys()) {
      const stored = { ...parts.stored, signature: flipped(parts.stored.signature, at) }
      expect(lookAt({ ...parts, stored })).toEqual({ verifies: false, hashes: false })
    }
  })

  it('is detected if any byte of a required node changed', () => {
    fc.assert(
      fc.property(positions, fc.nat(), fc.nat(31), (position, pick, at) => {
        const parts = partsAt(position)
        const node = parts.nodes[pick % Math.max(1, parts.nodes.length)]
        fc.pre(node !== undefined)
        const nodes = parts.nodes.map((one) =>
          one.level === node?.level && one.index === node.index
            ? { ...one, hash: flipped(one.hash, at) }
            : one,
        )
        expect(lookAt({ ...parts, nodes })).toEqual({ verifies: false, hashes: false })
      }),
    )
  })

  it.each([
    { keyId: 'key-cdafe694ecf41090' },
    { issuedAt: new Date('2026-03-01T00:00:00.001Z') },
    { certificateId: 'cert-0000000000000000' },
  ])('is detected if changed by %j', (change) => {
    const parts = partsAt(3)
    const stored = { ...parts.stored, ...change }
    expect(lookAt({ ...parts, stored })).toEqual({ verifies: false, hashes: false })
  })

  it('reveals changed URLs by its hash alone, because no check covers them', () => {
    const parts = partsAt(3)
    const stored = { ...parts.stored, baseUrl: 'https://elsewhere.example' }
    expect(lookAt({ ...parts, stored })).toEqual({ verifies: true, hashes: false })
  })

  it('fails if a node is missing', () => {
    const parts = partsAt(8)
    for (const missing of parts.nodes) {
      const nodes = parts.nodes.filter(
        ({ level, index }) => level !== missing.level || index !== missing.index,
      )
      expect(() => lookAt({ ...parts, nodes })).toThrow(RangeError)
    }
  })
})

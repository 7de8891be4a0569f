import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { round } from '../base/rounding.ts'
import { GRADES, type Grade } from '../score/grade.ts'
import {
  batchRoot,
  gradeBytes,
  type Hex,
  metadataHash,
  type OnChainRecord,
  onChainId,
  type PublicationMetadata,
  packRecords,
  publicationLeaf,
} from './publication.ts'

type Vectors = {
  publications: {
    metadata: PublicationMetadata
    id: Hex
    grade: Hex
    metadata_hash: Hex
    leaf: Hex
  }[]
  grades: Record<string, Hex>
  batch_roots: { leaves: number; root: Hex }[]
}

const file = new URL('../../../../vectors/chain/encodings.json', import.meta.url)
const vectors: Vectors = JSON.parse(readFileSync(file, 'utf8'))

const recordOf = (metadata: PublicationMetadata): OnChainRecord => ({
  id: onChainId(metadata.agent_id),
  score: metadata.score,
  grade: metadata.grade,
  metadataHash: metadataHash(metadata),
})

const word = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`)

const record = fc.record({
  id: word,
  score: fc.integer({ min: 0, max: 1000 }),
  grade: fc.constantFrom(...GRADES.map(({ grade }) => grade)),
  metadataHash: word,
})

describe('a publication on the chain', () => {
  it('has the id, grade, hash and leaf of the vectors', () => {
    for (const vector of vectors.publications) {
      const made = recordOf(vector.metadata)
      expect(made.id).toBe(vector.id)
      expect(gradeBytes(made.grade)).toBe(vector.grade)
      expect(made.metadataHash).toBe(vector.metadata_hash)
      expect(publicationLeaf(made)).toBe(vector.leaf)
    }
    for (const [grade, bytes] of Object.entries(vectors.grades)) {
      expect(gradeBytes(grade as Grade)).toBe(bytes)
    }
  })

  it('rounds a score half up', () => {
    expect(round(649.5)).toBe(650)
  })

  it('hashes the same metadata to the same value, whatever the order of its fields', () => {
    const [first] = vectors.publications
    const entries = Object.entries(first?.metadata ?? {}).reverse()
    expect(metadataHash(Object.fromEntries(entries) as PublicationMetadata)).toBe(
      first?.metadata_hash,
    )
  })

  it('takes 69 bytes, from which every field can be read back', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 5 }), (records) => {
        const packed = packRecords(records).slice(2)
        expect(packed.length).toBe(records.length * 138)
        records.forEach((one, i) => {
          const text = packed.slice(i * 138, (i + 1) * 138)
          expect(`0x${text.slice(0, 64)}`).toBe(one.id)
          expect(Number.parseInt(text.slice(64, 68), 16)).toBe(one.score)
          expect(`0x${text.slice(68, 74)}`).toBe(gradeBytes(one.grade))
          expect(`0x${text.slice(74)}`).toBe(one.metadataHash)
        })
      }),
    )
  })

  it('has a different leaf if any field differs', () => {
    fc.assert(
      fc.property(record, record, (a, b) => {
        fc.pre(JSON.stringify(a) !== JSON.stringify(b))
        expect(publicationLeaf(a)).not.toBe(publicationLeaf(b))
      }),
    )
  })
})

describe('batchRoot', () => {
  const leaves = vectors.publications.map((vector) => vector.leaf)

  it('matches the vectors', () => {
    for (const { leaves: count, root } of vectors.batch_roots) {
      expect(batchRoot(leaves.slice(0, count))).toBe(root)
    }
  })

  it('promotes an odd last leaf unchanged', () => {
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        expect(batchRoot([a, b, c])).toBe(batchRoot([batchRoot([a, b]), c]))
      }),
    )
  })

  it('does not depend on the order within a pair', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(batchRoot([a, b])).toBe(batchRoot([b, a]))
      }),
    )
  })

  it('changes with any leaf', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 20 }), fc.nat(), word, (all, at, x) => {
        const index = at % all.length
        fc.pre(all[index] !== x)
        expect(batchRoot(all.with(index, x))).not.toBe(batchRoot(all))
      }),
    )
  })

  it('rejects an empty batch', () => {
    expect(() => batchRoot([])).toThrow(RangeError)
  })
})

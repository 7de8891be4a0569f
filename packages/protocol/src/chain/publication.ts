import { canonicalJson } from '../base/canonical-json.ts'
import { bytesToHex, hexToBytes } from '../base/encoding.ts'
import { keccak256, keccak256Hex } from '../crypto/keccak.ts'
import type { AssuranceLevel } from '../score/assurance.ts'
import type { ComponentKey } from '../score/component-scores.ts'
import type { Grade } from '../score/grade.ts'

/**
 * The on-chain encoding of a score (spec: chain §2). Anybody with the metadata of a publication can
 * recompute its hash, its leaf and, with the other leaves, the root of its batch.
 */

/** Bytes as the chain's tools write them: `0x` and lower-case hex. */
export type Hex = `0x${string}`

/** The basis of a published score; its hash goes on chain. */
export type PublicationMetadata = PublicationFigures &
  (
    | { schema: 'touchstone.publication/1' }
    /** For a score with an assurance, computed by methodology 2 or later. */
    | {
        schema: 'touchstone.publication/2'
        assurance: AssuranceLevel
        assured_score: number
        methodology: string
      }
  )

type PublicationFigures = {
  agent_id: string
  score: number
  grade: Grade
  confidence: string
  checkpoint_count: number
  components: Record<ComponentKey, number | null>
  /** `sha256:` and the root of the agent's checkpoint tree when the score was computed. */
  merkle_root: string
  computed_at: string
}

export type OnChainRecord = {
  /** See `onChainId`. */
  id: Hex
  /** An integer, see `round`. */
  score: number
  grade: Grade
  metadataHash: Hex
}

const WORD_BYTES = 32
const GRADE_BYTES = 3
/** The id, uint16, bytes3 and the hash, without padding. */
const RECORD_BYTES = WORD_BYTES + 2 + GRADE_BYTES + WORD_BYTES

/** The contracts reject more in one transaction. */
export const BATCH_MAX = 200

export function onChainId(agentId: string): Hex {
  return `0x${keccak256Hex(agentId)}`
}

export function metadataHash(metadata: PublicationMetadata): Hex {
  return `0x${keccak256Hex(canonicalJson(metadata))}`
}

/** ASCII, padded with zeros on the right. */
export function gradeBytes(grade: Grade): Hex {
  return `0x${bytesToHex(gradeField(grade))}`
}

/** Hashed twice, so that an inner node cannot pass for a leaf. */
export function publicationLeaf(record: OnChainRecord): Hex {
  const words = new Uint8Array(4 * WORD_BYTES)
  words.set(bytesOf(record.id))
  new DataView(words.buffer).setUint16(2 * WORD_BYTES - 2, record.score)
  words.set(gradeField(record.grade), 2 * WORD_BYTES)
  words.set(bytesOf(record.metadataHash), 3 * WORD_BYTES)
  return `0x${bytesToHex(keccak256(keccak256(words)))}`
}

/** In input order; the smaller hash of a pair comes first, and an odd last node is promoted. */
export function batchRoot(leaves: readonly Hex[]): Hex {
  if (leaves.length === 0) throw new RangeError('a batch must have at least one leaf')
  let level = leaves.map(bytesOf)
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) above.push(parentOf(level[i], level[i + 1]))
    level = above
  }
  return `0x${bytesToHex(level[0] ?? new Uint8Array())}`
}

/** Packs records as the argument of `publishBatch`. */
export function packRecords(records: readonly OnChainRecord[]): Hex {
  const packed = new Uint8Array(records.length * RECORD_BYTES)
  const view = new DataView(packed.buffer)
  records.forEach((record, i) => {
    const at = i * RECORD_BYTES
    packed.set(bytesOf(record.id), at)
    view.setUint16(at + WORD_BYTES, record.score)
    packed.set(gradeField(record.grade), at + WORD_BYTES + 2)
    packed.set(bytesOf(record.metadataHash), at + WORD_BYTES + 2 + GRADE_BYTES)
  })
  return `0x${bytesToHex(packed)}`
}

function parentOf(left: Uint8Array | undefined, right: Uint8Array | undefined): Uint8Array {
  if (left === undefined) throw new RangeError('a pair must have a first node')
  if (right === undefined) return left
  const pair = new Uint8Array(2 * WORD_BYTES)
  const [first, second] = isBelow(right, left) ? [right, left] : [left, right]
  pair.set(first)
  pair.set(second, WORD_BYTES)
  return keccak256(pair)
}

function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  const at = a.findIndex((byte, i) => byte !== b[i])
  return at >= 0 && (a[at] ?? 0) < (b[at] ?? 0)
}

function gradeField(grade: Grade): Uint8Array {
  const field = new Uint8Array(GRADE_BYTES)
  field.set(new TextEncoder().encode(grade))
  return field
}

function bytesOf(word: Hex): Uint8Array {
  const bytes = hexToBytes(word.slice(2))
  if (bytes.length !== WORD_BYTES) throw new RangeError('expected 32 bytes')
  return bytes
}

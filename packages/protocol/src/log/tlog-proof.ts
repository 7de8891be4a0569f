import { base64ToBytes, bytesToBase64 } from '../base/encoding.ts'
import { leafHash, verifyInclusion } from '../merkle/merkle.ts'
import { type Parsed, parseCount, parseHashes } from './parsed.ts'
import { type TrustedCheckpoint, verifyByPolicy } from './policy-check.ts'
import type { TlogPolicy } from './tlog-policy.ts'

/** Proofs of logging that verify offline (c2sp.org/tlog-proof; spec: log §2). */

export type TlogProof = {
  /** Not authenticated by itself. We write the entry, which the leaf hash authenticates. */
  extra?: Uint8Array
  index: number
  /** From the leaf to the root. */
  hashes: Uint8Array[]
  /** The signed note, verbatim. */
  checkpoint: string
}

const HEADER = 'c2sp.org/tlog-proof@v1'
/** A tree of 2^63 leaves has no longer path. */
const HASHES_MAX = 63

export function writeTlogProof({ extra, index, hashes, checkpoint }: TlogProof): string {
  const lines = [HEADER]
  if (extra !== undefined) lines.push(`extra ${bytesToBase64(extra)}`)
  lines.push(`index ${index}`, ...hashes.map(bytesToBase64), '', checkpoint)
  return lines.join('\n')
}

export function parseTlogProof(text: string): Parsed<TlogProof> {
  const split = text.indexOf('\n\n')
  const [header, ...lines] = text.slice(0, Math.max(split, 0)).split('\n')
  if (header !== HEADER) return { ok: false, reason: `must begin with the line ${HEADER}` }
  const extra = lines[0]?.startsWith('extra ') ? base64ToBytes(lines[0].slice(6)) : undefined
  if (lines[0]?.startsWith('extra ')) {
    if (extra === undefined) return { ok: false, reason: 'extra is not valid base64' }
    lines.shift()
  }
  const [place = '', ...path] = lines
  const index = place.startsWith('index ') ? parseCount(place.slice(6)) : undefined
  if (index === undefined) return { ok: false, reason: 'must have a line index <number>' }
  const hashes = path.length > HASHES_MAX ? undefined : parseHashes(path)
  if (hashes === undefined) {
    return { ok: false, reason: `the path must be at most ${HASHES_MAX} hashes in base64` }
  }
  const proof = { index, hashes, checkpoint: text.slice(split + 2) }
  return { ok: true, value: extra === undefined ? proof : { ...proof, extra } }
}

/** Verifies that the entry is in a log of the policy, under a checkpoint with its quorum. */
export function verifyTlogProof(
  proof: TlogProof,
  { entry, policy }: { entry: Uint8Array; policy: TlogPolicy },
): Parsed<TrustedCheckpoint> {
  const checkpoint = verifyByPolicy(proof.checkpoint, policy)
  if (!checkpoint.ok) return checkpoint
  const { size, root } = checkpoint.value
  const claim = { leaf: leafHash(entry), index: proof.index, size, proof: proof.hashes }
  return verifyInclusion(claim, root)
    ? checkpoint
    : { ok: false, reason: 'the path does not lead from the entry to the root' }
}

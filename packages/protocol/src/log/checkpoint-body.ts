import { bytesToBase64, equalBytes } from '../base/encoding.ts'
import { emptyRoot, HASH_BYTES } from '../merkle/merkle.ts'
import { parseCount, parseHash } from './parsed.ts'

/** The signed text of a log checkpoint (c2sp.org/tlog-checkpoint; spec: log §2.3). */
export type LogHead = { origin: string; size: number; root: Uint8Array }

/** Throws a TypeError for an origin, a size or a root that no checkpoint can have. */
export function checkpointBody({ origin, size, root }: LogHead): string {
  if (origin === '' || /[\n\p{Cc}]/u.test(origin)) throw new TypeError('not an origin')
  if (!Number.isSafeInteger(size) || size < 0) throw new TypeError('not a tree size')
  if (root.length !== HASH_BYTES) throw new TypeError('a root hash must have 32 bytes')
  return `${origin}\n${size}\n${bytesToBase64(root)}\n`
}

/** Lines after the third are extensions: part of the signed text, without a meaning here. */
export function parseCheckpointBody(body: string): LogHead | undefined {
  const lines = body.split('\n')
  if (lines.pop() !== '' || lines.includes('')) return undefined
  const [origin = '', sizeText = '', rootText = ''] = lines
  const size = parseCount(sizeText)
  const root = parseHash(rootText)
  return size === undefined || root === undefined ? undefined : { origin, size, root }
}

/** A tree of size 0 has one root: the hash of nothing (RFC 6962 §2.1). */
export function hasPossibleRoot({ size, root }: Omit<LogHead, 'origin'>): boolean {
  return size > 0 || equalBytes(root, emptyRoot())
}

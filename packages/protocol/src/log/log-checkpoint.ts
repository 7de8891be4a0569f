import { bytesToBase64, equalBytes } from '../base/encoding.ts'
import { emptyRoot, HASH_BYTES } from '../merkle/merkle.ts'
import type { NoteKey } from './note-key.ts'
import { type Parsed, parseCount, parseHash } from './parsed.ts'
import { parseNote, type SignedNote, type VerifiedSignature, verifyNote } from './signed-note.ts'

/** Checkpoints of a log (c2sp.org/tlog-checkpoint; spec: log §2), also called signed tree heads. */

export type LogHead = { origin: string; size: number; root: Uint8Array }

export type LogCheckpoint = LogHead & {
  /** The signed text of the note. */
  body: string
  note: SignedNote
}

/** Throws a TypeError for an origin or a root that no checkpoint can have. */
export function checkpointBody({ origin, size, root }: LogHead): string {
  if (origin === '' || /[\n\p{Cc}]/u.test(origin)) throw new TypeError('not an origin')
  if (!Number.isSafeInteger(size) || size < 0) throw new TypeError('not a tree size')
  if (root.length !== HASH_BYTES) throw new TypeError('a root hash must have 32 bytes')
  return `${origin}\n${size}\n${bytesToBase64(root)}\n`
}

/** Reads a signed note as a checkpoint, without verifying any signature. */
export function parseLogCheckpoint(text: string): Parsed<LogCheckpoint> {
  const note = parseNote(text)
  if (!note.ok) return { ok: false, reason: `checkpoint: ${note.reason}` }
  const head = parseCheckpointBody(note.value.body)
  if (head === undefined) {
    return { ok: false, reason: 'checkpoint: must begin with an origin, a size and a root hash' }
  }
  const { origin, size, root } = head
  return { ok: true, value: { origin, size, root, body: note.value.body, note: note.value } }
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

/**
 * The verified signatures of the known keys. Fails unless the log itself signed, that is a key whose
 * name is the origin.
 */
export function verifyLogCheckpoint(
  checkpoint: LogCheckpoint,
  { logKeys, witnessKeys }: { logKeys: readonly NoteKey[]; witnessKeys: readonly NoteKey[] },
): Parsed<VerifiedSignature[]> {
  const ofLog = logKeys.filter(({ name }) => name === checkpoint.origin)
  if (ofLog.length === 0) return { ok: false, reason: `unknown log ${checkpoint.origin}` }
  const verified = verifyNote(checkpoint.note, [...ofLog, ...witnessKeys])
  if (!verified.ok) return verified
  if (!verified.value.some(({ key }) => ofLog.includes(key))) {
    return { ok: false, reason: `not signed by a known key of the log ${checkpoint.origin}` }
  }
  return verified
}

/** A tree of size 0 has one root: the hash of nothing (RFC 6962 §2.1). */
export function hasPossibleRoot({ size, root }: LogHead): boolean {
  return size > 0 || equalBytes(root, emptyRoot())
}

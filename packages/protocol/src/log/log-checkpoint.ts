import { type LogHead, parseCheckpointBody } from './checkpoint-body.ts'
import type { NoteKey } from './note-key.ts'
import type { Parsed } from './parsed.ts'
import { parseNote, type SignedNote, type VerifiedSignature, verifyNote } from './signed-note.ts'

/** Checkpoints of a log (c2sp.org/tlog-checkpoint; spec: log §2), also called signed tree heads. */

export type LogCheckpoint = LogHead & {
  /** The signed text of the note. */
  body: string
  note: SignedNote
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

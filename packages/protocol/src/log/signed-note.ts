import { LONE_SURROGATE } from '../base/canonical-json.ts'
import { base64ToBytes, bytesToBase64, bytesToHex, hexToBytes } from '../base/encoding.ts'
import { verifyMlDsa44 } from '../crypto/ml-dsa.ts'
import { verifyEd25519 } from '../crypto/signature.ts'
import { parseCheckpointBody } from './checkpoint-body.ts'
import { cosignedMessage, cosignedTree, readCosignature } from './cosignature.ts'
import { isKeyName, type NoteKey } from './note-key.ts'
import { hasControlCharacter, type Parsed } from './parsed.ts'

/** Signed notes (c2sp.org/signed-note; spec: log §2): a text, an empty line, signature lines. */

export type NoteSignature = {
  name: string
  /** Eight hex digits. */
  keyId: string
  /** Without the key id. */
  signature: Uint8Array
}

export type SignedNote = {
  /** With its final line feed. */
  body: string
  signatures: NoteSignature[]
}

export type VerifiedSignature = {
  key: NoteKey
  signature: Uint8Array
  /** The time of a cosignature, in seconds since 1970. */
  time?: number
}

/** More than the 16 that readers must accept; a note with thousands would cost much to read. */
const SIGNATURES_MAX = 100
const KEY_ID_BYTES = 4

const SIGNATURE_FORM = /^— (\S+) (\S+)$/u

/** `lines` are signature lines. Throws a TypeError unless the body ends in a line feed. */
export function writeNote(body: string, lines: readonly string[]): string {
  if (!body.endsWith('\n')) throw new TypeError('the text of a note must end in a line feed')
  return `${body}\n${lines.join('')}`
}

/** With its final line feed. */
export function signatureLine({ name, keyId, signature }: NoteSignature): string {
  return `— ${name} ${bytesToBase64(Uint8Array.of(...hexToBytes(keyId), ...signature))}\n`
}

/** Signs the text of a note with a key of a log. `sign` is plain Ed25519. */
export function signNote(
  body: string,
  { key, sign }: { key: NoteKey; sign: (message: string) => Uint8Array },
): string {
  return writeNote(body, [signatureLine({ name: key.name, keyId: key.id, signature: sign(body) })])
}

export function parseNote(note: string): Parsed<SignedNote> {
  const split = note.lastIndexOf('\n\n')
  if (split < 0 || !note.endsWith('\n')) {
    return { ok: false, reason: 'must be a text, an empty line and signature lines' }
  }
  if (hasControlCharacter(note, '\n') || LONE_SURROGATE.test(note)) {
    return { ok: false, reason: 'must be UTF-8 without control characters' }
  }
  const signatures = parseSignatureLines(note.slice(split + 2))
  if (!signatures.ok) return signatures
  return { ok: true, value: { body: note.slice(0, split + 1), signatures: signatures.value } }
}

/** One or more lines, each with its line feed. */
export function parseSignatureLines(text: string): Parsed<NoteSignature[]> {
  const lines = text.split('\n')
  if (lines.pop() !== '' || lines.length === 0) {
    return { ok: false, reason: 'must have at least one signature line' }
  }
  if (lines.length > SIGNATURES_MAX) {
    return { ok: false, reason: `must have at most ${SIGNATURES_MAX} signatures` }
  }
  const signatures = lines.map(parseSignatureLine)
  return signatures.every((one) => one !== undefined)
    ? { ok: true, value: signatures }
    : { ok: false, reason: 'has a malformed signature line' }
}

function parseSignatureLine(line: string): NoteSignature | undefined {
  const [, name = '', encoded = ''] = SIGNATURE_FORM.exec(line) ?? []
  const bytes = base64ToBytes(encoded)
  if (!isKeyName(name) || bytes === undefined || bytes.length <= KEY_ID_BYTES) return undefined
  return {
    name,
    keyId: bytesToHex(bytes.subarray(0, KEY_ID_BYTES)),
    signature: bytes.slice(KEY_ID_BYTES),
  }
}

/**
 * The signatures of known keys, each key once. Signatures of unknown keys are ignored, and one that
 * has the name and the id of a known key but does not verify makes the whole note invalid. The
 * result may be empty: the caller decides which keys are required.
 */
export function verifyNote(
  { body, signatures }: SignedNote,
  keys: readonly NoteKey[],
): Parsed<VerifiedSignature[]> {
  const verified = new Map<NoteKey, VerifiedSignature>()
  for (const { name, keyId, signature } of signatures) {
    const key = keys.find((known) => known.name === name && known.id === keyId)
    if (key === undefined || verified.has(key)) continue
    const good = verifyOne(body, { key, signature })
    if (good === undefined) {
      return { ok: false, reason: `the signature of ${name} (${keyId}) does not verify` }
    }
    verified.set(key, good)
  }
  return { ok: true, value: [...verified.values()] }
}

function verifyOne(
  body: string,
  { key, signature }: { key: NoteKey; signature: Uint8Array },
): VerifiedSignature | undefined {
  const { publicKey, type } = key
  if (type === 'ed25519') {
    return verifyEd25519({ signature, message: body, publicKey }) ? { key, signature } : undefined
  }
  const cosignature = readCosignature(signature)
  if (cosignature === undefined) return undefined
  const { time } = cosignature
  const isGood =
    type === 'cosignature'
      ? verifyEd25519({ ...cosignature, message: cosignedMessage(body, time), publicKey })
      : isCosignedTree(body, { ...cosignature, key })
  return isGood ? { key, signature, time } : undefined
}

function isCosignedTree(
  body: string,
  { key, time, signature }: { key: NoteKey; time: number; signature: Uint8Array },
): boolean {
  const head = parseCheckpointBody(body)
  const message = head && cosignedTree(head, { name: key.name, time })
  return message !== undefined && verifyMlDsa44({ signature, message, publicKey: key.publicKey })
}

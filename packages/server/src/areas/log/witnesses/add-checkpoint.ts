import {
  type NoteKey,
  parseCount,
  parseNote,
  parseSignatureLines,
  signatureLine,
  verifyNote,
} from '@touchstone/protocol/log'

/** Reads responses of c2sp.org/tlog-witness (spec: log §4). */

/** The outcome of asking a witness. */
export type WitnessStatus =
  | 'ok'
  | 'never_asked'
  | 'conflict'
  | 'unknown_log'
  | 'rejected'
  | 'invalid_proof'
  | 'invalid_answer'
  | 'unreachable'

export type WitnessAnswer =
  | { kind: 'cosigned'; line: string }
  /** The witness knows another size. */
  | { kind: 'conflict'; size: number }
  | { kind: 'refused'; status: WitnessStatus; detail: string }

const SHOWN_MAX = 200

const REFUSALS: Record<number, WitnessStatus> = {
  403: 'rejected',
  404: 'unknown_log',
  409: 'conflict',
  422: 'invalid_proof',
}

/** A response is the witness's own: it counts only if its cosignature verifies. */
export function readAnswer(
  { status, body }: { status: number; body: Uint8Array },
  { checkpoint, key }: { checkpoint: string; key: NoteKey },
): WitnessAnswer {
  const text = new TextDecoder().decode(body)
  if (status === 200) return readCosignatures(text, checkpoint, key)
  const size = status === 409 ? parseCount(text.replace(/\n$/, '')) : undefined
  if (size !== undefined) return { kind: 'conflict', size }
  const detail = `${status} ${text.slice(0, SHOWN_MAX).replaceAll(/[^\x20-\x7e]+/g, ' ')}`.trim()
  return { kind: 'refused', status: REFUSALS[status] ?? 'invalid_answer', detail }
}

function readCosignatures(text: string, checkpoint: string, key: NoteKey): WitnessAnswer {
  const invalid = (detail: string): WitnessAnswer => ({
    kind: 'refused',
    status: 'invalid_answer',
    detail,
  })
  const note = parseNote(checkpoint)
  if (!note.ok) throw new Error(`our checkpoint ${note.reason}`)
  const signatures = parseSignatureLines(text)
  if (!signatures.ok) return invalid(`the answer ${signatures.reason}`)
  const own = signatures.value.filter(({ name, keyId }) => name === key.name && keyId === key.id)
  const verified = verifyNote({ body: note.value.body, signatures: own }, [key])
  if (!verified.ok) return invalid(verified.reason)
  const [good] = verified.value
  if (good === undefined) return invalid(`no signature of ${key.name} (${key.id})`)
  const { name, id: keyId } = key
  return { kind: 'cosigned', line: signatureLine({ name, keyId, signature: good.signature }) }
}

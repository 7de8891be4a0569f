import { bytesToBase64, equalBytes } from '../base/encoding.ts'
import { verifyConsistency } from '../merkle/merkle.ts'
import { hasPossibleRoot, type LogHead } from './checkpoint-body.ts'
import { type LogCheckpoint, parseLogCheckpoint } from './log-checkpoint.ts'
import type { NoteKey } from './note-key.ts'
import { type Parsed, parseCount, parseHashes } from './parsed.ts'
import { type VerifiedSignature, verifyNote } from './signed-note.ts'

/** Requests to a witness (c2sp.org/tlog-witness, add-checkpoint; spec: log §4), and their judgement. */

export type AddCheckpoint = {
  /** The size of the checkpoint that the witness is expected to know. */
  old: number
  /** The consistency proof from `old`. */
  hashes: Uint8Array[]
  /** The signed note, verbatim. */
  checkpoint: string
}

/** The most that a request may have. */
const HASHES_MAX = 63

export function writeAddCheckpoint({ old, hashes, checkpoint }: AddCheckpoint): string {
  return [`old ${old}`, ...hashes.map(bytesToBase64), '', checkpoint].join('\n')
}

export function parseAddCheckpoint(text: string): Parsed<AddCheckpoint> {
  const split = text.indexOf('\n\n')
  const [first = '', ...lines] = text.slice(0, Math.max(split, 0)).split('\n')
  const old = first.startsWith('old ') ? parseCount(first.slice(4)) : undefined
  if (old === undefined) return { ok: false, reason: 'must begin with the line old <size>' }
  const hashes = lines.length > HASHES_MAX ? undefined : parseHashes(lines)
  if (hashes === undefined) {
    return { ok: false, reason: `the proof must be at most ${HASHES_MAX} hashes in base64` }
  }
  return { ok: true, value: { old, hashes, checkpoint: text.slice(split + 2) } }
}

export type Judgement =
  | { status: 200; checkpoint: LogCheckpoint; signatures: VerifiedSignature[] }
  | { status: 400 | 403 | 404 | 422; reason: string }
  /** `size` is that of the checkpoint which the witness knows. */
  | { status: 409; reason: string; size: number }

type KnownTree = Omit<LogHead, 'origin'>

export type WitnessView = {
  /** The keys of a log; empty if the witness does not know it. */
  keysOf(origin: string): readonly NoteKey[]
  /** The last cosigned checkpoint; undefined if there is none yet. */
  latestOf(origin: string): KnownTree | undefined
}

/**
 * Whether a witness cosigns. The order is that of the specification: a stranger learns nothing about
 * the state of a log that he cannot sign for.
 */
export function judgeAddCheckpoint(request: AddCheckpoint, view: WitnessView): Judgement {
  const parsed = parseLogCheckpoint(request.checkpoint)
  if (!parsed.ok) return { status: 400, reason: parsed.reason }
  const checkpoint = parsed.value
  const { origin, note, size } = checkpoint
  const keys = view.keysOf(origin)
  if (keys.length === 0) return { status: 404, reason: 'unknown origin' }
  const verified = verifyNote(note, keys)
  if (!verified.ok) return { status: 403, reason: verified.reason }
  if (verified.value.length === 0) return { status: 403, reason: 'not signed by a known key' }
  if (request.old > size) {
    return { status: 400, reason: `old ${request.old} is larger than the size ${size}` }
  }
  const latest = view.latestOf(origin)
  const known = latest?.size ?? 0
  if (request.old !== known)
    return { status: 409, reason: `the known size is ${known}`, size: known }
  const fault = growthFault(request, { checkpoint, latest })
  return fault === undefined
    ? { status: 200, checkpoint, signatures: verified.value }
    : { status: 422, reason: fault }
}

function growthFault(
  { old, hashes }: AddCheckpoint,
  { checkpoint, latest }: { checkpoint: LogCheckpoint; latest: KnownTree | undefined },
): string | undefined {
  const { size, root } = checkpoint
  if (!hasPossibleRoot(checkpoint)) return 'the root of an empty tree must be the hash of nothing'
  if (old === 0) return hashes.length > 0 ? 'there is no proof from old 0' : undefined
  const firstRoot = latest?.root ?? new Uint8Array()
  if (old === size && !equalBytes(root, firstRoot)) return 'same size, but another root'
  const claim = { first: old, second: size, firstRoot, secondRoot: root, proof: hashes }
  return verifyConsistency(claim) ? undefined : 'the consistency proof does not verify'
}

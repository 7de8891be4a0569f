import {
  compareHeads,
  hasQuorum,
  type LogReader,
  type Parsed,
  parseTlogPolicy,
  TILE_WIDTH,
  type TlogPolicy,
  tilePath,
  verifySignatures,
  writeVkey,
} from '@touchstone/protocol/log'

/** The last checkpoint of the log that this browser verified; plain data, because it is stored. */
export type SeenCheckpoint = {
  v: 1
  seen_at: string
  /** The signed note. */
  checkpoint: string
  /** The key that signed it. */
  vkey: string
}

export type HistoryLook =
  /** `before` is undefined at the first look. */
  | { kind: 'same'; size: number; before: SeenCheckpoint | undefined; seen: SeenCheckpoint }
  | { kind: 'fork'; reason: string; before: SeenCheckpoint; checkpoint: string }
  | { kind: 'older'; reason: string; before: SeenCheckpoint }
  | { kind: 'invalid'; reason: string; before: SeenCheckpoint | undefined }

export type PublicLog = {
  checkpoint(): Promise<string>
  /** The trust policy, in the form of c2sp.org/tlog-policy. */
  policy(): Promise<string>
  tile: LogReader['tile']
}

/**
 * One look at the log: whether its newest checkpoint holds, and continues the one that was seen before.
 * The key of that one counts, so that a service cannot begin a second log under the same name.
 */
export async function lookAtLog(
  log: PublicLog,
  before: SeenCheckpoint | undefined,
  now: Date,
): Promise<HistoryLook> {
  const [text, policyText] = await Promise.all([log.checkpoint(), log.policy()])
  const policy = parseTlogPolicy(policyText)
  if (!policy.ok) return { kind: 'invalid', reason: policy.reason, before }
  const next = readCheckpoint(text, policy.value)
  if (!next.ok) return { kind: 'invalid', reason: next.reason, before }
  const seen: SeenCheckpoint = {
    v: 1,
    seen_at: now.toISOString(),
    checkpoint: text,
    vkey: next.value.vkey,
  }
  const { size } = next.value
  if (before === undefined) return { kind: 'same', size, before, seen }
  if (before.vkey !== seen.vkey) {
    const reason = `the log was signed with ${before.vkey} and is signed with ${seen.vkey}`
    return { kind: 'invalid', reason, before }
  }
  const known = verifySignatures(before.checkpoint, policy.value)
  if (!known.ok) return { kind: 'invalid', reason: known.reason, before }
  const compared = await compareHeads(known.value, next.value, log.tile)
  if (compared.kind === 'fork') {
    return { kind: 'fork', reason: compared.reason, before, checkpoint: text }
  }
  if (!next.value.isWitnessed) {
    return { kind: 'invalid', reason: 'too few witnesses cosigned the checkpoint', before }
  }
  if (compared.kind === 'consistent') return { kind: 'same', size, before, seen }
  return { kind: compared.kind === 'older' ? 'older' : 'invalid', reason: compared.reason, before }
}

type Signed = { size: number; root: Uint8Array; vkey: string; isWitnessed: boolean }

function readCheckpoint(text: string, policy: TlogPolicy): Parsed<Signed> {
  const signed = verifySignatures(text, policy)
  if (!signed.ok) return signed
  const { origin, size, root, verified } = signed.value
  const keys = verified.map(({ key }) => key)
  const own = keys.find(({ name }) => name === origin)
  if (own === undefined) return { ok: false, reason: `not signed by the log ${origin}` }
  const value = { size, root, vkey: writeVkey(own), isWitnessed: hasQuorum(policy, keys) }
  return { ok: true, value }
}

/** Reads what `JSON.stringify` stored; undefined if it is anything else. */
export function parseSeen(text: string | null): SeenCheckpoint | undefined {
  try {
    const seen = JSON.parse(text ?? '') as Partial<SeenCheckpoint> | null
    const isSeen =
      seen?.v === 1 &&
      [seen.seen_at, seen.checkpoint, seen.vkey].every((value) => typeof value === 'string') &&
      !Number.isNaN(Date.parse(seen.seen_at ?? ''))
    return isSeen ? (seen as SeenCheckpoint) : undefined
  } catch {
    return undefined
  }
}

/** Reads tiles by `get`, which answers undefined for a file that is not there. */
export function tileReader(
  get: (path: string) => Promise<Uint8Array | undefined>,
): LogReader['tile'] {
  return async (tile) => {
    const part = await get(tilePath(tile))
    if (part !== undefined || tile.width === TILE_WIDTH) return part
    // The log deletes a partial tile once the full one exists.
    const full = await get(tilePath({ ...tile, width: TILE_WIDTH }))
    return full?.subarray(0, HASH_BYTES * tile.width)
  }
}

const HASH_BYTES = 32

import { bytesToBase64, isJsonObject } from '@touchstone/protocol/base'
import {
  isKnownTree,
  type KnownTree,
  parseHashes,
  type TlogPolicy,
  verifySignatures,
} from '@touchstone/protocol/log'
import { CliError } from '../cli-error.ts'
import { readIfExists } from '../optional-file.ts'
import { parseJson } from '../parse-json.ts'
import { replaceDurably } from './durable-file.ts'

/** The last checkpoint that a monitor verified, and the tree that it describes. */
export type SeenLog = { origin: string; checkpoint: string; seenAt: string; tree: KnownTree }

export async function readSeenLog(file: string, policy: TlogPolicy): Promise<SeenLog | undefined> {
  const text = await readIfExists(file)
  if (text === undefined) return undefined
  const seen = parseSeen(text, policy)
  if (seen === undefined) throw new CliError('unreadable', `${file}: not the state of this monitor`)
  return seen
}

export function saveSeenLog(file: string, { checkpoint, seenAt, tree }: SeenLog): Promise<void> {
  const state = { v: 1, seen_at: seenAt, checkpoint, edge: tree.edge.map(bytesToBase64) }
  return replaceDurably(file, `${JSON.stringify(state, null, 2)}\n`)
}

/** The checkpoint must be signed, because it is evidence if the log forks. */
function parseSeen(text: string, policy: TlogPolicy): SeenLog | undefined {
  const state = parseJson(text)
  if (!isJsonObject(state) || state['v'] !== 1) return undefined
  const { checkpoint, seen_at: seenAt, edge } = state
  if (typeof checkpoint !== 'string' || typeof seenAt !== 'string' || !Array.isArray(edge)) {
    return undefined
  }
  const signed = verifySignatures(checkpoint, policy)
  const hashes = edge.every((item) => typeof item === 'string') ? parseHashes(edge) : undefined
  if (!signed.ok || hashes === undefined) return undefined
  const { origin, size, root } = signed.value
  const tree = { size, root, edge: hashes }
  return isKnownTree(tree) ? { origin, checkpoint, seenAt, tree } : undefined
}

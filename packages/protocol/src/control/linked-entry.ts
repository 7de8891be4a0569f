import { canonicalJson } from '../base/canonical-json.ts'
import { sha256Hex } from '../crypto/hash.ts'

/** What the first entry of a log is linked to. */
export const NO_ENTRY_HASH = '0'.repeat(64)

/**
 * Links an entry of a log to the one before it, so that none can be changed, taken out or put in
 * without every later hash being another. The entry is given without its hashes.
 */
export function linkedEntryHash(entry: object, previousHash: string): string {
  return sha256Hex(`${previousHash}\n${canonicalJson(entry)}`)
}

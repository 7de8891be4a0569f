import { canonicalJson } from '../base/canonical-json.ts'
import { sha256Hex } from '../crypto/hash.ts'

/** The previous hash of the first entry of a log. */
export const NO_ENTRY_HASH = '0'.repeat(64)

/**
 * Links a log entry to the previous one, so that no entry can be changed, removed or inserted
 * without changing every later hash. The entry is given without its hashes.
 */
export function linkedEntryHash(entry: object, previousHash: string): string {
  return sha256Hex(`${previousHash}\n${canonicalJson(entry)}`)
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONTROL_VECTORS } from './control.fixture.ts'
import { linkedEntryHash, NO_ENTRY_HASH } from './linked-entry.ts'

describe('linkedEntryHash', () => {
  it.each(CONTROL_VECTORS.containment_log_hash)('$id', ({ entry, prev_hash, entry_hash }) => {
    expect(linkedEntryHash(entry, prev_hash)).toBe(entry_hash)
  })

  it('starts from a hash of zeros', () => {
    expect(CONTROL_VECTORS.containment_log_hash[0]?.prev_hash).toBe(NO_ENTRY_HASH)
  })

  it('differs for a different entry or a different previous hash', () => {
    const entries = fc.record({ id: fc.string(), text: fc.string() })
    fc.assert(
      fc.property(entries, entries, (one, other) => {
        const hash = linkedEntryHash(one, NO_ENTRY_HASH)
        fc.pre(one.id !== other.id || one.text !== other.text)
        expect(linkedEntryHash(other, NO_ENTRY_HASH)).not.toBe(hash)
        expect(linkedEntryHash(one, hash)).not.toBe(hash)
      }),
    )
  })
})

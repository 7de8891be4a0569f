import { createHash } from 'node:crypto'
import { NO_ENTRY_HASH } from '@touchstone/protocol/control'
import { describe, expect, it } from 'vitest'
import { linkComment } from './trail.ts'

const comment = (id: string, text: string) => ({
  id,
  checkpointId: 'ic-1',
  author: 'user-1',
  text,
  createdAt: new Date('2026-03-01T10:00:00.000Z'),
})

describe('linkComment', () => {
  it('begins a trail with sixty-four zeros and links each entry to the one before', () => {
    const first = linkComment(comment('vc-1', 'The card lacked it.'), undefined)
    const second = linkComment(comment('vc-2', 'Agreed.'), first)
    expect(first).toMatchObject({ entryNumber: 1, prevHash: NO_ENTRY_HASH })
    expect(second).toMatchObject({ entryNumber: 2, prevHash: first.entryHash })
  })

  it('has a hash that anybody can recompute from the answer of the API', () => {
    const { entryHash } = linkComment(comment('vc-1', 'The card lacked it.'), undefined)
    const shown =
      '{"author":"user-1","checkpoint_id":"ic-1","created_at":"2026-03-01T10:00:00.000Z","id":"vc-1","text":"The card lacked it."}'
    const hash = createHash('sha256')
      .update(`${'0'.repeat(64)}\n${shown}`)
      .digest('hex')
    expect(entryHash).toBe(hash)
  })
})

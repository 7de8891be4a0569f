import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { linkMove, type Moved } from './containment-log.ts'

/** Entries H1 and H2 of the test vectors. */
const PAUSED: Moved = {
  id: 'ctl-00000000-0000-4000-8000-000000000001',
  action: 'pause',
  actor: 'user-1',
  reason: 'Investigating',
  previousStatus: 'active',
  newStatus: 'paused',
  createdAt: new Date('2026-03-01T10:00:00.000Z'),
}
const RESUMED: Moved = {
  id: 'ctl-00000000-0000-4000-8000-000000000002',
  action: 'resume',
  actor: 'user-2',
  reason: null,
  previousStatus: 'paused',
  newStatus: 'active',
  createdAt: new Date('2026-03-01T11:00:00.000Z'),
}

describe('the log', () => {
  it('links H1 to the zero hash and H2 to H1', () => {
    const first = linkMove(PAUSED, undefined)
    expect(first).toMatchObject({
      entryNumber: 1,
      prevHash: '0'.repeat(64),
      entryHash: '5f541dd6da61ed4ba6bedc219b4814ac3f6f083a0b9e2f4112c9b34c5bb553ce',
    })
    expect(linkMove(RESUMED, first)).toMatchObject({
      entryNumber: 2,
      prevHash: first.entryHash,
      entryHash: 'bf7ecf70ff9337d51d031c715589cf6d624446ee870e57a96b47745e4558fa0c',
    })
  })

  it('can be verified with a hash function alone', () => {
    const { prevHash, entryHash } = linkMove(PAUSED, undefined)
    const json =
      '{"action":"pause","actor":"user-1","created_at":"2026-03-01T10:00:00.000Z",' +
      `"id":"${PAUSED.id}","new_status":"paused","previous_status":"active",` +
      '"reason":"Investigating"}'
    const hash = createHash('sha256').update(`${prevHash}\n${json}`).digest('hex')
    expect(hash).toBe(entryHash)
  })
})

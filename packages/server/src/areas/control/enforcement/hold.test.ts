import { describe, expect, it } from 'vitest'
import { isHold, type Newest } from './hold.ts'

const createdAt = new Date('2026-03-01T12:00:00.000Z')
const MINUTE_MS = 60_000
const newest = (given: Partial<Newest> = {}): Newest => ({
  verdict: 'boundary_violation',
  createdAt,
  cardGap: false,
  ...given,
})
const after = (ms: number) => new Date(createdAt.getTime() + ms)

describe('a hold', () => {
  it('is active while the newest checkpoint is a violation other than a card gap', () => {
    const at = { ofSession: true, now: createdAt }
    expect(isHold(newest(), at)).toBe(true)
    expect(isHold(newest({ cardGap: true }), at)).toBe(false)
    expect(isHold(newest({ verdict: 'review_needed' }), at)).toBe(false)
    expect(isHold(newest({ verdict: 'clear' }), at)).toBe(false)
    expect(isHold(undefined, at)).toBe(false)
  })

  it('lasts 15 minutes for the agent and indefinitely for its session', () => {
    const end = 15 * MINUTE_MS
    expect(isHold(newest(), { ofSession: false, now: after(end) })).toBe(true)
    expect(isHold(newest(), { ofSession: false, now: after(end + 1) })).toBe(false)
    expect(isHold(newest(), { ofSession: true, now: after(1000 * end) })).toBe(true)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBodyRoom, FREE_BYTES } from './body-room-service.ts'

const MB = 1024 * 1024

describe('the room for bodies', () => {
  it('gives an organisation its share, and ordinary requests always', () => {
    const room = createBodyRoom({ bytes: 100 * MB, bytesOfOwner: 40 * MB })
    const [first, second, third] = [room.enter('a'), room.enter('a'), room.enter('b')]
    expect(first.hold(31 * MB)).toBe(true)
    expect(second.hold(FREE_BYTES)).toBe(true)
    expect(second.hold(31 * MB)).toBe(false)
    expect(third.hold(31 * MB)).toBe(true)
    first.leave()
    first.leave()
    expect(second.hold(31 * MB)).toBe(true)
  })

  it('is never overdrawn, and empty once everybody has left', () => {
    const step = fc.tuple(fc.nat(9), fc.nat(40))
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        const room = createBodyRoom({ bytes: 100 * MB, bytesOfOwner: 40 * MB })
        const places = Array.from({ length: 10 }, (_, n) => room.enter(`owner-${n % 3}`))
        const held = places.map(() => 0)
        for (const [n, size] of steps) {
          const bytes = Math.max(held[n] ?? 0, size * MB)
          if (places[n]?.hold(bytes)) held[n] = bytes
          const paid = held.map((own) => Math.max(0, own - FREE_BYTES))
          const total = paid.reduce((sum, own) => sum + own, 0)
          expect(total).toBeLessThanOrEqual(100 * MB)
        }
        for (const place of places) place.leave()
        expect(room.enter('owner-0').hold(41 * MB)).toBe(true)
      }),
    )
  })
})

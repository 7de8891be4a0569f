import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { STREAMS } from './answers.fixture.ts'
import { bytesOf, runStream } from './stream-run.fixture.ts'

/** Cuts of a text, as fractions of its length. */
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 40 })

function cutAt(bytes: Uint8Array, fractions: readonly number[]): Uint8Array[] {
  const places = fractions.map((fraction) => Math.floor(fraction * bytes.length))
  const sorted = [0, ...places.sort((a, b) => a - b), bytes.length]
  return sorted.slice(1).map((end, at) => bytes.slice(sorted[at], end))
}

describe.each(STREAMS)('$name', ({ wire, format, text }) => {
  const bytes = bytesOf(text)
  const whole = runStream(wire, [bytes], { format })

  it('leaves byte for byte if every call is released', () => {
    expect(whole.out).toBe(text)
  })

  it('gives the same bytes and calls if cut at every byte', () => {
    const single = [...bytes].map((byte) => Uint8Array.of(byte))
    expect(runStream(wire, single, { format })).toEqual(whole)
  })

  it('gives the same bytes and calls however it is cut, whatever is refused', () => {
    const subset = fc.integer({ min: 0, max: 15 })
    fc.assert(
      fc.property(cuts, subset, (fractions, mask) => {
        const refuse = ({ n }: { n: number }) => ((mask >> (n - 1)) & 1) === 1
        const expected = runStream(wire, [bytes], { format, refuse })
        const cut = runStream(wire, cutAt(bytes, fractions), { format, refuse })
        expect(cut).toEqual(expected)
        expect(expected.summary).toEqual(whole.summary)
      }),
      runs(400),
    )
  })

  it('reports the same calls without holding, and every byte at once', () => {
    const observed = runStream(wire, [bytes], { format, isHolding: false })
    expect(observed.calls).toEqual(whole.calls)
    expect(observed.out).toBe(text)
  })

  it('reads damaged bytes without failing', () => {
    const place = fc.nat({ max: bytes.length - 1 })
    const damage = fc.array(fc.tuple(place, fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(damage, (changes) => {
        const damaged = bytes.slice()
        for (const [at, byte] of changes) damaged[at] = byte
        const observed = runStream(wire, [damaged], { format, isHolding: false })
        expect(observed.out).toBe(new TextDecoder().decode(damaged))
        const refused = runStream(wire, [damaged], { format, refuse: () => true })
        const kept = observed.calls.length === 0 && refused.faults.length === 0
        if (kept) expect(refused.out).toBe(observed.out)
      }),
      runs(600),
    )
  })

  it('releases everything as it came after abandon, at any place', () => {
    for (let end = 0; end < bytes.length; end += 97) {
      const stream = wire.createStream({ format })
      const out = [...stream.push(bytes.subarray(0, end)).forward, ...stream.abandon()]
      out.push(...stream.push(bytes.subarray(end)).forward, ...stream.end().forward)
      expect(out.map((piece) => new TextDecoder('latin1').decode(piece)).join('')).toBe(
        new TextDecoder('latin1').decode(bytes),
      )
    }
  })
})

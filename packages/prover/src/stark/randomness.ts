import { P } from '../field/baby-bear.ts'
import type { Extension } from '../field/extension.ts'
import { DIGEST_BYTES, sha256 } from '../hash/sha256.ts'
import { concat } from './bytes.ts'

export const SEED_BYTES_MIN = 32
const STREAM = Uint8Array.of(3)

export type Randomness = ReturnType<typeof createRandomness>

/**
 * A pseudorandom stream from a seed. The statement and the witness are mixed in, so that a seed
 * reused by mistake does not mask two witnesses with the same numbers.
 */
export function createRandomness(seed: Uint8Array, ...context: readonly Uint8Array[]) {
  if (seed.length < SEED_BYTES_MIN) throw new RangeError('the seed must have at least 32 bytes')
  const key = sha256(concat(STREAM, sha256(seed), ...context))
  const input = concat(STREAM, key, new Uint8Array(4))
  const counter = new DataView(input.buffer)
  let block: DataView = new DataView(new ArrayBuffer(0))
  let at = 0
  let blocks = 0

  function refill(): void {
    counter.setUint32(1 + DIGEST_BYTES, blocks, true)
    block = new DataView(sha256(input).buffer)
    blocks += 1
    at = 0
  }

  function word(): number {
    if (at === block.byteLength) refill()
    at += 4
    return block.getUint32(at - 4, true)
  }

  function element(): number {
    for (;;) {
      const candidate = word() & 0x7fffffff
      if (candidate < P) return candidate
    }
  }

  return {
    element,
    elements(into: Int32Array): void {
      for (let i = 0; i < into.length; i += 1) into[i] = element()
    },
    extension: (): Extension => [element(), element(), element(), element(), element()],
    bytes(length: number): Uint8Array {
      const drawn = new Uint8Array(length)
      const view = new DataView(drawn.buffer)
      for (let i = 0; i < length; i += 4) view.setUint32(i, word(), true)
      return drawn
    },
  }
}

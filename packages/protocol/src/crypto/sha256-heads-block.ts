import { sha256Bytes } from './hash.ts'
import { SCHEDULE_WORDS, SHA256_INITIAL, sha256Block } from './sha256-block.ts'
import { BLOCK_MESSAGE_BYTES_MAX, type Sha256Heads } from './sha256-heads.ts'

export const sha256Heads: Sha256Heads = {
  hash({ bytes, starts, ends }, { from, to }, heads) {
    const state = new Int32Array(SHA256_INITIAL.length)
    const schedule = new Int32Array(SCHEDULE_WORDS)
    const block = new DataView(new ArrayBuffer(64))
    for (let i = from; i < to; i += 1) {
      const message = bytes.subarray(starts[i], ends[i])
      if (message.length > BLOCK_MESSAGE_BYTES_MAX) {
        heads[i] = headOf(message)
        continue
      }
      const padded = new Uint8Array(block.buffer)
      padded.fill(0)
      padded.set(message)
      padded[message.length] = 0x80
      block.setUint32(60, message.length * 8)
      for (let t = 0; t < 16; t += 1) schedule[t] = block.getInt32(t * 4)
      state.set(SHA256_INITIAL)
      sha256Block(state, schedule)
      const [high = 0, low = 0] = state
      heads[i] = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
    }
  },
}

/** The first 8 bytes of the SHA-256 of one message. */
export function headOf(message: Uint8Array): bigint {
  const digest = sha256Bytes(message)
  return new DataView(digest.buffer, digest.byteOffset).getBigUint64(0)
}

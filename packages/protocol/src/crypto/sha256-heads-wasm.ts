import { BLOCK_MESSAGE_BYTES_MAX, type Messages, type Sha256Heads } from './sha256-heads.ts'
import { headOf } from './sha256-heads-block.ts'
import { DIGEST_OFFSET, sha256LanesModule } from './sha256-lanes.ts'

/** The parts of the WebAssembly interface used here, of which Node's types have none. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  Instance: new (
    module: object,
  ) => {
    exports: { memory: { buffer: ArrayBuffer }; compress(): void }
  }
}

const LANES = 4
const BLOCK_WORDS = 16
const DIGEST = DIGEST_OFFSET / Int32Array.BYTES_PER_ELEMENT

const { memory, compress } = new WebAssembly.Instance(new WebAssembly.Module(sha256LanesModule()))
  .exports
const lanes = new Int32Array(memory.buffer)
/** By lane, the last word of its message. The words after it are zero, except for the length. */
const lasts = new Int32Array(LANES)

export const sha256Heads: Sha256Heads = {
  hash(messages, { from, to }, heads) {
    const { bytes, starts, ends } = messages
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const halves = new Int32Array(heads.buffer)
    for (let first = from; first < to; first += LANES) {
      const count = Math.min(LANES, to - first)
      for (let lane = 0; lane < count; lane += 1) {
        load(view, starts[first + lane] ?? 0, ends[first + lane] ?? 0, lane)
      }
      compress()
      for (let lane = 0; lane < count; lane += 1) {
        const at = (first + lane) * 2
        halves[at + 1] = lanes[DIGEST + lane] ?? 0
        halves[at] = lanes[DIGEST + LANES + lane] ?? 0
      }
      for (let i = first; i < first + count; i += 1) hashIfLong(messages, i, heads)
    }
  },
}

/** Writes a message with its padding into a lane; one that is too long is left out. */
function load(view: DataView, start: number, end: number, lane: number): void {
  const length = end - start
  if (length > BLOCK_MESSAGE_BYTES_MAX) return
  const whole = length >> 2
  for (let t = 0; t < whole; t += 1) lanes[t * LANES + lane] = view.getInt32(start + t * 4)
  let last = 0x80 << 24
  for (let at = end - 1; at >= start + whole * 4; at -= 1) {
    last = (view.getUint8(at) << 24) | (last >>> 8)
  }
  lanes[whole * LANES + lane] = last
  const before = lasts[lane] ?? 0
  for (let t = whole + 1; t <= before; t += 1) lanes[t * LANES + lane] = 0
  lasts[lane] = whole
  lanes[(BLOCK_WORDS - 1) * LANES + lane] = length * 8
}

function hashIfLong({ bytes, starts, ends }: Messages, i: number, heads: BigUint64Array): void {
  const [start = 0, end = 0] = [starts[i], ends[i]]
  if (end - start > BLOCK_MESSAGE_BYTES_MAX) heads[i] = headOf(bytes.subarray(start, end))
}

import { BLOCK_MESSAGE_BYTES_MAX, type Messages, type Sha256Heads } from './sha256-heads.ts'
import { headOf } from './sha256-heads-block.ts'
import {
  ENDS,
  HEADS,
  initialise,
  MESSAGES,
  MESSAGES_BYTES,
  MESSAGES_MAX,
  STARTS,
  sha256LanesModule,
} from './sha256-lanes.ts'

/** The parts of the WebAssembly interface used here, of which Node's types have none. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array<ArrayBuffer>) => object
  Instance: new (
    module: object,
  ) => {
    exports: { memory: { buffer: ArrayBuffer }; hash(to: number): void }
  }
}

const LANES = 4

const { memory, hash } = new WebAssembly.Instance(new WebAssembly.Module(sha256LanesModule()))
  .exports
initialise(memory.buffer)
const memoryBytes = new Uint8Array(memory.buffer)
const memoryStarts = new Int32Array(memory.buffer, STARTS, MESSAGES_MAX)
const memoryEnds = new Int32Array(memory.buffer, ENDS, MESSAGES_MAX)
const memoryHeads = new BigUint64Array(memory.buffer, HEADS, MESSAGES_MAX)

export const sha256Heads: Sha256Heads = {
  hash(messages, { from, to }, heads) {
    for (let first = from; first < to; ) {
      const count = load(messages, { first, to })
      // A message that does not fit into the memory is long.
      if (count > 0) {
        hash(4 * (count + LANES - 1 - ((count + LANES - 1) % LANES)))
        heads.set(memoryHeads.subarray(0, count), first)
      }
      const after = first + Math.max(1, count)
      for (let i = first; i < after; i += 1) hashIfLong(messages, i, heads)
      first = after
    }
  },
}

/** Copies as many messages into the memory as it can hold, and returns their number. */
function load(messages: Messages, { first, to }: { first: number; to: number }): number {
  const { bytes, starts, ends } = messages
  const begin = starts[first] ?? 0
  const countMax = Math.min(to - first, MESSAGES_MAX)
  let count = 0
  for (; count < countMax; count += 1) {
    const start = starts[first + count] ?? 0
    const end = ends[first + count] ?? 0
    if (end - begin > MESSAGES_BYTES) break
    memoryStarts[count] = start - begin + MESSAGES
    memoryEnds[count] = Math.min(end, start + BLOCK_MESSAGE_BYTES_MAX) - begin + MESSAGES
  }
  if (count > 0) {
    memoryBytes.set(bytes.subarray(begin, ends[first + count - 1]), MESSAGES)
    // The lanes that remain hash the empty message.
    memoryStarts.fill(MESSAGES, count, count + LANES)
    memoryEnds.fill(MESSAGES, count, count + LANES)
  }
  return count
}

function hashIfLong({ bytes, starts, ends }: Messages, i: number, heads: BigUint64Array): void {
  const [start = 0, end = 0] = [starts[i], ends[i]]
  if (end - start > BLOCK_MESSAGE_BYTES_MAX) heads[i] = headOf(bytes.subarray(start, end))
}

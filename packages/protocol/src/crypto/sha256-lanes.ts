import { ROUND_CONSTANTS, SHA256_INITIAL } from './sha256-block.ts'

/**
 * Generates a WebAssembly module that compresses one SHA-256 block in each of the four lanes of a
 * 128-bit vector, and so hashes four messages in little more than the time of one.
 *
 * Its function `hash(to)` reads starts and ends of messages in bytes of memory from the tables below,
 * four at a time until the offset `to` in the tables, and writes the first two words of the digests.
 */

const ROUNDS = 64
const VECTOR_BYTES = 16
const BLOCK_WORDS = 16
const BLOCK_BYTES = 64
const LANES = 4

/** Messages in one call, a multiple of four. */
export const MESSAGES_MAX = 1024

/** Offsets in memory. */
const CONSTANTS = 0
const MASKS = CONSTANTS + ROUNDS * VECTOR_BYTES
const PADDING = MASKS + 2 * BLOCK_BYTES
export const STARTS = PADDING + 2 * BLOCK_BYTES
export const ENDS = STARTS + MESSAGES_MAX * 4
export const HEADS = ENDS + MESSAGES_MAX * 4
export const MESSAGES = HEADS + MESSAGES_MAX * 8
/** A load of a whole block may reach beyond the last message. */
export const MESSAGES_BYTES = 0x10000 - MESSAGES - BLOCK_BYTES

/** Opcodes of the WebAssembly specification; those of vectors follow the prefix 0xfd. */
const CODE = {
  loop: 0x03,
  end: 0x0b,
  branchIf: 0x0d,
  localGet: 0x20,
  localSet: 0x21,
  localTee: 0x22,
  i32Load: 0x28,
  i32Const: 0x41,
  lessUnsigned: 0x49,
  add: 0x6a,
  sub: 0x6b,
  shl: 0x74,
}
const VECTOR = {
  load: 0x00,
  store: 0x0b,
  constant: 0x0c,
  shuffle: 0x0d,
  splat: 0x11,
  replaceLane: 0x1c,
  and: 0x4e,
  or: 0x50,
  xor: 0x51,
  bitselect: 0x52,
  shl: 0xab,
  shrU: 0xad,
  add: 0xae,
}
const TYPE = { function: 0x60, i32: 0x7f, none: 0x40, vector: 0x7b }
const VECTOR_PREFIX = 0xfd
const MAGIC_AND_VERSION = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]

/** The parameter: where the tables end. */
const TO = 0
/** The locals: the place in the tables; by lane, a message and its place in masks and padding. */
const AT = 1
const MESSAGE = 2
const FORM = MESSAGE + LANES
const NUMBERS = FORM + LANES - 1
/** Eight working variables, the last 16 words of the schedule, and a sum. */
const STATE = NUMBERS + 1
const WORDS = STATE + 8
const SUM = WORDS + BLOCK_WORDS
const VECTORS = SUM - STATE + 1

/** Indices of the bytes of two vectors, as `shuffle` takes them. */
const REVERSED = [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]
const LOW_WORDS = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23]
const HIGH_WORDS = [8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31]
const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]
const HIGH_HALVES = [8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31]

/** Bytes, nested as the instructions and their operands belong together. */
type Code = readonly (number | Code)[]

export function sha256LanesModule(): Uint8Array<ArrayBuffer> {
  const locals = [2, NUMBERS, TYPE.i32, VECTORS, TYPE.vector]
  const module = [
    MAGIC_AND_VERSION,
    // A function with one parameter and without results, and a memory of one page.
    section(1, [1, TYPE.function, 1, TYPE.i32, 0]),
    section(3, [1, 0]),
    section(5, [1, 0, 1]),
    section(7, [2, named('memory'), 2, 0, named('hash'), 0, 0]),
    section(10, [1, sized([locals, bodyOf(), CODE.end])]),
  ]
  return Uint8Array.from(bytesOf(module))
}

/** Writes the tables that the module reads into its memory. */
export function initialise(memory: ArrayBuffer): void {
  const words = new Int32Array(memory)
  for (let t = 0; t < ROUNDS; t += 1) {
    words.fill(ROUND_CONSTANTS[t] ?? 0, t * LANES, (t + 1) * LANES)
  }
  const bytes = new Uint8Array(memory)
  bytes.fill(0xff, MASKS, MASKS + BLOCK_BYTES)
  bytes[PADDING + BLOCK_BYTES] = 0x80
}

function bodyOf(): Code {
  return [
    CODE.loop,
    TYPE.none,
    loadBlocks(),
    compress(),
    storeHeads(),
    get(AT),
    i32(VECTOR_BYTES),
    CODE.add,
    CODE.localTee,
    AT,
    get(TO),
    CODE.lessUnsigned,
    CODE.branchIf,
    0,
    CODE.end,
  ]
}

/** Puts word t of the four padded messages into the vector of word t. */
function loadBlocks(): Code {
  const code: (number | Code)[] = []
  for (let lane = 0; lane < LANES; lane += 1) {
    const load = (table: number) => [CODE.i32Load, 2, unsigned(table + lane * 4)]
    code.push(get(AT), load(STARTS), CODE.localTee, MESSAGE + lane)
    // As many bytes before the end of the first half of the masks as the message has.
    code.push(i32(BLOCK_BYTES), CODE.add, get(AT), load(ENDS), CODE.sub)
    code.push(set(FORM + lane))
  }
  for (let word = 0; word < BLOCK_WORDS; word += LANES) code.push(loadWords(word))
  // INVARIANT: a message has less than 2^29 bytes, so the length fits into the last word.
  for (let lane = 0; lane < LANES; lane += 1) {
    const length = [i32(BLOCK_BYTES), get(FORM + lane), CODE.sub, i32(3), CODE.shl]
    code.push(lane === 0 ? [length, op(VECTOR.splat)] : length)
    if (lane > 0) code.push(op(VECTOR.replaceLane, lane))
  }
  return [code, set(WORDS + BLOCK_WORDS - 1)]
}

/** Loads four words of each message, adds the padding, and transposes them. */
function loadWords(first: number): Code {
  const code: (number | Code)[] = []
  const offset = first * 4
  const lane = (i: number) => get(STATE + i)
  for (let i = 0; i < LANES; i += 1) {
    const load = (local: number, base: number) => [
      get(local),
      op(VECTOR.load, 0, unsigned(base + offset)),
    ]
    code.push(load(MESSAGE + i, 0), load(FORM + i, MASKS), op(VECTOR.and))
    code.push(load(FORM + i, PADDING), op(VECTOR.or), set(STATE + i))
    code.push(lane(i), lane(i), op(VECTOR.shuffle, ...REVERSED), set(STATE + i))
  }
  for (let i = 0; i < LANES; i += 1) {
    const words = op(VECTOR.shuffle, ...(i < 2 ? LOW_WORDS : HIGH_WORDS))
    const halves = op(VECTOR.shuffle, ...(i % 2 === 0 ? LOW_HALVES : HIGH_HALVES))
    code.push(lane(0), lane(1), words, lane(2), lane(3), words, halves)
    code.push(set(WORDS + first + i))
  }
  return code
}

/** Writes the first two words of each digest as a little-endian number of 64 bits. */
function storeHeads(): Code {
  const code: (number | Code)[] = []
  for (const [i, words] of [LOW_WORDS, HIGH_WORDS].entries()) {
    code.push(get(AT), i32(1), CODE.shl, get(STATE + 1), get(STATE))
    code.push(op(VECTOR.shuffle, ...words))
    code.push(op(VECTOR.store, 0, unsigned(HEADS + i * VECTOR_BYTES)))
  }
  return code
}

/** FIPS 180-4 §6.2.2, unrolled: instead of moving the variables, each round renames them. */
function compress(): Code {
  const code: (number | Code)[] = []
  for (let i = 0; i < SHA256_INITIAL.length; i += 1) {
    code.push(splat(SHA256_INITIAL[i] ?? 0), set(STATE + i))
  }
  for (let t = 0; t < ROUNDS; t += 1) {
    if (t >= BLOCK_WORDS) code.push(extend(t))
    code.push(round(t))
  }
  for (let i = 0; i < 2; i += 1) {
    code.push(get(STATE + i), splat(SHA256_INITIAL[i] ?? 0), op(VECTOR.add))
    code.push(set(STATE + i))
  }
  return code
}

function extend(t: number): Code {
  const word = (back: number) => WORDS + ((t - back) % BLOCK_WORDS)
  const small = (local: number, [one, two, shift]: readonly [number, number, number]): Code => [
    [rotated(local, one), rotated(local, two), op(VECTOR.xor)],
    [get(local), i32(shift), op(VECTOR.shrU), op(VECTOR.xor)],
  ]
  return [
    [get(word(16)), small(word(15), [7, 18, 3]), op(VECTOR.add)],
    [get(word(7)), op(VECTOR.add)],
    [small(word(2), [17, 19, 10]), op(VECTOR.add)],
    set(word(16)),
  ]
}

function round(t: number): Code {
  const variable = (i: number) => STATE + ((i - t + ROUNDS) % 8)
  const [a, b, c, d] = [variable(0), variable(1), variable(2), variable(3)]
  const [e, f, g, h] = [variable(4), variable(5), variable(6), variable(7)]
  const big = (local: number, [one, two, three]: readonly [number, number, number]): Code => [
    [rotated(local, one), rotated(local, two), op(VECTOR.xor)],
    [rotated(local, three), op(VECTOR.xor)],
  ]
  const choice = [get(f), get(g), get(e), op(VECTOR.bitselect)]
  // Where a and b differ, c decides; elsewhere both of them are the majority.
  const differing = [get(a), get(b), op(VECTOR.xor)]
  const majority = [get(c), get(b), differing, op(VECTOR.bitselect)]
  return [
    [get(h), big(e, [6, 11, 25]), op(VECTOR.add), choice, op(VECTOR.add)],
    [i32(0), op(VECTOR.load, 4, unsigned(CONSTANTS + t * VECTOR_BYTES))],
    op(VECTOR.add),
    [get(WORDS + (t % BLOCK_WORDS)), op(VECTOR.add), set(SUM)],
    [get(d), get(SUM), op(VECTOR.add), set(d)],
    [get(SUM), big(a, [2, 13, 22]), op(VECTOR.add)],
    [majority, op(VECTOR.add), set(h)],
  ]
}

function rotated(local: number, bits: number): Code {
  const right = [get(local), i32(bits), op(VECTOR.shrU)]
  const left = [get(local), i32(32 - bits), op(VECTOR.shl)]
  return [right, left, op(VECTOR.or)]
}

function get(local: number): Code {
  return [CODE.localGet, local]
}

function set(local: number): Code {
  return [CODE.localSet, local]
}

/** Below 2^13, in signed LEB128. */
function i32(small: number): Code {
  return [CODE.i32Const, ...(small < 0x40 ? [small] : [(small & 0x7f) | 0x80, small >>> 7])]
}

function op(code: number, ...immediates: Code): Code {
  return [VECTOR_PREFIX, unsigned(code), immediates]
}

/** The same word in all four lanes. */
function splat(word: number): Code {
  const bytes = [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24]
  return op(VECTOR.constant, bytes, bytes, bytes, bytes)
}

/** The content after its size in bytes. */
function sized(content: Code): Code {
  const bytes = bytesOf(content)
  return [unsigned(bytes.length), bytes]
}

function bytesOf(code: Code): number[] {
  return code.flatMap((part) => (typeof part === 'number' ? [part] : bytesOf(part)))
}

function section(id: number, content: Code): Code {
  return [id, sized(content)]
}

function named(name: string): Code {
  return [name.length, ...new TextEncoder().encode(name)]
}

/** LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

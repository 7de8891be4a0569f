import { ROUND_CONSTANTS, SHA256_INITIAL } from './sha256-block.ts'

/**
 * Generates a WebAssembly module that compresses one SHA-256 block in each of the four lanes of a
 * 128-bit vector, and so hashes four messages in little more than the time of one.
 *
 * Memory: 16 vectors, vector t with word t of the four blocks, and then two with the first two words
 * of the four digests.
 */

const ROUNDS = 64
const VECTOR_BYTES = 16
const BLOCK_WORDS = 16
export const DIGEST_OFFSET = BLOCK_WORDS * VECTOR_BYTES

/** Opcodes of the WebAssembly specification; those of vectors follow the prefix 0xfd. */
const CODE = { end: 0x0b, localGet: 0x20, localSet: 0x21, i32Const: 0x41 }
const VECTOR = {
  load: 0x00,
  store: 0x0b,
  constant: 0x0c,
  and: 0x4e,
  or: 0x50,
  xor: 0x51,
  bitselect: 0x52,
  shl: 0xab,
  shrU: 0xad,
  add: 0xae,
}
const TYPE = { function: 0x60, vector: 0x7b }
const VECTOR_PREFIX = 0xfd

/** The locals: eight working variables, the last 16 words of the schedule, and a sum. */
const STATE = 0
const WORDS = 8
const SUM = 24
const LOCALS = 25

type Code = number[]

export function sha256LanesModule(): Uint8Array<ArrayBuffer> {
  const body = [1, LOCALS, TYPE.vector, ...bodyOf(), CODE.end]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    // A function without parameters and results, and a memory of one page.
    ...section(1, [1, TYPE.function, 0, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, 1]),
    ...section(7, [2, ...named('memory'), 2, 0, ...named('compress'), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ])
}

/** FIPS 180-4 §6.2.2, unrolled: instead of moving the variables, each round renames them. */
function bodyOf(): Code {
  const code: Code = []
  for (let t = 0; t < BLOCK_WORDS; t += 1) {
    code.push(...i32(0), ...op(VECTOR.load, 4, ...unsigned(t * VECTOR_BYTES)), ...set(WORDS + t))
  }
  for (let i = 0; i < SHA256_INITIAL.length; i += 1) {
    code.push(...splat(SHA256_INITIAL[i] ?? 0), ...set(STATE + i))
  }
  for (let t = 0; t < ROUNDS; t += 1) {
    if (t >= BLOCK_WORDS) code.push(...extend(t))
    code.push(...round(t))
  }
  for (let i = 0; i < 2; i += 1) {
    const sum = [...get(STATE + i), ...splat(SHA256_INITIAL[i] ?? 0), ...op(VECTOR.add)]
    const offset = unsigned(DIGEST_OFFSET + i * VECTOR_BYTES)
    code.push(...i32(0), ...sum, ...op(VECTOR.store, 4, ...offset))
  }
  return code
}

function extend(t: number): Code {
  const word = (back: number) => WORDS + ((t - back) % BLOCK_WORDS)
  const small = (local: number, [one, two, shift]: readonly [number, number, number]): Code => [
    ...[...rotated(local, one), ...rotated(local, two), ...op(VECTOR.xor)],
    ...[...get(local), ...i32(shift), ...op(VECTOR.shrU), ...op(VECTOR.xor)],
  ]
  return [
    ...[...get(word(16)), ...small(word(15), [7, 18, 3]), ...op(VECTOR.add)],
    ...[...get(word(7)), ...op(VECTOR.add)],
    ...[...small(word(2), [17, 19, 10]), ...op(VECTOR.add)],
    ...set(word(16)),
  ]
}

function round(t: number): Code {
  const variable = (i: number) => STATE + ((i - t + ROUNDS) % 8)
  const [a, b, c, d] = [variable(0), variable(1), variable(2), variable(3)]
  const [e, f, g, h] = [variable(4), variable(5), variable(6), variable(7)]
  const big = (local: number, [one, two, three]: readonly [number, number, number]): Code => [
    ...[...rotated(local, one), ...rotated(local, two), ...op(VECTOR.xor)],
    ...[...rotated(local, three), ...op(VECTOR.xor)],
  ]
  const choice = [...get(f), ...get(g), ...get(e), ...op(VECTOR.bitselect)]
  // Where a and b differ, c decides; elsewhere both of them are the majority.
  const differing = [...get(a), ...get(b), ...op(VECTOR.xor)]
  const majority = [...get(c), ...get(b), ...differing, ...op(VECTOR.bitselect)]
  return [
    ...[...get(h), ...big(e, [6, 11, 25]), ...op(VECTOR.add), ...choice, ...op(VECTOR.add)],
    ...[...splat(ROUND_CONSTANTS[t] ?? 0), ...op(VECTOR.add)],
    ...[...get(WORDS + (t % BLOCK_WORDS)), ...op(VECTOR.add), ...set(SUM)],
    ...[...get(d), ...get(SUM), ...op(VECTOR.add), ...set(d)],
    ...[...get(SUM), ...big(a, [2, 13, 22]), ...op(VECTOR.add)],
    ...[...majority, ...op(VECTOR.add), ...set(h)],
  ]
}

function rotated(local: number, bits: number): Code {
  const right = [...get(local), ...i32(bits), ...op(VECTOR.shrU)]
  const left = [...get(local), ...i32(32 - bits), ...op(VECTOR.shl)]
  return [...right, ...left, ...op(VECTOR.or)]
}

function get(local: number): Code {
  return [CODE.localGet, local]
}

function set(local: number): Code {
  return [CODE.localSet, local]
}

function i32(small: number): Code {
  return [CODE.i32Const, small]
}

function op(code: number, ...immediates: Code): Code {
  return [VECTOR_PREFIX, ...unsigned(code), ...immediates]
}

/** The same word in all four lanes. */
function splat(word: number): Code {
  const bytes = [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24]
  return op(VECTOR.constant, ...bytes, ...bytes, ...bytes, ...bytes)
}

function section(id: number, content: Code): Code {
  return [id, ...unsigned(content.length), ...content]
}

function named(name: string): Code {
  return [name.length, ...new TextEncoder().encode(name)]
}

/** LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

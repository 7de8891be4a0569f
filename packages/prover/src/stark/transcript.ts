import { P } from '../field/baby-bear.ts'
import type { Extension } from '../field/extension.ts'
import { DIGEST_BYTES, sha256 } from '../hash/sha256.ts'
import { concat, elementBytes } from './bytes.ts'
import { type Program, parameterValues } from './program.ts'

/** The statement that a proof is about. All of it is absorbed before the first challenge. */
export type Statement = {
  program: Program
  /** SHA-256 of the program's text. */
  programDigest: Uint8Array
  /** SHA-256 of the journal, which binds a proof to fields that are not public values. */
  journalDigest: Uint8Array
  publics: readonly number[]
}

const ABSORB = Uint8Array.of(0)
const SQUEEZE = Uint8Array.of(1)
const GRIND = Uint8Array.of(2)
const LABEL = 'touchstone-stark 1'
const WORD_BYTES = 4
export const NONCE_BYTES = 8

export type Transcript = ReturnType<typeof createTranscript>

/**
 * Fiat–Shamir transcript: the state is a hash of everything absorbed so far, in order, and a
 * challenge is a hash of the state and a counter. Every message of the prover must be absorbed
 * before the challenge that depends on it.
 */
export function createTranscript({ program, programDigest, journalDigest, publics }: Statement) {
  let state = sha256(new TextEncoder().encode(LABEL))
  let words: number[] = []
  let squeezed = 0

  function absorb(...parts: readonly Uint8Array[]): void {
    state = sha256(concat(ABSORB, state, ...parts))
    words = []
    squeezed = 0
  }

  function nextWord(): number {
    if (words.length === 0) {
      words = wordsOf(sha256(concat(SQUEEZE, state, elementBytes([squeezed]))))
      squeezed += 1
    }
    return words.shift() ?? 0
  }

  /** Uniform by rejection sampling: 31 bits, redrawn until they are below p. */
  function nextElement(): number {
    for (;;) {
      const candidate = nextWord() & 0x7fffffff
      if (candidate < P) return candidate
    }
  }

  const extension = (): Extension => [
    nextElement(),
    nextElement(),
    nextElement(),
    nextElement(),
    nextElement(),
  ]

  absorb(programDigest)
  absorb(elementBytes(parameterValues(program.parameters)))
  absorb(journalDigest)
  absorb(elementBytes(publics))

  return {
    absorb,
    extension,
    extensions: (count: number) => Array.from({ length: count }, extension),
    /** Positions below a power of two, in the order drawn; duplicates are possible. */
    positions: (count: number, below: number) =>
      Array.from({ length: count }, () => nextWord() & (below - 1)),
    /** Whether a nonce satisfies the proof of work. */
    isGround: (nonce: Uint8Array, bits: number) =>
      leadingZeros(sha256(concat(GRIND, state, nonce))) >= bits,
    /** Finds the first nonce that satisfies it. */
    grind(bits: number): Uint8Array {
      const input = concat(GRIND, state, new Uint8Array(NONCE_BYTES))
      const view = new DataView(input.buffer)
      for (let nonce = 0; ; nonce += 1) {
        view.setUint32(1 + DIGEST_BYTES, nonce, true)
        if (leadingZeros(sha256(input)) >= bits) return input.slice(1 + DIGEST_BYTES)
      }
    },
  }
}

function wordsOf(digest: Uint8Array): number[] {
  const view = new DataView(digest.buffer)
  return Array.from({ length: digest.length / WORD_BYTES }, (_, i) =>
    view.getUint32(i * WORD_BYTES, true),
  )
}

function leadingZeros(digest: Uint8Array): number {
  const [a = 0, b = 0, c = 0, d = 0] = digest
  return Math.clz32((a << 24) | (b << 16) | (c << 8) | d)
}
